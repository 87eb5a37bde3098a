#include "io/embedded.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Embedded, HoldsEveryShippedFileByteForByte) {
  const auto root = std::filesystem::path(DAEDALUS_DATA_DIR).parent_path();
  for (const auto name : embedded_names()) EXPECT_EQ(embedded(name), read(root / name)) << name;
}

TEST(Embedded, ListsNamesInOrder) {
  const auto names = embedded_names();
  EXPECT_TRUE(std::is_sorted(names.begin(), names.end()));
}

TEST(Embedded, RefusesAnUnknownName) {
  EXPECT_THROW(embedded("data/no_such_file.csv"), InvalidInput);
}

}  // namespace
}  // namespace daedalus
