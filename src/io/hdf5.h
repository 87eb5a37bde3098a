#pragma once
// A solution as an HDF5 file: a dataset for `time` and one for each variable, in that order, each
// with its true name in the attribute `name`; outcome, counters and settings as attributes.
#include <ostream>

#include "daedalus/output.h"

namespace daedalus {

/// Throws OutputError in a build without HDF5.
void write_hdf5(const Solution& solution, const Settings& settings, std::ostream& stream);

}  // namespace daedalus
