#include <cstdlib>
#include <filesystem>
#include <hdf5.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "daedalus/output.h"

namespace daedalus {
namespace {

std::vector<double> dataset(hid_t file, const char* name) {
  const hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
  if (set < 0) return {-1};
  const hid_t space = H5Dget_space(set);
  std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Sclose(space);
  H5Dclose(set);
  return values;
}

std::string text_attribute(hid_t file, const char* name) {
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  char* value = nullptr;
  H5Aread(attribute, type, &value);
  std::string text(value);
  H5free_memory(value);
  H5Tclose(type);
  H5Aclose(attribute);
  return text;
}

double number_attribute(hid_t file, const char* name) {
  double value = 0;
  const hid_t attribute = H5Aopen(file, name, H5P_DEFAULT);
  H5Aread(attribute, H5T_NATIVE_DOUBLE, &value);
  H5Aclose(attribute);
  return value;
}

TEST(Hdf5, HoldsADatasetForEachVariableAndTheSettings) {
  Solution solution;
  solution.variables = {"x", "q[1]", "a/b", "time", "."};
  solution.t = {0, 0.1, 0.2};
  for (int i = 0; i < 15; ++i) solution.values.push_back(i / 3.0);
  solution.method = "radau";
  solution.statistics.steps = 42;

  std::string name = (std::filesystem::temp_directory_path() / "daedalus-XXXXXX.h5").string();
  ::close(::mkstemps(name.data(), 3));
  write_solution(solution, name, {{"rtol", "1e-8"}, {"method", "asked"}, {"output", "all steps"}});
  const hid_t file = H5Fopen(name.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  EXPECT_EQ(dataset(file, "time"), solution.t);
  EXPECT_EQ(dataset(file, "x"), (std::vector<double>{0, 5 / 3.0, 10 / 3.0}));
  EXPECT_EQ(dataset(file, "q[1]"), (std::vector<double>{1 / 3.0, 6 / 3.0, 11 / 3.0}));
  // Names that are no links are changed; the attribute `name` has the true one.
  EXPECT_EQ(dataset(file, "a\u2215b")[0], 2 / 3.0);
  EXPECT_EQ(dataset(file, "time_")[0], 3 / 3.0);
  EXPECT_EQ(dataset(file, "._")[0], 4 / 3.0);
  EXPECT_EQ(number_attribute(file, "rtol"), 1e-8);
  EXPECT_EQ(number_attribute(file, "steps"), 42);
  EXPECT_EQ(text_attribute(file, "output"), "all steps");
  EXPECT_EQ(text_attribute(file, "method"), "radau");
  EXPECT_EQ(text_attribute(file, "status"), "success");
  H5Fclose(file);
  std::filesystem::remove(name);
}

}  // namespace
}  // namespace daedalus
