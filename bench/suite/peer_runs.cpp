#include "bench/suite/peer_runs.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "daedalus/error.h"

namespace daedalus::bench {
namespace {

struct ChildOutput {
  std::string text;
  int status = 0;  ///< as waitpid tells it
};

ChildOutput run_child(const std::vector<std::string>& command) {
  std::array<int, 2> ends = {};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw InvalidInput("bench: no pipe for a child process");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  // What a code says when it fails is not for the reader of the table.
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int failure =
      posix_spawn(&child, command[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ChildOutput result;
  std::array<char, 65536> buffer;
  for (ssize_t count; failure == 0 && (count = read(ends[0], buffer.data(), buffer.size())) > 0;)
    result.text.append(buffer.data(), static_cast<std::size_t>(count));
  close(ends[0]);
  if (failure != 0) throw InvalidInput(fmt::format("bench: cannot start {}", command[0]));
  waitpid(child, &result.status, 0);
  return result;
}

Row row_of(const nlohmann::json& line, const reproduce::TestProblem& problem) {
  Row row;
  row.method = line.at("method");
  row.status = line.at("succeeded") ? "success" : "failed";
  row.message = line.at("message");
  row.cpu_us = line.at("cpu_us");
  row.steps = line.at("steps"), row.rejected = line.at("rejected"), row.rhs = line.at("rhs");
  row.jacobians = line.at("jacobians"), row.factorizations = line.at("factorizations");
  row.solves = line.at("solves");
  if (!row.succeeded()) return row;
  const auto value = [&](int i) {
    const auto& entry = line.at("values").at(static_cast<std::size_t>(i));
    return entry.is_null() ? unknown : entry.get<double>();  // JSON has no NaN
  };
  row.digits = significant_digits(problem, problem.differential, value);
  row.digits_algebraic = significant_digits(problem, problem.algebraic, value);
  return row;
}

}  // namespace

std::string peer_program() {
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const auto peer = self.parent_path() / "daedalus-peer";
  return !ignored && std::filesystem::exists(peer, ignored) ? peer.string() : "";
}

const std::vector<std::string>& peer_names() {
  static const std::vector<std::string> names = {"ida", "radau5", "daspk"};
  return names;
}

std::vector<Row> run_peer(const std::string& program, const std::string& suite,
                          const reproduce::TestProblem& problem, const std::string& name,
                          const std::string& solver, double rtol, const Repeats& repeats) {
  if (!problem.first_order) return {};
  const ChildOutput output =
      run_child({program, suite, name, solver, fmt::format("{}", rtol),
                 fmt::format("{}", repeats.seconds), fmt::format("{}", repeats.time_limit)});
  std::vector<Row> rows;
  std::vector<std::string> variants;
  for (std::size_t begin = 0; begin < output.text.size();) {
    const std::size_t end = std::min(output.text.find('\n', begin), output.text.size());
    const auto line = nlohmann::json::parse(output.text.substr(begin, end - begin), nullptr, false);
    // A code that failed may have printed on its own.
    if (!line.is_discarded() && line.contains("variants")) line.at("variants").get_to(variants);
    if (!line.is_discarded() && line.contains("method")) rows.push_back(row_of(line, problem));
    begin = end + 1;
  }
  if (WIFSIGNALED(output.status)) {
    Row lost;
    const int signal = WTERMSIG(output.status);
    lost.method = rows.size() < variants.size() ? variants[rows.size()] : "start";
    lost.status = signal == SIGXCPU || signal == SIGKILL ? "time_limit" : "crashed";
    lost.message = fmt::format("ended by signal {}", signal);
    rows.push_back(lost);
  }
  return rows;
}

}  // namespace daedalus::bench
