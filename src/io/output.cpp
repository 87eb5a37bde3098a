#include "daedalus/output.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "daedalus/error.h"
#include "io/atomic_file.h"
#include "io/hdf5.h"

namespace daedalus {
namespace {

enum class Format { csv, json, hdf5 };

Format format_of(const std::string& path) {
  if (path == "-") return Format::csv;
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (ending == ".csv") return Format::csv;
  if (ending == ".json") return Format::json;
  if (ending == ".h5" || ending == ".hdf5") return Format::hdf5;
  // A device has no ending: /dev/stdout, /dev/null.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && std::filesystem::is_other(status)) return Format::csv;
  throw InvalidInput(
      fmt::format("output: '{}' must end in .csv, .json, .h5 or .hdf5, or be - for CSV on standard "
                  "output",
                  path));
}

}  // namespace

void write_solution(const Solution& solution, const std::string& path, const Settings& settings) {
  const Format format = format_of(path);
  AtomicFile file(path);
  if (format == Format::csv)
    write_csv(solution, file.stream());
  else if (format == Format::json)
    write_json(solution, file.stream());
  else
    write_hdf5(solution, settings, file.stream());
  file.commit();
}

void write_text(std::string_view text, const std::string& path) {
  AtomicFile file(path);
  file.stream().write(text.data(), static_cast<std::streamsize>(text.size()));
  file.commit();
}

void check_writable(const std::string& path) {
  // Opening a pipe would wait for its reader.
  std::error_code ignored;
  if (path == "-" || std::filesystem::is_other(path, ignored)) return;
  const AtomicFile file(path);
}

void check_solution_path(const std::string& path) {
  format_of(path);
  check_writable(path);
}

}  // namespace daedalus
