#pragma once
// The system's C compiler as a child process, and the folder where what it made is kept.
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace daedalus {

struct Compiler {
  std::vector<std::string> command;  ///< program with its whole path, arguments, flags
  std::string identity;  ///< changes with the program, its version (size and date) and the flags

  /// $DAEDALUS_CC, or `cc`, looked up in $PATH. Nothing if it cannot be executed.
  static std::optional<Compiler> find();
  /// What `find` looks for.
  static std::string wanted();
};

/// A compiler at work. `stop` may be called from another thread and also ends a later `run`.
class CompilerProcess {
 public:
  /// Waits for the end. True: it made `library` from `source`. `folder` is for its own files.
  bool run(const Compiler& compiler, const std::string& source, const std::string& library,
           const std::string& folder, bool gently);
  void stop();

 private:
  std::mutex mutex_;
  pid_t child_ = 0;
  bool stopped_ = false;
};

/// A folder that is removed with all its content.
class TemporaryFolder {
 public:
  /// Inside of `parent`; `path` is empty if that is impossible.
  explicit TemporaryFolder(const std::string& parent);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// $XDG_CACHE_HOME/daedalus or ~/.cache/daedalus, made if need be; empty if it is not to be had or
/// others could write into it.
std::string code_cache_folder();
/// 32 hexadecimal digits.
std::string content_hash(const std::string& text);
/// Keeps the most recently used files.
void prune_code_cache(const std::string& folder);

}  // namespace daedalus
