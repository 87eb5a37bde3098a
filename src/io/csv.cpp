// The table of a solution as comma separated values, RFC 4180 with line feeds.
#include <charconv>
#include <ostream>
#include <string>

#include "daedalus/output.h"
#include "io/csv_text.h"

namespace daedalus {

std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void append_csv(std::string& line, double value) {
  // As %.17g, three times as fast.
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 17);
  line.append(text, end.ptr);
}

void write_csv(const Solution& solution, std::ostream& stream) {
  stream << "time";
  for (const std::string& name : solution.variables) stream << ',' << csv_text(name);
  stream << '\n';
  std::string line;
  const double* value = solution.values.data();
  for (const double time : solution.t) {
    line.clear();
    append_csv(line, time);
    for (int i = 0; i < solution.size(); ++i) {
      line += ',';
      append_csv(line, *value++);
    }
    line += '\n';
    if (!stream.write(line.data(), static_cast<std::streamsize>(line.size()))) return;
  }
}

}  // namespace daedalus
