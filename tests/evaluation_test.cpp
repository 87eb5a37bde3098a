// Interpreter and generated code give the same bits; the compiler is never in the way.
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "daedalus/model.h"
#include "expression/code_generation.h"
#include "expression/equation_set.h"
#include "io/embedded.h"

namespace daedalus {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

/// An environment variable for the duration of a test.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Setting() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A folder of this test alone.
struct Folder {
  fs::path path;
  explicit Folder(const char* name) : path(fs::temp_directory_path() / name) {
    fs::remove_all(path), fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  std::string script(const std::string& text) const {
    const fs::path file = path / "compiler";
    std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
    fs::permissions(file, fs::perms::owner_all);
    return file.string();
  }
  std::size_t libraries() const {
    std::size_t count = 0;
    if (fs::exists(path / "daedalus"))
      for (const auto& entry : fs::directory_iterator(path / "daedalus"))
        count += entry.path().extension() == ".so";
    return count;
  }
};

/// The sign and payload of a NaN are nobody's business.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (std::memcmp(&a[i], &b[i], sizeof(double)) != 0 && !(std::isnan(a[i]) && std::isnan(b[i])))
      return false;
  return true;
}

bool is_compiled(const Program& program) {
  return !program.content() || program.content()->code().load() != nullptr;
}

/// All sets that a run may evaluate, each with its Jacobian.
struct Sets {
  std::vector<EquationSet> equations;
  std::vector<EquationJacobian> jacobians;

  Sets(const EquationSet& set, int derivatives) {
    equations.push_back(set.restricted(all_rows(set)));
    for (int k = 0; k < derivatives; ++k) equations.push_back(equations.back().differentiated());
    for (const EquationSet& each : equations)
      jacobians.emplace_back(each, std::vector<int>{0, 1, 2, 3});
  }
  static std::vector<int> all_rows(const EquationSet& set) {
    std::vector<int> rows;
    for (int i = 0; i < set.rows(); ++i) rows.push_back(i);
    return rows;
  }
  ProgramList programs() const {
    ProgramList list;
    for (const EquationSet& set : equations) list.push_back(set.program().content());
    for (const EquationJacobian& jacobian : jacobians) list.push_back(jacobian.program().content());
    return list;
  }
  std::vector<double> values(const Point& point) const {
    std::vector<double> all, part;
    for (const EquationSet& set : equations) {
      part.assign(static_cast<std::size_t>(set.rows()), 0.0);
      set.residual(point, part.data());
      all.insert(all.end(), part.begin(), part.end());
    }
    for (const EquationJacobian& jacobian : jacobians) {
      part.assign(jacobian.entries().size(), 0.0);
      jacobian.evaluate(point, part.data());
      all.insert(all.end(), part.begin(), part.end());
    }
    return all;
  }
};

void expect_same_bits(const Sets& sets, int variables, int discrete, const std::string& what) {
  constexpr int orders = 5, points = 4;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> inputs, interpreted, compiled;
  const auto run = [&](std::vector<std::vector<double>>& results) {
    for (const std::vector<double>& numbers : inputs) {
      std::vector<const double*> x;
      for (int k = 0; k < orders; ++k) x.push_back(numbers.data() + k * variables);
      results.push_back(
          sets.values({numbers.back(), x.data(), numbers.data() + orders * variables}));
    }
  };
  for (int p = 0; p < points; ++p) {
    inputs.emplace_back(static_cast<std::size_t>(orders * variables + discrete + 1));
    for (double& x : inputs.back()) x = p == 0 ? std::abs(normal(random)) : normal(random);
  }
  run(interpreted);
  const CodeGeneration code(sets.programs(), Evaluation::compiled);
  ASSERT_EQ(code.note(), "") << what;
  run(compiled);
  for (std::size_t p = 0; p < inputs.size(); ++p)
    EXPECT_TRUE(same_bits(interpreted[p], compiled[p])) << what << ", point " << p;
}

TEST(Evaluation, GivesTheSameBitsForEveryOperation) {
  // One instance of each shape: straight code. Many: loops, with numbers that differ.
  for (const int instances : {1, 50}) {
    EquationBuilder builder;
    const int variables = 3 * instances;
    for (int op = static_cast<int>(Op::neg); op <= static_cast<int>(Op::select); ++op)
      for (int i = 0; i < instances; ++i) {
        builder.begin();
        Graph& g = builder.graph();
        const NodeId a = builder.variable(3 * i), b = builder.variable(3 * i + 1, 1),
                     c = builder.variable(3 * i + 2);
        const int count = operands_of(static_cast<Op>(op));
        const NodeId value = g.make(static_cast<Op>(op), a, count > 1 ? b : -1, count > 2 ? c : -1);
        builder.add(g.add(g.mul(g.constant(0.3 + i), value), builder.time()));
      }
    const EquationSet set = builder.take();
    const Sets sets(set, 2);
    expect_same_bits(sets, variables, 1, "all operations");
    EXPECT_TRUE(is_compiled(sets.equations[0].program()));
  }
}

TEST(Evaluation, TreatsSpecialNumbersAlike) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  EquationBuilder builder;
  for (int op = static_cast<int>(Op::neg); op < static_cast<int>(Op::select); ++op) {
    builder.begin();
    builder.add(
        builder.graph().make(static_cast<Op>(op), builder.variable(0),
                             operands_of(static_cast<Op>(op)) > 1 ? builder.variable(1) : -1));
  }
  const EquationSet set = builder.take();
  const double numbers[] = {0.0, -0.0, 1.0, -1.0, 2.5, -1e300, 1e-310, inf, -inf, NAN};
  const auto values = [&] {
    std::vector<double> all, r(static_cast<std::size_t>(set.rows()));
    for (const double a : numbers)
      for (const double b : numbers) {
        const double y[] = {a, b};
        const double* x[] = {y};
        set.residual({0, x, nullptr}, r.data());
        all.insert(all.end(), r.begin(), r.end());
      }
    return all;
  };
  const std::vector<double> interpreted = values();
  const CodeGeneration code({set.program().content()}, Evaluation::compiled);
  ASSERT_TRUE(is_compiled(set.program()));
  EXPECT_TRUE(same_bits(interpreted, values()));
}

TEST(Evaluation, GivesTheSameBitsForTheEquationsOfEveryShippedModel) {
  int models = 0;
  for (const std::string_view name : embedded_names()) {
    if (!name.starts_with("models/") || !name.ends_with(".mo")) continue;
    // Its sums over all pairs are as much work for the compiler as the others together.
    if (name == "models/fekete.mo") continue;
    const Model model = Model::from_text(std::string(embedded(name)), std::string(name));
    if (model.is_boundary_value_problem()) continue;
    const auto& form = std::get<ExpressionGraph>(model.problem().form);
    expect_same_bits(Sets(*form.equations, 2), form.size, static_cast<int>(form.discrete->size()),
                     std::string(name));
    ++models;
  }
  EXPECT_GE(models, 30);
}

/// Explicit steps on constraints have machine code of their own: `radau` evaluates the equations.
Solution run(const char* name, Evaluation evaluation, const char* method = "auto") {
  const Model model =
      Model::from_text(std::string(embedded(std::string("models/") + name + ".mo")), name);
  Options options = model.scaled(model.options());
  options.evaluation = evaluation;
  options.method = method;
  return solve(model.problem(), options);
}

TEST(Evaluation, MakesRunsThatDoNotDependOnIt) {
  for (const char* name : {"pendulum", "transamp", "caraxis", "ring_modulator", "heat2d_10"}) {
    const Solution interpreted = run(name, Evaluation::interpreted);
    const Solution compiled = run(name, Evaluation::compiled);
    const Solution automatic = run(name, Evaluation::automatic);
    EXPECT_TRUE(interpreted.succeeded());
    EXPECT_TRUE(same_bits(interpreted.values, compiled.values)) << name;
    EXPECT_TRUE(same_bits(interpreted.values, automatic.values)) << name;
    EXPECT_TRUE(same_bits(interpreted.t, automatic.t)) << name;
    EXPECT_TRUE(compiled.notes.empty());
  }
}

TEST(Evaluation, CompilesOnceAndKeepsTheResult) {
  const Folder folder("daedalus_evaluation_cache");
  const Setting cache("XDG_CACHE_HOME", folder.path.string());
  const fs::path log = folder.path / "log";
  const Setting compiler("DAEDALUS_CC",
                         folder.script("echo >> " + log.string() + "; exec cc \"$@\""));
  const Solution first = run("pendulum", Evaluation::compiled, "radau");
  EXPECT_EQ(folder.libraries(), 1u);
  const Solution second = run("pendulum", Evaluation::compiled, "radau");
  EXPECT_TRUE(same_bits(first.values, second.values));
  EXPECT_EQ(fs::file_size(log), 1u);
  // A parameter that is no part of the formula does not change the code.
  const Model other = Model::from_text(std::string(embedded("models/pendulum.mo")), "pendulum.mo",
                                       {.parameters = {{"g", 9.7}}});
  Options options;
  options.evaluation = Evaluation::compiled, options.method = "radau";
  EXPECT_TRUE(solve(other.problem(), options).succeeded());
  EXPECT_EQ(fs::file_size(log), 1u);
}

TEST(Evaluation, GoesOnWithoutACacheFolder) {
  const Setting cache("XDG_CACHE_HOME", "/dev/null/nothing");
  const Solution solution = run("pendulum", Evaluation::compiled, "radau");
  EXPECT_TRUE(solution.succeeded());
  EXPECT_TRUE(solution.notes.empty());
}

TEST(Evaluation, SaysOnceThatThereIsNoCompiler) {
  const Folder folder("daedalus_evaluation_none");
  const Setting cache("XDG_CACHE_HOME", folder.path.string());
  const Setting compiler("DAEDALUS_CC", "no-such-compiler");
  const Solution solution = run("pendulum", Evaluation::compiled, "radau");
  EXPECT_TRUE(solution.succeeded());
  ASSERT_EQ(solution.notes.size(), 1u);
  EXPECT_THAT(solution.notes[0], HasSubstr("no-such-compiler"));
}

TEST(Evaluation, SurvivesACompilerThatFails) {
  const Folder folder("daedalus_evaluation_fails");
  const Setting cache("XDG_CACHE_HOME", folder.path.string());
  const Setting compiler("DAEDALUS_CC", "false");
  const Solution solution = run("pendulum", Evaluation::compiled, "radau");
  EXPECT_TRUE(solution.succeeded());
  ASSERT_EQ(solution.notes.size(), 1u);
  EXPECT_THAT(solution.notes[0], HasSubstr("failed"));
}

TEST(Evaluation, DoesNotWaitForTheCompilerAtTheEnd) {
  const Folder folder("daedalus_evaluation_slow");
  const Setting cache("XDG_CACHE_HOME", folder.path.string());
  const fs::path begun = folder.path / "begun";
  const Setting compiler("DAEDALUS_CC", folder.script("echo > " + begun.string() + "; sleep 60"));
  EquationBuilder builder;
  builder.begin();
  builder.add(builder.graph().mul(builder.variable(0), builder.time()));
  const EquationSet set = builder.take();
  const auto start = std::chrono::steady_clock::now();
  {
    const CodeGeneration code({set.program().content()}, Evaluation::automatic);
    for (int k = 0; k < 500 && !fs::exists(begun); ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    EXPECT_TRUE(fs::exists(begun));
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  EXPECT_TRUE(fs::is_empty(folder.path / "daedalus")) << "temporary files are left";
}

TEST(Evaluation, IsInstalledInTheBackground) {
  const Folder folder("daedalus_evaluation_background");
  const Setting cache("XDG_CACHE_HOME", folder.path.string());
  EquationBuilder builder;
  builder.begin();
  builder.add(builder.graph().mul(builder.variable(0), builder.time()));
  const EquationSet set = builder.take();
  const CodeGeneration code({set.program().content()}, Evaluation::automatic);
  const double y[] = {3};
  const double* x[] = {y};
  double r = 0;
  for (int k = 0; k < 3000 && !is_compiled(set.program()); ++k) {
    set.residual({2, x, nullptr}, &r);
    EXPECT_EQ(r, 6);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_TRUE(is_compiled(set.program()));
  set.residual({2, x, nullptr}, &r);
  EXPECT_EQ(r, 6);
}

TEST(Evaluation, LeavesHugeExpressionsToTheInterpreter) {
  EquationBuilder builder;
  builder.begin();
  Graph& g = builder.graph();
  NodeId sum = builder.variable(0);
  for (int k = 1; k < 20'000; ++k)
    sum = g.add(g.make(Op::sin, sum), g.mul(builder.variable(k), g.constant(k)));
  builder.add(sum);
  const EquationSet set = builder.take();
  const CSource source = c_source_of({set.program().content()});
  EXPECT_EQ(source.functions, 0);
  EXPECT_EQ(source.units[0][0], -1);
}

}  // namespace
}  // namespace daedalus
