// The command line: reads arguments, calls one subcommand, turns wrong input into exit status 2.
// Results go to standard output, everything else to standard error.
#include <cstdio>
#include <exception>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

#include "commands.h"
#include "daedalus/error.h"
#include "daedalus/version.h"

namespace {

using namespace daedalus::command;

constexpr const char* main_examples = R"(Examples:
  daedalus                           solve the shipped pendulum
  daedalus solve models/pendulum.mo  solve a model
  daedalus methods                   every method with its orders for index 1, 2, 3
  daedalus reproduce --list          the published tables and figures
  daedalus reproduce amplifier --output amplifier.svg

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

void add_solve(CLI::App& app, SolveCommand& c) {
  CLI::App* sub = app.add_subcommand("solve", "Solve a model file");
  sub->add_option("model", c.model, "The model")->required()->option_text("MODEL.mo");
  sub->add_option("--method", c.method, "Method (see `daedalus methods`); auto chooses");
  sub->add_option("--rtol", c.rtol, "Relative tolerance (default: the model's, or 1e-6)");
  sub->add_option("--atol", c.atol, "Absolute tolerance (default: rtol), times `nominal`");
  sub->add_option("--t0", c.t0, "Start time (default: the model's)");
  sub->add_option("--t1", c.t1, "Stop time (default: the model's)");
  sub->add_option("--points", c.points, "That many equidistant output times");
  sub->add_option("--at", c.at, "Output times: t1,t2,...")->delimiter(',');
  sub->add_option("-p", c.parameters, "Parameter value")->option_text("NAME=VALUE");
  sub->add_option("--start", c.start, "Start value of a variable")->option_text("NAME=VALUE");
  sub->add_option("--max-steps", c.max_steps, "Give up after so many steps");
  sub->add_option("--time-limit", c.time_limit, "Give up after so many seconds");
  sub->add_option("--fixed-step", c.fixed_step, "No error control, this step");
  sub->add_option("--evaluation", c.evaluation,
                  "auto compiles the equations in the background if the run is long")
      ->check(CLI::IsMember({"auto", "interpreted", "compiled"}))
      ->option_text("auto|interpreted|compiled");
  sub->add_option("--output", c.output, "Write the solution; - is CSV on standard output")
      ->option_text("FILE.csv|.json|.h5|-");
  sub->add_option("--stats", c.stats, "Write counters and outcome")->option_text("FILE.json");
  sub->add_option("--report", c.report, "Write a report with plots")->option_text("FILE.html");
  sub->add_option("--checkpoint", c.checkpoint, "Save the state every 10 s, and at the end");
  sub->add_option("--resume", c.resume, "Go on from a checkpoint");
  sub->add_flag("--progress", c.progress, "Show a bar");
  sub->add_flag("--quiet", c.quiet, "Say nothing");
  sub->footer(solve_examples);
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

int run(int argc, char** argv) {
  CLI::App app{"Daedalus solves differential-algebraic equations."};
  app.name("daedalus");
  app.set_version_flag("--version", fmt::format("daedalus {}", daedalus::version()));
  app.footer(main_examples);
  app.require_subcommand(0, 1);
  MethodsCommand methods;
  ReproduceCommand reproduce;
  SolveCommand solve;
  for (int i = 0; i < argc; ++i)
    solve.line += fmt::format("{}{}", i ? " " : "", i ? argv[i] : "daedalus");
  add_solve(app, solve);
  add_methods(app, methods);
  add_reproduce(app, reproduce);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? done : wrong_input;
  }
  if (app.got_subcommand("solve")) return run_solve(solve);
  if (app.got_subcommand("methods")) return run_methods(methods);
  if (app.got_subcommand("reproduce")) return run_reproduce(reproduce);
  return run_welcome();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const daedalus::InvalidInput& error) {
    fmt::print(stderr, "daedalus: {}\n", error.what());
    return wrong_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "daedalus: {}\n", error.what());
    return failed;
  }
}
