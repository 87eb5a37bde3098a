// The sessions that the guide shows: lines that begin with `$` are run, what follows is what they
// print. Numbers may differ in their last digits, everything else may not.
#include <algorithm>
#include <cmath>
#include <regex>

#include <gtest/gtest.h>

#include "program.h"

namespace {

using program::Folder;
using program::lines;

struct Session {
  std::string page, command;
  std::vector<std::string> output;
};

std::vector<Session> sessions() {
  std::vector<Session> list;
  const std::filesystem::path guide = std::string(DAEDALUS_SOURCE_DIR) + "/docs/guide";
  for (const auto& entry : std::filesystem::directory_iterator(guide)) {
    bool inside = false, shown = false;
    for (const std::string& line : lines(program::text_of(entry.path()))) {
      if (line.starts_with("```"))
        inside = !inside, shown = false;
      else if (inside && line.starts_with("$ "))
        list.push_back({entry.path().filename().string(), line.substr(2), {}}), shown = true;
      else if (inside && shown)
        list.back().output.push_back(line);
    }
  }
  return list;
}

/// The text with every number taken out.
std::vector<double> take_numbers(std::string& line) {
  static const std::regex number(R"([-+]?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?)");
  std::vector<double> values;
  for (std::sregex_iterator at(line.begin(), line.end(), number), end; at != end; ++at)
    values.push_back(std::stod(at->str()));
  line = std::regex_replace(line, number, "#");
  return values;
}

void expect_same(std::string shown, std::string printed, const std::string& command) {
  const std::string whole = printed;
  const std::vector<double> a = take_numbers(shown), b = take_numbers(printed);
  EXPECT_EQ(shown, printed) << command;
  ASSERT_EQ(a.size(), b.size()) << command << "\n" << whole;
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_NEAR(a[k], b[k], 1e-6 * std::abs(a[k]) + 1e-8) << command << "\n" << whole;
}

TEST(Guide, ShowsWhatTheProgramPrints) {
  const std::vector<Session> list = sessions();
  ASSERT_GE(list.size(), 5u);
  for (const Session& session : list) {
    const Folder folder;
    std::filesystem::create_directory_symlink(DAEDALUS_MODELS_DIR, folder.file("models"));
    std::filesystem::create_symlink(DAEDALUS_PROGRAM, folder.file("daedalus"));
    const auto outcome = program::shell("cd " + folder.path() + " && export PATH=.:$PATH && { " +
                                        session.command + "; } 2>&1");
    const auto printed = lines(outcome.output);
    ASSERT_EQ(printed.size(), session.output.size())
        << session.page << ": " << session.command << "\n"
        << outcome.output;
    for (std::size_t k = 0; k < printed.size(); ++k)
      expect_same(session.output[k], printed[k], session.page + ": " + session.command);
  }
}

}  // namespace
