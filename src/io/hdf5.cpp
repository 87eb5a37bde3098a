// The only file that sees the HDF5 library. The file is built in memory and then written like any
// other, so that a full disk is met in one place: the library itself would retry at exit.
#include "io/hdf5.h"

#ifdef DAEDALUS_HAS_HDF5
#include <charconv>
#include <hdf5.h>
#include <mutex>
#include <set>

#include "daedalus/version.h"
#endif

namespace daedalus {

#ifndef DAEDALUS_HAS_HDF5

void write_hdf5(const Solution&, const Settings&, std::ostream&) {
  throw OutputError(
      "cannot write HDF5 files: Daedalus was built without; write .csv or .json instead");
}

#else
namespace {

class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw OutputError("HDF5: the library could not build the file in memory");
  }
  ~Handle() { close_(id_); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void check(herr_t code) {
  if (code < 0) throw OutputError("HDF5: the library could not build the file in memory");
}

/// The library prints its errors unless told not to; as we found it afterwards.
class Silence {
 public:
  Silence() {
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Silence() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

void add_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  if (name.empty() || H5Aexists(object, name.c_str()) > 0) return;
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  check(H5Awrite(attribute, type, value));
}

/// Of variable length: readers give back a string, not padded bytes.
void add_text(hid_t object, const std::string& name, const std::string& value) {
  const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, H5T_VARIABLE));
  check(H5Tset_cset(type, H5T_CSET_UTF8));
  const char* text = value.c_str();
  add_attribute(object, name, type, &text);
}

void add_number(hid_t object, const std::string& name, double value) {
  add_attribute(object, name, H5T_NATIVE_DOUBLE, &value);
}

void add_count(hid_t object, const std::string& name, std::int64_t value) {
  add_attribute(object, name, H5T_NATIVE_INT64, &value);
}

void add_setting(hid_t object, const std::string& name, const std::string& value) {
  double number = 0;
  const char* end = value.data() + value.size();
  const auto read = std::from_chars(value.data(), end, number);
  if (read.ec == std::errc() && read.ptr == end)
    add_number(object, name, number);
  else
    add_text(object, name, value);
}

void add_dataset(hid_t file, const std::string& link, const std::string& name,
                 const std::vector<double>& values) {
  const hsize_t size = values.size();
  const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
  const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_char_encoding(links, H5T_CSET_UTF8));
  const Handle dataset(
      H5Dcreate2(file, link.c_str(), H5T_NATIVE_DOUBLE, space, links, H5P_DEFAULT, H5P_DEFAULT),
      H5Dclose);
  if (size > 0)
    check(H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()));
  add_text(dataset, "name", name);
}

/// Links are paths: a slash becomes a division slash, and no two are the same.
std::string link_name(const std::string& name, std::set<std::string>& used) {
  std::string link = name.empty() || name == "." ? name + "_" : name;
  for (std::size_t at = 0; (at = link.find('/', at)) != std::string::npos;)
    link.replace(at, 1, "\u2215");
  while (!used.insert(link).second) link += "_";
  return link;
}

void add_outcome(hid_t file, const Solution& solution) {
  add_text(file, "daedalus", std::string(version()));
  add_text(file, "status", name_of(solution.status));
  add_text(file, "reason", name_of(solution.reason));
  add_text(file, "message", solution.message.text());
  add_text(file, "method", solution.method);
  add_text(file, "formulation", solution.formulation);
  const Statistics& count = solution.statistics;
  add_count(file, "steps", count.steps);
  add_count(file, "rejected", count.rejected);
  add_count(file, "rhs", count.rhs);
  add_count(file, "jacobians", count.jacobians);
  add_count(file, "factorizations", count.factorizations);
  add_count(file, "solves", count.solves);
  add_count(file, "newton", count.newton);
  add_number(file, "cpu_seconds", count.cpu_seconds);
  add_number(file, "wall_seconds", count.wall_seconds);
  for (const ConstraintResidual& level : solution.constraint_residual)
    add_number(file, "constraint_residual_" + level.level, level.maximum);
}

}  // namespace

void write_hdf5(const Solution& solution, const Settings& settings, std::ostream& stream) {
  static std::mutex one_at_a_time;  // the library is not safe for threads
  const std::lock_guard lock(one_at_a_time);
  const Silence silence;

  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_fapl_core(access, 1 << 22, false));
  check(H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18));
  const Handle creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  const Handle file(H5Fcreate("daedalus.h5", H5F_ACC_TRUNC, creation, access), H5Fclose);

  add_outcome(file, solution);
  for (const auto& [name, value] : settings) add_setting(file, name, value);
  std::set<std::string> used = {"time"};
  add_dataset(file, "time", "time", solution.t);
  std::vector<double> column(solution.t.size());
  const auto width = solution.variables.size();
  for (std::size_t k = 0; k < width; ++k) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = solution.values[i * width + k];
    add_dataset(file, link_name(solution.variables[k], used), solution.variables[k], column);
  }

  check(H5Fflush(file, H5F_SCOPE_GLOBAL));
  // The memory of this driver is the file: no second copy.
  void* image = nullptr;
  check(H5Fget_vfd_handle(file, H5P_DEFAULT, &image));
  // Not the size of that memory, which grows in large pieces.
  const ssize_t size = H5Fget_file_image(file, nullptr, 0);
  if (size < 0) check(-1);
  stream.write(*static_cast<char**>(image), size);
}

#endif

}  // namespace daedalus
