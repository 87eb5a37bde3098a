// The table of a solution as comma separated values, RFC 4180 with line feeds.
#include <algorithm>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "daedalus/output.h"

namespace daedalus {
namespace {

std::string quoted(const std::string& name) {
  // A comma in brackets, A[1,2], needs quotes as any other.
  if (name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

}  // namespace

void write_csv(const Solution& solution, std::ostream& stream) {
  stream << "time";
  for (const std::string& name : solution.variables) stream << ',' << quoted(name);
  stream << '\n';
  fmt::memory_buffer line;
  const double* value = solution.values.data();
  for (const double time : solution.t) {
    line.clear();
    fmt::format_to(std::back_inserter(line), "{:.17g}", time);
    for (int i = 0; i < solution.size(); ++i)
      fmt::format_to(std::back_inserter(line), ",{:.17g}", *value++);
    line.push_back('\n');
    if (!stream.write(line.data(), static_cast<std::streamsize>(line.size()))) return;
  }
}

}  // namespace daedalus
