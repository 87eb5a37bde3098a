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
  add_methods(app, methods);
  add_reproduce(app, reproduce);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? done : wrong_input;
  }
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
