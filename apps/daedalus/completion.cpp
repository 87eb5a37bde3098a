#include "completion.h"

#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daedalus/method.h"
#include "reproduce/reproduction.h"

namespace daedalus::command {
namespace {

// $1: the words to choose from, or an ending of file names.
constexpr const char* head =
    R"(# Completion of daedalus for bash:  source <(daedalus completion bash)
_daedalus_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }
_daedalus_files() {
  mapfile -t COMPREPLY < <(compgen -f -X "!*$1" -- "$word"; compgen -d -- "$word")
  compopt -o filenames 2> /dev/null
}
_daedalus() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= i
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi
  done
  COMPREPLY=()
  case "$command $before" in
)";

constexpr const char* tail = R"(  esac
}
complete -F _daedalus daedalus
)";

/// How the value of an option is completed: what its help text calls it says what it is.
std::string action(const CLI::Option& option) {
  const std::string text = option.get_option_text();
  if (text == "METHOD") {
    std::vector<std::string> names = {"auto", "radau"};
    for (const auto* methods : {&runge_kutta_methods(), &explicit_runge_kutta_methods()})
      for (const Tableau& method : *methods) names.emplace_back(method.name);
    for (const OtherMethod& method : other_methods()) names.emplace_back(method.name);
    return fmt::format("_daedalus_words \"{}\"", fmt::join(names, " "));
  }
  if (text == "NAME...") {
    std::vector<std::string> names;
    for (const auto& entry : reproduce::reproductions()) names.push_back(entry.name);
    return fmt::format("_daedalus_words \"{}\"", fmt::join(names, " "));
  }
  if (text == "SHELL") return "_daedalus_words bash";
  const auto dot = text.find('.');
  const bool is_file = text.find("FILE") != std::string::npos || text == "MODEL.mo";
  if (!is_file) return "";
  const bool one_kind = dot != std::string::npos && text.find('|') == std::string::npos;
  return fmt::format("_daedalus_files {}", one_kind ? text.substr(dot) : "''");
}

std::vector<std::string> flags_of(const CLI::Option& option) {
  std::vector<std::string> flags;
  for (const std::string& name : option.get_snames()) flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) flags.push_back("--" + name);
  return flags;
}

/// Lines of the `case`: values of options first, then options and positional arguments.
std::string cases(const CLI::App& app, const std::string& command) {
  std::string text, otherwise = ":";
  std::vector<std::string> all;
  for (const CLI::Option* option : app.get_options()) {
    const std::vector<std::string> flags = flags_of(*option);
    all.insert(all.end(), flags.begin(), flags.end());
    const std::string complete = action(*option);
    if (option->get_positional()) {
      if (!complete.empty()) otherwise = complete;
      continue;
    }
    if (option->get_expected_max() == 0) continue;
    for (const std::string& flag : flags)
      text +=
          fmt::format("    \"{} {}\") {} ;;\n", command, flag, complete.empty() ? ":" : complete);
  }
  for (const CLI::App* sub : app.get_subcommands({})) all.push_back(sub->get_name());
  const std::string options = fmt::format("_daedalus_words \"{}\"", fmt::join(all, " "));
  if (command.empty()) return text + fmt::format("    \" \"*) {} ;;\n", options);
  return text + fmt::format("    \"{} \"*) if [[ $word == -* ]]; then {}; else {}; fi ;;\n",
                            command, options, otherwise);
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  std::string script = head;
  for (const CLI::App* sub : app.get_subcommands({})) script += cases(*sub, sub->get_name());
  return script + cases(app, "") + tail;
}

}  // namespace daedalus::command
