// The completion script, asked the way bash asks it.
#include <gmock/gmock.h>

#include <gtest/gtest.h>

#include "program.h"

namespace {

using program::Folder;
using program::lines;
using program::shell;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;
using testing::UnorderedElementsAre;

/// What bash offers for the last of the words, in the given folder.
std::vector<std::string> offered(const std::string& words, const std::string& folder = "/") {
  // `complete -p` names the function that bash would call.
  const std::string script = "cd " + folder + R"( && source <()" + DAEDALUS_PROGRAM +
                             R"( completion bash)
    ask=$(complete -p daedalus | sed "s/.*-F \([^ ]*\) .*/\1/")
    COMP_WORDS=(daedalus )" + words +
                             R"()
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
    $ask daedalus "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
    printf "%s\n" "${COMPREPLY[@]}")";
  const auto outcome = shell("bash --norc -c '" + script + "'");
  EXPECT_EQ(outcome.status, 0);
  return lines(outcome.output);
}

TEST(Completion, OffersEverySubcommand) {
  const auto help = lines(program::run("--help").output);
  std::vector<std::string> commands;
  bool listed = false;
  for (const std::string& line : help) {
    if (line == "Subcommands:") listed = true;
    if (listed && line.starts_with("  ") && line[2] != ' ')
      commands.push_back(line.substr(2, line.find(' ', 2) - 2));
    if (line.empty()) listed = false;
  }
  ASSERT_GE(commands.size(), 5u);
  const auto words = offered("\"\"");
  for (const std::string& command : commands) EXPECT_THAT(words, Contains(command));
  EXPECT_THAT(offered("so"), ElementsAre("solve"));
}

TEST(Completion, OffersTheOptionsOfTheCommand) {
  EXPECT_THAT(offered("sweep --jo"), ElementsAre("--jobs"));
  EXPECT_THAT(offered("solve --re"), UnorderedElementsAre("--report", "--resume"));
  EXPECT_THAT(offered("methods --re"), ElementsAre(""));
  // Values of an option without a list: nothing.
  EXPECT_THAT(offered("solve --rtol \"\""), ElementsAre(""));
}

TEST(Completion, OffersNamesOfMethodsAndTables) {
  EXPECT_THAT(offered("solve --method radau_iia"), Contains("radau_iia_5"));
  EXPECT_THAT(offered("sweep x.mo --method au"), ElementsAre("auto"));
  EXPECT_THAT(offered("reproduce amp"), ElementsAre("amplifier"));
  EXPECT_THAT(offered("completion \"\""), ElementsAre("bash"));
}

TEST(Completion, OffersModelsAndFoldersWhereAModelIsWanted) {
  const Folder folder;
  folder.write("my model.mo", ""), folder.write("notes.txt", ""), folder.write("sets.csv", "");
  std::filesystem::create_directory(folder.file("more"));
  EXPECT_THAT(offered("solve \"\"", folder.path()), UnorderedElementsAre("my model.mo", "more"));
  EXPECT_THAT(offered("analyze my", folder.path()), ElementsAre("my model.mo"));
  EXPECT_THAT(offered("sweep x.mo --sets \"\"", folder.path()),
              UnorderedElementsAre("sets.csv", "more"));
  EXPECT_THAT(offered("solve x.mo --checkpoint n", folder.path()), ElementsAre("notes.txt"));
}

TEST(Completion, KnowsNoOtherShell) {
  EXPECT_EQ(program::run("completion fish 2>/dev/null").status, 2);
}

}  // namespace
