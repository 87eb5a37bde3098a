#include "expression/code_generation.h"

#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <exception>
#include <filesystem>
#include <fstream>
#include <signal.h>

#include <fmt/format.h>

namespace daedalus {
namespace {

namespace fs = std::filesystem;

/// Runs shorter than this gain nothing from looking into the cache.
constexpr double seconds_before_lookup = 1e-3;
/// The compiler is started when the run has lasted as long as it is expected to take, so that
/// it never costs more than the run did.
constexpr double least_seconds_before_compiler = 0.05;
constexpr double compiler_seconds_per_operation = 2e-4;

/// A loaded library; unloaded when no program uses it any more.
struct Library {
  void* handle = nullptr;
  explicit Library(const std::string& path) : handle(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  ~Library() {
    if (handle) dlclose(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

}  // namespace

CodeGeneration::CodeGeneration(ProgramList programs, Evaluation evaluation)
    : programs_(std::move(programs)) {
  if (evaluation == Evaluation::interpreted) return;
  if (evaluation == Evaluation::compiled) {
    generate(true);
    return;
  }
  // Signals are for the threads of the host.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] {
      try {
        if (wait(seconds_before_lookup)) generate(false);
      } catch (const std::exception&) {
        // Out of memory or files: the interpreter goes on.
      }
    });
  } catch (const std::system_error&) {
    // No thread to be had: likewise.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

CodeGeneration::~CodeGeneration() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  stopping_.notify_all();
  process_.stop();
  if (thread_.joinable()) thread_.join();
}

std::string CodeGeneration::note() const {
  const std::lock_guard lock(mutex_);
  return note_;
}

void CodeGeneration::say(std::string note) {
  const std::lock_guard lock(mutex_);
  if (!stopped_) note_ = std::move(note);
}

/// False: there is nothing to wait for any more.
bool CodeGeneration::wait(double seconds) {
  std::unique_lock lock(mutex_);
  return !stopping_.wait_for(lock, std::chrono::duration<double>(seconds),
                             [this] { return stopped_; });
}

bool CodeGeneration::load(const std::string& path, const CSource& source) {
  const auto library = std::make_shared<const Library>(path);
  if (!library->handle) return false;
  std::vector<void*> functions;
  for (int k = 0; k < source.functions; ++k) {
    functions.push_back(dlsym(library->handle, fmt::format("u{}", k).c_str()));
    if (!functions.back()) return false;
  }
  for (std::size_t p = 0; p < programs_.size(); ++p) {
    ProgramCode code{&math_functions(), {}, {}};
    for (const int number : source.units[p])
      code.entry.push_back(number < 0 ? nullptr : functions[static_cast<std::size_t>(number)]);
    programs_[p]->install(code, library);
  }
  return true;
}

void CodeGeneration::generate(bool at_once) {
  const CSource source = c_source_of(programs_);
  if (source.functions == 0) return;
  const std::optional<Compiler> compiler = Compiler::find();
  const std::string cache = code_cache_folder();
  std::string cached;
  if (compiler && !cache.empty()) {
    cached = fmt::format("{}/{}.so", cache,
                         content_hash(fmt::format("{}\n{}", compiler->identity, source.text)));
    std::error_code error;
    if (fs::exists(cached, error) && load(cached, source)) {
      // Recently used ones are kept longest.
      fs::last_write_time(cached, fs::file_time_type::clock::now(), error);
      return;
    }
  }
  if (!at_once && !wait(std::max(least_seconds_before_compiler,
                                 compiler_seconds_per_operation * source.operations)))
    return;
  if (!compiler)
    return say(
        fmt::format("the equations are interpreted: no C compiler \"{}\" was found; install "
                    "one or set DAEDALUS_CC for a faster run",
                    Compiler::wanted()));
  std::error_code error;
  const TemporaryFolder beside(cache);
  const std::string anywhere = fs::temp_directory_path(error).string();
  const TemporaryFolder elsewhere(beside.path().empty() ? anywhere : "");
  const std::string folder = beside.path().empty() ? elsewhere.path() : beside.path();
  if (folder.empty()) return;
  const std::string text = fmt::format("{}/code.c", folder);
  std::string library = fmt::format("{}/code.so", folder);
  std::ofstream(text) << source.text;
  if (!process_.run(*compiler, text, library, folder, !at_once)) {
    if (wait(0))
      say(fmt::format("the equations are interpreted: the C compiler \"{}\" failed",
                      Compiler::wanted()));
    return;
  }
  if (!cached.empty() && !beside.path().empty()) {
    fs::rename(library, cached, error);
    if (!error) library = cached;
    prune_code_cache(cache);
  }
  load(library, source);
}

}  // namespace daedalus
