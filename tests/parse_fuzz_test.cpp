// Any bytes give a tree or a ModelError. Texts of tests/data/models are mutated at random, with a
// fixed seed: the same texts in every run. DAEDALUS_FUZZ_COUNT=1000000 makes the test longer.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "model/diagnostic.h"
#include "model/parse.h"
#include "model/print.h"
#include "syntax_dump.h"

namespace daedalus::model {
namespace {

std::vector<std::string> corpus() {
  std::vector<std::filesystem::path> paths;
  for (const auto& file : std::filesystem::directory_iterator(DAEDALUS_TEST_DATA_DIR "/models")) {
    paths.push_back(file.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path);
    std::stringstream content;
    content << file.rdbuf();
    texts.push_back(content.str());
  }
  return texts;
}

class Mutator {
 public:
  explicit Mutator(std::vector<std::string> texts) : texts_(std::move(texts)) {}

  std::string next() {
    std::string text = any_text();
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes; ++i) change(text);
    return text;
  }

 private:
  // Not std::uniform_int_distribution: its numbers differ between standard libraries.
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  const std::string& any_text() { return texts_[below(texts_.size())]; }

  void change(std::string& text) {
    static const char* const words[] = {"end",
                                        "if",
                                        "then",
                                        "else",
                                        "elseif",
                                        "for",
                                        "loop",
                                        "when",
                                        "in",
                                        "der(",
                                        "equation",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        "{",
                                        "}",
                                        ";",
                                        ",",
                                        ":",
                                        ":=",
                                        "=",
                                        "==",
                                        "\"",
                                        "'",
                                        "/*",
                                        "*/",
                                        "//",
                                        ".",
                                        ".*",
                                        "^",
                                        "-",
                                        "1e",
                                        "1e999",
                                        "\\",
                                        "\n",
                                        "\t",
                                        "time",
                                        "not",
                                        "or",
                                        "constraint",
                                        "function ",
                                        "annotation(",
                                        "initial ",
                                        "algorithm",
                                        "model ",
                                        "experiment(",
                                        "end if;",
                                        "reinit(x, 1);",
                                        "x[1](0)"};
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min(text.size() - at, 1 + below(20));
    switch (below(7)) {
      case 0:
        text.insert(at, words[below(std::size(words))]);
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        if (at < text.size()) text[at] = static_cast<char>(below(256));
        break;
      case 3:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 4:
        text = text.substr(0, at);
        break;
      case 5: {
        const std::string& other = any_text();
        text = text.substr(0, at) + other.substr(below(other.size()));
        break;
      }
      default:
        text.replace(at, length, words[below(std::size(words))]);
    }
  }

  std::vector<std::string> texts_;
  std::mt19937 random_{20261115};
};

int wanted_count() {
  const char* count = std::getenv("DAEDALUS_FUZZ_COUNT");
  return count ? std::atoi(count) : 6000;
}

// The printed equations of a tree must be the same equations.
void expect_same_when_printed(const Ast& ast, const std::string& text) {
  for (const Equation& equation : ast.model.equations) {
    const std::string printed = "model M equation " + to_text(equation) + "; end M;";
    try {
      const Ast again = parse_model(printed, "again.mo");
      ASSERT_EQ(dump(again.model.equations.at(0)), dump(equation)) << text;
    } catch (const ModelError& error) {
      FAIL() << error.text() << "\nfrom\n" << text;
    }
  }
}

void expect_useful(const ModelError& error, const std::string& text) {
  const Diagnostic& diagnostic = error.diagnostics().front();
  const auto lines = 1 + std::count(text.begin(), text.end(), '\n');
  EXPECT_FALSE(diagnostic.message.empty()) << text;
  EXPECT_LE(diagnostic.at.offset + diagnostic.at.length, text.size()) << text;
  EXPECT_GE(diagnostic.at.line, 1) << text;
  EXPECT_LE(diagnostic.at.line, lines) << text;
  EXPECT_GE(diagnostic.at.column, 1) << text;
  EXPECT_LT(error.text().size(), 2000u) << text;
}

TEST(ParseFuzz, AnyTextGivesATreeOrAnError) {
  Mutator mutator(corpus());
  int accepted = 0;
  const int count = wanted_count();
  for (int i = 0; i < count && !::testing::Test::HasFatalFailure(); ++i) {
    const std::string text = mutator.next();
    try {
      const Ast ast = parse_model(text, "fuzz.mo");
      ++accepted;
      expect_same_when_printed(ast, text);
    } catch (const ModelError& error) {
      expect_useful(error, text);
    }
  }
  // Mutants that are all wrong, or all right, would test only half of the parser.
  EXPECT_GT(accepted, count / 100);
  EXPECT_LT(accepted, count / 2);
}

TEST(ParseFuzz, RandomBytesGiveAnError) {
  std::mt19937 random{7};
  for (int i = 0; i < 500; ++i) {
    std::string text(random() % 200, ' ');
    for (char& byte : text) byte = static_cast<char>(random() % 256);
    EXPECT_THROW(parse_model(text, "fuzz.mo"), ModelError);
  }
}

}  // namespace
}  // namespace daedalus::model
