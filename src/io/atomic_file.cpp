#include "io/atomic_file.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <streambuf>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "daedalus/output.h"

namespace daedalus {

/// Unlike std::filebuf it keeps the reason of a failed write, and its file can be synchronised.
class AtomicFile::Descriptor : public std::streambuf {
 public:
  Descriptor(int number, bool owned) : number_(number), owned_(owned) {
    setp(buffer_.data(), buffer_.data() + buffer_.size());
  }
  ~Descriptor() override { close(); }

  int number() const { return number_; }
  int code() const { return code_; }  ///< errno of the first failure

  bool flush() {
    const char* next = pbase();
    while (next != pptr() && code_ == 0) {
      const ssize_t written = ::write(number_, next, static_cast<std::size_t>(pptr() - next));
      if (written >= 0)
        next += written;
      else if (errno != EINTR)
        code_ = errno;
    }
    setp(buffer_.data(), buffer_.data() + buffer_.size());
    return code_ == 0;
  }
  /// Some file systems report a full disk only here.
  bool close() {
    const int number = std::exchange(number_, -1);
    if (number >= 0 && owned_ && ::close(number) != 0 && code_ == 0) code_ = errno;
    return code_ == 0;
  }

 protected:
  int_type overflow(int_type next) override {
    if (!flush()) return traits_type::eof();
    if (!traits_type::eq_int_type(next, traits_type::eof())) {
      *pptr() = traits_type::to_char_type(next);
      pbump(1);
    }
    return traits_type::not_eof(next);
  }
  int sync() override { return flush() ? 0 : -1; }

 private:
  int number_;
  bool owned_;
  int code_ = 0;
  std::array<char, 1 << 16> buffer_;
};

namespace {

const char* advice(int code) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or write to another disk; the results are not lost";
    case EACCES:
    case EPERM:
    case EROFS:
      return "choose a folder in which you may write";
    case ENOENT:
    case ENOTDIR:
      return "create the folder first, or choose another one";
    case EISDIR:
      return "give the name of a file in it";
    default:
      return "try another file or folder";
  }
}

}  // namespace

void AtomicFile::fail(const char* action, int code) const {
  throw OutputError(fmt::format("cannot {} '{}': {}; {}", action,
                                path_ == "-" ? "standard output" : path_, std::strerror(code),
                                advice(code)));
}

AtomicFile::AtomicFile(const std::string& path) : path_(path), target_(path) {
  if (path == "-") {
    std::fflush(stdout);
    descriptor_ = std::make_unique<Descriptor>(STDOUT_FILENO, false);
  } else {
    std::error_code ignored;
    const auto real = std::filesystem::canonical(path, ignored);
    if (!ignored) target_ = real.string();
    struct stat status {};
    const bool exists = ::stat(target_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) fail("write", EISDIR);
    if (exists && ::access(target_.c_str(), W_OK) != 0) fail("write", errno);
    if (exists && !S_ISREG(status.st_mode)) {
      const int number = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
      if (number < 0) fail("open", errno);
      descriptor_ = std::make_unique<Descriptor>(number, true);
    } else {
      open_temporary();
      // Best effort: a new version keeps the permissions of the old one.
      if (exists && ::fchmod(descriptor_->number(), status.st_mode & 07777) != 0) errno = 0;
    }
  }
  stream_ = std::make_unique<std::ostream>(descriptor_.get());
}

void AtomicFile::open_temporary() {
  static std::atomic<unsigned> count{0};
  const auto folder = std::filesystem::path(target_).parent_path();
  for (int attempt = 0;; ++attempt) {
    const auto name = fmt::format(".daedalus-{}-{}.tmp", ::getpid(), count++);
    const std::string candidate = (folder / name).string();
    const int number = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (number >= 0) {
      temporary_ = candidate;
      descriptor_ = std::make_unique<Descriptor>(number, true);
      return;
    }
    if (errno != EEXIST || attempt == 100) fail("write", errno);
  }
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

std::ostream& AtomicFile::stream() {
  return *stream_;
}

void AtomicFile::commit() {
  if (!descriptor_->flush()) fail("write", descriptor_->code());
  if (temporary_.empty()) {
    if (!descriptor_->close()) fail("write", descriptor_->code());
    return;
  }
  if (::fsync(descriptor_->number()) != 0) fail("write", errno);
  if (!descriptor_->close()) fail("write", descriptor_->code());
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail("write", errno);
  temporary_.clear();
  // The name itself is on the disk only when the folder is. A failure here loses nothing now.
  const auto folder = std::filesystem::path(target_).parent_path();
  const int number = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
  if (number >= 0) {
    ::fsync(number);
    ::close(number);
  }
}

}  // namespace daedalus
