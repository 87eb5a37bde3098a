#include "rescue.h"

#include <cstdlib>
#include <filesystem>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>

#include "daedalus/output.h"

namespace daedalus::command {
namespace {

std::vector<std::filesystem::path> folders() {
  std::vector<std::filesystem::path> list;
  std::error_code none;
  if (auto folder = std::filesystem::temp_directory_path(none); !none) list.push_back(folder);
  if (const char* home = std::getenv("HOME"); home && *home) list.emplace_back(home);
  if (auto folder = std::filesystem::current_path(none); !none) list.push_back(folder);
  return list;
}

}  // namespace

bool write_or_rescue(const std::string& path, const std::string& ending,
                     const std::function<void(const std::string& path)>& write) {
  try {
    write(path);
    return true;
  } catch (const OutputError& error) {
    fmt::print(stderr, "daedalus: {}\n", error.what());
  }
  const std::filesystem::path wanted(path);
  const bool is_file = wanted.extension() == ending;
  const std::string name = fmt::format(
      "{}-rescued-{}{}", is_file ? wanted.stem().string() : "daedalus", ::getpid(), ending);
  for (const std::filesystem::path& folder : folders()) {
    const std::string place = (folder / name).string();
    try {
      write(place);
      fmt::print(stderr, "daedalus: the results are in '{}' instead\n", place);
      return false;
    } catch (const OutputError&) {
      // The next folder may lie on another disk.
    }
  }
  fmt::print(stderr, "daedalus: no other folder takes the results either; they are lost\n");
  return false;
}

}  // namespace daedalus::command
