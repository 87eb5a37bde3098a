// daedalus bench: work-precision runs on the shipped problems, other codes beside it.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <unistd.h>

#include <fmt/format.h>

#include "bench/suite/bench_run.h"
#include "bench/suite/peer_runs.h"
#include "bench/suite/tables.h"
#include "commands.h"
#include "daedalus/error.h"
#include "io/atomic_file.h"

namespace daedalus::command {
namespace {

int print_list() {
  for (const bench::Suite& suite : bench::suites()) {
    fmt::print("{:<10} {}\n", suite.name, suite.title);
    for (const bench::SuiteProblem& problem : suite.problems) fmt::print("  {}\n", problem.name);
    if (suite.name == "bvp")
      for (const auto& problem : reproduce::boundary_test_problems())
        fmt::print("  {}\n", problem.name);
  }
  return done;
}

std::vector<std::string> chosen_peers(const std::vector<std::string>& asked) {
  if (asked == std::vector<std::string>{"none"}) return {};
  for (const std::string& name : asked)
    if (std::find(bench::peer_names().begin(), bench::peer_names().end(), name) ==
        bench::peer_names().end())
      throw InvalidInput(
          fmt::format("--against: '{}' is not one of ida, radau5, daspk, none", name));
  if (bench::peer_program().empty()) {
    const char* why = "the program daedalus-peer is not beside this one; `./run bench` builds it";
    if (!asked.empty()) throw InvalidInput(fmt::format("--against: {}", why));
    fmt::print(stderr, "daedalus: no other codes: {}\n", why);
    return {};
  }
  return asked.empty() ? bench::peer_names() : asked;
}

std::vector<double> chosen_tolerances(std::vector<double> asked) {
  for (const double rtol : asked)
    if (!(rtol > 0 && rtol < 1))
      throw InvalidInput(fmt::format("--rtol {}: must be between 0 and 1", rtol));
  if (asked.empty()) asked = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11};
  std::sort(asked.begin(), asked.end(), std::greater<>());
  return asked;
}

/// One of each family, for the question whether auto chooses well.
const std::vector<std::string> representatives = {
    "auto", "radau", "radau_iia_5",      "rodas_4", "rodas_5p", "seulex",
    "bdf",  "mebdf", "dormand_prince_5", "dop853",  "phem_56",  "extrapolated_midpoint"};

std::vector<std::string> chosen_methods(const std::vector<std::string>& wanted) {
  if (wanted.empty()) return {"auto"};
  if (wanted.size() == 1 && wanted[0] == "each") return representatives;
  return wanted;
}

const std::vector<std::string> kinds = {".csv", ".json", ".html", ".svg"};

void check_output(const std::string& path) {
  const std::string kind = std::filesystem::path(path).extension();
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end())
    throw InvalidInput(
        fmt::format("--output {}: the name must end in .csv, .json, .html or .svg", path));
}

void write_output(const std::string& path, const std::vector<bench::Row>& rows,
                  const bench::Circumstances& how) {
  const std::string kind = std::filesystem::path(path).extension();
  AtomicFile file(path);
  if (kind == ".csv") file.stream() << bench::csv_table(rows);
  if (kind == ".json") file.stream() << bench::json_table(rows, how);
  if (kind == ".html") file.stream() << bench::html_page(rows, how);
  if (kind == ".svg") {
    std::vector<reproduce::Plot> all;
    for (const std::string& suite : bench::suites_in(rows))
      for (reproduce::Plot& plot : bench::plots(rows, suite)) all.push_back(std::move(plot));
    file.stream() << reproduce::svg(all);
  }
  file.commit();
  fmt::print(stderr, "wrote {}\n", path);
}

std::vector<bench::Row> measured(const BenchCommand& command, bench::Circumstances& how) {
  bench::BenchOptions options;
  options.suites = command.suites;
  options.problems = command.problems;
  options.methods = chosen_methods(command.methods);
  options.against = chosen_peers(command.against);
  options.tolerances = chosen_tolerances(command.rtol);
  options.passes = std::max(command.passes, 1);
  options.text = !command.no_text;
  options.floors = command.floor;
  options.repeats.seconds = command.seconds;
  options.repeats.time_limit = command.time_limit;
  const bool shows_progress = !command.quiet && isatty(STDERR_FILENO);
  if (shows_progress)
    options.progress = [](const std::string& now) { fmt::print(stderr, "\r\033[K{}", now); };
  how = bench::circumstances();
  how.command = command.line;
  how.passes = options.passes;
  std::vector<bench::Row> rows = bench::run_bench(options);
  if (shows_progress) fmt::print(stderr, "\r\033[K");
  return rows;
}

std::vector<bench::Row> remembered(const std::vector<std::string>& files,
                                   bench::Circumstances& how) {
  std::vector<bench::Row> rows;
  for (const std::string& path : files) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) throw InvalidInput(fmt::format("--from: cannot read {}", path));
    bench::read_json_table(text.str(), rows, how);
  }
  return rows;
}

}  // namespace

int run_bench(const BenchCommand& command) {
  if (command.list) return print_list();
  for (const std::string& path : command.output) check_output(path);
  bench::Circumstances how;
  const std::vector<bench::Row> rows =
      command.from.empty() ? measured(command, how) : remembered(command.from, how);
  for (const std::string& path : command.output) write_output(path, rows, how);
  if (!command.docs.empty())
    for (const std::string& path : bench::write_docs(rows, how, command.docs))
      fmt::print(stderr, "wrote {}\n", path);
  fmt::print("{}", command.csv ? bench::csv_table(rows) : bench::text_summary(rows));
  return done;
}

}  // namespace daedalus::command
