// The command line: reads arguments, calls one subcommand, turns wrong input into exit status 2.
// Results go to standard output, everything else to standard error.
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "commands.h"
#include "completion.h"
#include "daedalus/error.h"
#include "daedalus/version.h"
#include "io/keep_memory.h"

namespace {

using namespace daedalus::command;

constexpr const char* main_examples = R"(Examples:
  daedalus                           solve the shipped pendulum
  daedalus solve models/pendulum.mo  solve a model
  daedalus analyze models/pendulum.mo
                                     its index, hidden constraints and consistent start
  daedalus sweep models/pendulum.mo -p g=1:0.5:10 --output sweep.csv
  daedalus methods                   every method with its orders for index 1, 2, 3
  daedalus reproduce --list          the published tables and figures
  daedalus reproduce amplifier --output amplifier.svg
  daedalus bench ivp                 time and digits beside other codes

Exit status: 0 done, 1 the computation failed, 2 the input was wrong.)";

constexpr const char* methods_examples = R"(Examples:
  daedalus methods                   the catalogue as a table
  daedalus methods --json            the same for programs
  daedalus methods --check           order conditions of every method, tree by tree
  daedalus methods --check my.json   and of a method of your own:
                                     {"A": [["1/4"], ["1/2", "1/4"]], "b": [0.5, 0.5], "c": ...})";

constexpr const char* reproduce_examples = R"(Examples:
  daedalus reproduce --list
  daedalus reproduce rk-orders                       orders of 23 methods, beside the theory
  daedalus reproduce rk-orders --csv > orders.csv
  daedalus reproduce van-der-pol --output vdp.svg    draws Figures 1.1 and 1.2
  daedalus reproduce --summary                       all of them, one CSV line each)";

constexpr const char* solve_examples = R"(Examples:
  daedalus solve models/pendulum.mo
  daedalus solve models/pendulum.mo --t1 100 -p L=2 --output pendulum.csv
  daedalus solve models/andrews.mo --rtol 1e-8 --points 301 --report andrews.html
  daedalus solve long.mo --checkpoint long.check --time-limit 3600
  daedalus solve long.mo --resume long.check --output long.h5)";

constexpr const char* sweep_examples = R"(Examples:
  daedalus sweep models/pendulum.mo -p g=1:0.5:10           end values for 19 values of g
  daedalus sweep models/pendulum.mo -p L=1,2,4 -p g=1:10    all pairs, g varies fastest
  daedalus sweep models/pendulum.mo --sets sets.csv --output sweep.csv
                                     sets.csv: parameter names, then a line for each run
  daedalus sweep models/pendulum.mo -p g=1:10 --points 101 --output curves.json --jobs 4

A run that fails keeps its row, which says why. Ctrl-C keeps the runs that are finished.)";

constexpr const char* analyze_examples = R"(Examples:
  daedalus analyze models/pendulum.mo           index, hidden constraints, consistent start
  daedalus analyze models/pendulum.mo --json    the same for programs
  daedalus analyze models/pendulum.mo -p L=2 --start x=1.5

Exit status: 0 the model can be solved as it stands, 1 it cannot, 2 the text is wrong.)";

constexpr const char* crosscheck_examples = R"(Examples:
  daedalus crosscheck models/caraxis.mo            as chosen, and in another way
  daedalus crosscheck models/robertson.mo --against rodas_5p --rtol 1e-8
  daedalus crosscheck models/pendulum.mo --method radau --against-formulation baumgarte

Exit status: 0 both agree, 1 they do not or one failed, 2 the input was wrong.)";

constexpr const char* bench_examples = R"(Examples:
  daedalus bench --list                              suites and their problems
  daedalus bench ivp --against radau5,ida            work and precision beside other codes
  daedalus bench mechanics --problem pendulum --rtol 1e-4,1e-6,1e-8 --csv
  daedalus bench --output bench.html --output bench.csv

Other codes run where they are installed: `./run bench` sees to that. Their failures are rows too.)";

constexpr const char* completion_examples = R"(Examples:
  source <(daedalus completion bash)                              for this shell
  daedalus completion bash > ~/.local/share/bash-completion/completions/daedalus
                                                                  for every new one)";

/// One value each time the option is given, so that what follows is not swallowed.
CLI::Option* one_at_a_time(CLI::Option* option) {
  return option->allow_extra_args(false);
}

/// Which problem.
void add_model_options(CLI::App& sub, RunOptions& run) {
  sub.add_option("model", run.model, "The model")->required()->option_text("MODEL.mo");
  sub.add_option("--t0", run.t0, "Start time (default: the model's)");
  sub.add_option("--t1", run.t1, "Stop time (default: the model's)");
  one_at_a_time(sub.add_option("--start", run.start, "Start value of a variable"))
      ->option_text("NAME=VALUE");
}

const std::vector<std::string> formulations = {"auto",
                                               "direct",
                                               "projected",
                                               "stabilized_index_2",
                                               "baumgarte",
                                               "index_1",
                                               "manifold",
                                               "projected_invariants",
                                               "projected_invariants_ii"};

/// How it is solved.
void add_run_options(CLI::App& sub, RunOptions& run) {
  add_model_options(sub, run);
  sub.add_option("--method", run.method, "Method (see `daedalus methods`); auto chooses")
      ->option_text("METHOD");
  sub.add_option("--rtol", run.rtol, "Relative tolerance (default: the model's, or 1e-6)");
  sub.add_option("--atol", run.atol, "Absolute tolerance (default: rtol), times `nominal`");
  sub.add_option("--points", run.points, "That many equidistant output times");
  one_at_a_time(sub.add_option("--at", run.at, "Output times: t1,t2,...")->delimiter(','));
  sub.add_option("--max-order", run.max_order,
                 "Highest order of a method whose order varies (default: all it has)");
  sub.add_option("--max-steps", run.max_steps, "Give up after so many steps");
  sub.add_option("--time-limit", run.time_limit, "Give up after so many seconds");
  sub.add_option("--fixed-step", run.fixed_step, "No error control, this step");
  sub.add_option("--max-step", run.max_step, "No longer steps than this");
  sub.add_option(
         "--formulation", run.formulation,
         "direct: the equations as they stand; projected: reduced to index 1, every step "
         "put onto all constraints; stabilized_index_2: all constraints kept by multipliers; "
         "baumgarte: violations damped; index_1: left to drift; manifold: every stage put onto all "
         "constraints, through singular points too; auto chooses. Boundary values take direct, "
         "projected, baumgarte, projected_invariants and projected_invariants_ii")
      ->check(CLI::IsMember(formulations))
      ->option_text("FORMULATION");
  sub.add_option("--baumgarte-rate", run.baumgarte_rate,
                 "At which violations decay (default: 100 over the interval)");
  sub.add_option("--branch", run.branch,
                 "Of a motion that begins at rest where branches of its constraints cross");
  sub.add_option("--evaluation", run.evaluation,
                 "auto compiles the equations in the background if the run is long")
      ->check(CLI::IsMember({"auto", "interpreted", "compiled"}))
      ->option_text("auto|interpreted|compiled");
  sub.add_option("--linear", run.linear,
                 "Linear systems by dense, banded or sparse factors, or by iterations (krylov, for "
                 "methods with one real matrix)")
      ->check(CLI::IsMember({"auto", "dense", "banded", "sparse", "krylov"}))
      ->option_text("auto|dense|banded|sparse|krylov");
  sub.add_flag("--progress", run.progress, "Show a bar");
  sub.add_flag("--quiet", run.quiet, "Only say what failed");
}

void add_solve(CLI::App& app, SolveCommand& c) {
  CLI::App* sub = app.add_subcommand("solve", "Solve a model file");
  add_run_options(*sub, c.run);
  one_at_a_time(sub->add_option("-p", c.parameters, "Parameter value"))->option_text("NAME=VALUE");
  one_at_a_time(
      sub->add_option("--from", c.from,
                      "Boundary values: begin with this value of a parameter and go on to "
                      "the model's in steps"))
      ->option_text("NAME=VALUE");
  sub->add_option("--stages", c.stages,
                  "Boundary values: collocation points in an element, up to 9 (default: chosen)")
      ->check(CLI::Range(0, 9));
  sub->add_option("--threads", c.threads,
                  "Boundary values: threads (default: 1); the solution does not depend on them")
      ->check(CLI::Range(1, 1024));
  sub->add_option("--output", c.run.output, "Write the solution; - is CSV on standard output")
      ->option_text("FILE.csv|.json|.h5|-");
  sub->add_option("--stats", c.stats, "Write counters and outcome")->option_text("FILE.json");
  sub->add_option("--report", c.report, "Write a report with plots")->option_text("FILE.html");
  sub->add_option("--checkpoint", c.checkpoint, "Save the state every 10 s, and at the end")
      ->option_text("FILE");
  sub->add_option("--resume", c.resume, "Go on from a checkpoint")->option_text("FILE");
  sub->footer(solve_examples);
}

void add_sweep(CLI::App& app, SweepCommand& c) {
  CLI::App* sub = app.add_subcommand("sweep", "Solve a model for many parameter sets");
  add_run_options(*sub, c.run);
  one_at_a_time(sub->add_option("-p", c.parameters,
                                "Values of a parameter: start:step:stop or a list a,b,c; several "
                                "parameters make a grid, the last varies fastest"))
      ->option_text("NAME=VALUES");
  sub->add_option("--sets", c.sets, "Parameter sets: names in the first line, a set in each other")
      ->option_text("FILE.csv");
  sub->add_option("--jobs", c.jobs, "Threads (default: one for each core)");
  sub->add_option("--output", c.run.output, "Write the table (default: CSV on standard output)")
      ->option_text("FILE.csv|.json|-");
  sub->footer(sweep_examples);
}

void add_analyze(CLI::App& app, AnalyzeCommand& c) {
  CLI::App* sub = app.add_subcommand("analyze", "Tell index, hidden constraints and the start");
  add_model_options(*sub, c.run);
  one_at_a_time(sub->add_option("-p", c.parameters, "Parameter value"))->option_text("NAME=VALUE");
  sub->add_flag("--json", c.json, "Print JSON");
  sub->footer(analyze_examples);
}

void add_crosscheck(CLI::App& app, CrosscheckCommand& c) {
  CLI::App* sub = app.add_subcommand("crosscheck", "Solve a model in two ways and compare");
  add_run_options(*sub, c.run);
  one_at_a_time(sub->add_option("-p", c.parameters, "Parameter value"))->option_text("NAME=VALUE");
  sub->add_option("--against", c.against, "Method of the second run (default: chosen)")
      ->option_text("METHOD");
  sub->add_option("--against-formulation", c.against_formulation, "Its formulation")
      ->check(CLI::IsMember(formulations))
      ->option_text("FORMULATION");
  sub->add_option("--limit", c.limit, "Tolerances by which they may differ (default: 1000)");
  sub->footer(crosscheck_examples);
}

void add_methods(CLI::App& app, MethodsCommand& command) {
  CLI::App* sub = app.add_subcommand("methods", "List every method with its orders");
  sub->add_flag("--json", command.json, "Print JSON");
  CLI::Option* check = sub->add_option(
      "--check", command.tableau, "Verify order conditions, of the catalogue or of a JSON tableau");
  check->expected(0, 1)->option_text("[FILE]");
  sub->footer(methods_examples);
  sub->final_callback([&command, check] { command.check = check->count() > 0; });
}

void add_reproduce(CLI::App& app, ReproduceCommand& command) {
  CLI::App* sub = app.add_subcommand("reproduce", "Recompute published tables and figures");
  sub->add_option("names", command.names, "What to recompute (default: everything)")
      ->option_text("NAME...");
  sub->add_flag("--list", command.list, "Print the names and stop");
  sub->add_flag("--csv", command.csv,
                "Print rows beside the printed values; figures: their curves");
  sub->add_flag("--summary", command.summary, "Print name,entries,agree,known_misprints");
  sub->add_option("--output", command.output, "Write the figure to this SVG file")
      ->option_text("FILE.svg");
  sub->footer(reproduce_examples);
}

void add_bench(CLI::App& app, BenchCommand& c) {
  CLI::App* sub = app.add_subcommand("bench", "Compare time and digits on the shipped problems");
  sub->add_option("suites,--suite", c.suites,
                  "ivp, mechanics, circuits, sparse, bvp (default: all)")
      ->option_text("SUITE...");
  one_at_a_time(sub->add_option("--problem", c.problems, "Only these")->delimiter(','))
      ->option_text("NAME,...");
  one_at_a_time(
      sub->add_option("--method", c.methods,
                      "Methods of Daedalus, or each: auto and one of each family (default: auto)")
          ->delimiter(','))
      ->option_text("METHOD,...");
  one_at_a_time(sub->add_option("--against", c.against,
                                "Other codes: ida, radau5, daspk, or none (default: all found)")
                    ->delimiter(','))
      ->option_text("CODE,...");
  one_at_a_time(
      sub->add_option("--rtol", c.rtol, "Tolerances (default: 1e-3 to 1e-11)")->delimiter(','))
      ->option_text("TOL,...");
  sub->add_option("--passes", c.passes,
                  "Times that everything is run: the shortest time, the median ratio");
  sub->add_option("--seconds", c.seconds, "CPU time for repeats of one run in one pass");
  sub->add_option("--time-limit", c.time_limit, "Give up a run after so many seconds");
  sub->add_flag("--no-text", c.no_text, "Leave out models as text where functions are known");
  sub->add_flag("--floor", c.floor,
                "Time the kernels of every run, not only where others are near");
  sub->add_flag("--list", c.list, "Print suites and problems and stop");
  sub->add_flag("--csv", c.csv, "Print a row for each run");
  one_at_a_time(sub->add_option("--output", c.output, "Write the run; may be given several times"))
      ->option_text("FILE.csv|.json|.html|.svg");
  one_at_a_time(sub->add_option("--from", c.from, "Tell an earlier run anew instead of a new one"))
      ->option_text("FILE.json");
  sub->add_option("--docs", c.docs, "Write benchmarks.md and its figures into this folder")
      ->option_text("FOLDER");
  sub->add_flag("--quiet", c.quiet, "No progress");
  sub->footer(bench_examples);
}

void add_completion(CLI::App& app, std::string& shell) {
  CLI::App* sub = app.add_subcommand("completion", "Print a script that completes commands");
  sub->add_option("shell", shell, "Which shell")
      ->required()
      ->check(CLI::IsMember({"bash"}))
      ->option_text("SHELL");
  sub->footer(completion_examples);
}

int run(int argc, char** argv) {
  CLI::App app{"Daedalus solves differential-algebraic equations."};
  app.name("daedalus");
  app.set_version_flag("--version", fmt::format("daedalus {}", daedalus::version()));
  app.footer(main_examples);
  app.require_subcommand(0, 1);
  MethodsCommand methods;
  ReproduceCommand reproduce;
  SolveCommand solve;
  SweepCommand sweep;
  AnalyzeCommand analyze;
  CrosscheckCommand crosscheck;
  BenchCommand bench;
  std::string shell;
  for (int i = 0; i < argc; ++i)
    solve.line += fmt::format("{}{}", i ? " " : "", i ? argv[i] : "daedalus");
  bench.line = solve.line;
  add_solve(app, solve);
  add_sweep(app, sweep);
  add_analyze(app, analyze);
  add_crosscheck(app, crosscheck);
  add_methods(app, methods);
  add_reproduce(app, reproduce);
  add_bench(app, bench);
  add_completion(app, shell);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? done : wrong_input;
  }
  if (app.got_subcommand("solve")) return run_solve(solve);
  if (app.got_subcommand("sweep")) return run_sweep(sweep);
  if (app.got_subcommand("analyze")) return run_analyze(analyze);
  if (app.got_subcommand("crosscheck")) return run_crosscheck(crosscheck);
  if (app.got_subcommand("methods")) return run_methods(methods);
  if (app.got_subcommand("reproduce")) return run_reproduce(reproduce);
  if (app.got_subcommand("bench")) return run_bench(bench);
  if (app.got_subcommand("completion")) {
    fmt::print("{}", bash_completion(app));
    return done;
  }
  return run_welcome();
}

}  // namespace

int main(int argc, char** argv) {
  daedalus::keep_freed_memory();
  // A limit on the size of files is an error of writing like any other, not the end.
  std::signal(SIGXFSZ, SIG_IGN);
  int status = failed;
  try {
    status = run(argc, argv);
  } catch (const daedalus::InvalidInput& error) {
    fmt::print(stderr, "daedalus: {}\n", error.what());
    return wrong_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "daedalus: {}\n", error.what());
    return failed;
  }
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return status;
  fmt::print(stderr, "daedalus: cannot write standard output: {}\n", std::strerror(errno));
  return failed;
}
