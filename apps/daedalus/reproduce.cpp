// daedalus reproduce: runs entries of the registry.
#include <algorithm>
#include <iostream>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "commands.h"
#include "daedalus/error.h"
#include "method/nearest.h"
#include "reproduce/reproduction.h"

namespace daedalus::command {
namespace {

using reproduce::Reproduction;
using reproduce::reproductions;

const Reproduction& find_reproduction(const std::string& name) {
  for (const Reproduction& entry : reproductions()) {
    if (entry.name == name) return entry;
  }
  std::vector<std::string> names;
  for (const Reproduction& entry : reproductions()) names.push_back(entry.name);
  throw InvalidInput(fmt::format("reproduce: '{}' is not known; did you mean {}?", name,
                                 fmt::join(nearest_names(name, names), ", ")));
}

std::vector<const Reproduction*> chosen(const std::vector<std::string>& names) {
  std::vector<const Reproduction*> entries;
  for (const std::string& name : names) entries.push_back(&find_reproduction(name));
  if (names.empty()) {
    for (const Reproduction& entry : reproductions()) entries.push_back(&entry);
  }
  return entries;
}

int print_list() {
  for (const Reproduction& entry : reproductions()) {
    fmt::print("{:<20} {}\n", entry.name, entry.title);
  }
  return done;
}

int print_summary(const std::vector<const Reproduction*>& entries) {
  fmt::print("name,entries,agree,known_misprints\n");
  for (const Reproduction* entry : entries) {
    std::ostringstream discarded;
    const reproduce::ReproduceSummary summary = entry->run({}, discarded);
    fmt::print("{},{},{},{}\n", entry->name, summary.entries, summary.agree,
               summary.known_misprints);
    std::fflush(stdout);
  }
  return done;
}

}  // namespace

int run_reproduce(const ReproduceCommand& command) {
  if (command.list) return print_list();
  const std::vector<const Reproduction*> entries = chosen(command.names);
  if (!command.output.empty() && entries.size() != 1) {
    throw InvalidInput("--output: one figure needs one name, for example `reproduce amplifier`");
  }
  if (!command.output.empty() && !entries[0]->has_figure) {
    throw InvalidInput(
        fmt::format("--output: {} has no figure; --csv prints its rows", entries[0]->name));
  }
  if (command.summary) return print_summary(entries);
  for (const Reproduction* entry : entries) {
    if (!command.csv)
      fmt::print("{}{}: {}\n\n", entry == entries[0] ? "" : "\n", entry->name, entry->title);
    std::fflush(stdout);
    entry->run({.csv = command.csv, .output_path = command.output}, std::cout);
    std::cout.flush();
    if (!command.output.empty()) fmt::print(stderr, "wrote {}\n", command.output);
  }
  return done;
}

}  // namespace daedalus::command
