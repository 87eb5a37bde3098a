#include "expression/compiler.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <signal.h>
#include <spawn.h>
#include <sstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;

namespace daedalus {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_cached = 500;

// Nothing that changes a bit: no contraction to fused operations, no reassociation. What the
// code calls is handed to it, so no library is linked. -O2 takes half as long again as -O1 and
// gains nothing but vectorised loops, which the source asks for.
constexpr const char* flags[] = {
    "-O1", "-std=c11",          "-fPIC",           "-shared",           "-nostdlib",
    "-w",  "-ffp-contract=off", "-fno-math-errno", "-fno-trapping-math"};

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string executable(const std::string& name) {
  const auto usable = [](const std::string& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return usable(name) ? name : "";
  std::istringstream folders(environment("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const std::string path = fmt::format("{}/{}", folder, name);
        !folder.empty() && usable(path))
      return path;
  return "";
}

/// The environment with TMPDIR set to the folder.
std::vector<std::string> environment_with(const std::string& folder) {
  std::vector<std::string> all;
  for (char** entry = environ; entry && *entry; ++entry)
    if (std::string_view(*entry).substr(0, 7) != "TMPDIR=") all.emplace_back(*entry);
  all.push_back(fmt::format("TMPDIR={}", folder));
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& s : strings) result.push_back(s.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

std::string Compiler::wanted() {
  const std::string chosen = environment("DAEDALUS_CC");
  return chosen.empty() ? "cc" : chosen;
}

std::optional<Compiler> Compiler::find() {
  Compiler compiler;
  std::istringstream words(wanted());
  for (std::string word; words >> word;) compiler.command.push_back(word);
  if (compiler.command.empty()) return std::nullopt;
  compiler.command[0] = executable(compiler.command[0]);
  if (compiler.command[0].empty()) return std::nullopt;
  compiler.command.insert(compiler.command.end(), std::begin(flags), std::end(flags));
  // Asking for the version would start a process each time.
  struct stat facts = {};
  if (stat(compiler.command[0].c_str(), &facts) != 0) return std::nullopt;
  std::error_code error;
  compiler.identity = fmt::format("{} {} {}", fs::canonical(compiler.command[0], error).string(),
                                  facts.st_size, facts.st_mtime);
  for (const std::string& word : compiler.command) compiler.identity += fmt::format(" {}", word);
  return compiler;
}

bool CompilerProcess::run(const Compiler& compiler, const std::string& source,
                          const std::string& library, const std::string& folder, bool gently) {
  std::vector<std::string> words = compiler.command, variables = environment_with(folder);
  for (const char* word : {"-o", library.c_str(), source.c_str()}) words.emplace_back(word);
  const std::vector<char*> arguments = pointers(words), values = pointers(variables);
  pid_t child = 0;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return false;
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    // A group of its own: `stop` reaches the compiler's own children, Ctrl-C does not.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    const int failure =
        posix_spawn(&child, words[0].c_str(), &files, &attributes, arguments.data(), values.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (failure != 0) return false;
    if (gently) setpriority(PRIO_PROCESS, static_cast<id_t>(child), 10);
    child_ = child;
  }
  // Not reaped yet, so that `stop` cannot hit another process that got the same number.
  siginfo_t info = {};
  while (waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
  }
  const std::lock_guard lock(mutex_);
  int status = 0;
  child_ = 0;
  const bool reaped = waitpid(child, &status, 0) == child;
  std::error_code error;
  // A host that ignores SIGCHLD takes the status away; the file tells then.
  return (reaped ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : !stopped_) &&
         fs::exists(library, error);
}

void CompilerProcess::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (child_ > 0) kill(-child_, SIGKILL);
}

TemporaryFolder::TemporaryFolder(const std::string& parent) {
  if (parent.empty()) return;
  std::string name = fmt::format("{}/tmp-XXXXXX", parent);
  if (mkdtemp(name.data())) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

std::string code_cache_folder() {
  std::string parent = environment("XDG_CACHE_HOME");
  if (parent.empty() || parent[0] != '/') {
    const std::string home = environment("HOME");
    if (home.empty() || home[0] != '/') return "";
    parent = fmt::format("{}/.cache", home);
  }
  const std::string folder = fmt::format("{}/daedalus", parent);
  std::error_code error;
  fs::create_directories(parent, error);
  mkdir(folder.c_str(), 0700);
  // Code from there is run: nobody else may put any into it.
  struct stat facts = {};
  if (stat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)) return "";
  if (facts.st_uid != geteuid() || (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "";
  return folder;
}

std::string content_hash(const std::string& text) {
  // Two independent multiplicative hashes over words.
  std::uint64_t a = 0x243F6A8885A308D3ull, b = 0x13198A2E03707344ull;
  for (const char character : text) {
    const auto byte = static_cast<std::uint64_t>(static_cast<unsigned char>(character));
    a = (a ^ byte) * 0x100000001B3ull;
    b = (b + byte) * 0x9E3779B97F4A7C15ull;
    b ^= b >> 32;
  }
  return fmt::format("{:016x}{:016x}", a, b);
}

void prune_code_cache(const std::string& folder) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".so")
      files.emplace_back(entry.last_write_time(error), entry.path());
  if (files.size() <= most_cached) return;
  std::sort(files.begin(), files.end());
  for (std::size_t k = 0; k + most_cached < files.size(); ++k) fs::remove(files[k].second, error);
}

}  // namespace daedalus
