#pragma once
// A file that appears under its name only when it is complete: written to a temporary name in the
// same folder, synchronised, renamed. Devices and pipes are written directly.
#include <memory>
#include <ostream>
#include <string>

namespace daedalus {

class AtomicFile {
 public:
  /// "-" is standard output. Throws OutputError.
  explicit AtomicFile(const std::string& path);
  /// Removes the temporary file unless `commit` was reached.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  std::ostream& stream();
  /// Throws OutputError if anything written before was lost.
  void commit();

 private:
  class Descriptor;
  [[noreturn]] void fail(const char* action, int code) const;
  void open_temporary();

  std::string path_;       ///< as the user wrote it
  std::string target_;     ///< behind symbolic links
  std::string temporary_;  ///< empty where the target is written directly
  std::unique_ptr<Descriptor> descriptor_;
  std::unique_ptr<std::ostream> stream_;
};

}  // namespace daedalus
