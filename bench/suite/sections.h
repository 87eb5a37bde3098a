#pragma once
// Sections of the page that say how far from a target a row is, and why.
#include "bench/suite/markup.h"
#include "bench/suite/ratios.h"

namespace daedalus::bench {

/// Rows that fall short, what the floor says of each, and where the time of these runs goes.
void shortfalls_section(Page& page, const std::vector<Row>& rows);
/// Codes that cannot run here.
void all_codes_section(Page& page, const std::vector<Row>& rows);
void mechanics_section(Page& page, const std::vector<Row>& rows);

}  // namespace daedalus::bench
