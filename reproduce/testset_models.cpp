// Problems that Daedalus is asked as text. For other codes the text is turned into M y' = f(t, y):
// auxiliary variables are replaced, and so are the relations that Daedalus watches as events, by
// what they say at (t, y).
#include <algorithm>
#include <numeric>

#include "analysis/signature.h"
#include "daedalus/model.h"
#include "expression/rebuild.h"
#include "formulation/lean_problem.h"
#include "io/embedded.h"
#include "problem/switching.h"
#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

/// Equations in which no discrete value occurs any more.
class Unwatched {
 public:
  Unwatched(const EquationSet& equations, const Switching& switching)
      : equations_(equations),
        crossings_(switching.crossings),
        relation_of_(switching.start.size(), -1),
        switching_(switching) {
    for (std::size_t k = 0; k < switching.relations.size(); ++k)
      relation_of_[static_cast<std::size_t>(switching.relations[k].mode)] = static_cast<int>(k);
  }

  EquationSet taken() {
    const Rows all(equations_);
    for (const auto& [kernel, instance] : all.list) {
      builder_.begin();
      builder_.add(copied(*kernel, instance));
    }
    return builder_.take();
  }

 private:
  struct Rows {
    std::vector<std::pair<const Kernel*, int>> list;
    explicit Rows(const EquationSet& set) : list(static_cast<std::size_t>(set.rows())) {
      for (const Kernel& kernel : set.kernels())
        for (int i = 0; i < kernel.instances(); ++i)
          list[static_cast<std::size_t>(kernel.rows[static_cast<std::size_t>(i)])] = {&kernel, i};
    }
  };

  NodeId copied(const Kernel& kernel, int instance) {
    return rebuilt(kernel.graph, kernel.residual, builder_.graph(), [&](int input) {
      const auto l = static_cast<std::size_t>(input);
      if (kernel.leaves[l].kind != Leaf::Kind::discrete)
        return builder_.leaf(kernel, input, instance);
      return said_by(relation_of_[static_cast<std::size_t>(
          kernel.which[l][static_cast<std::size_t>(instance)])]);
    });
  }
  NodeId said_by(int relation) {
    const auto& [kernel, instance] = crossings_.list[static_cast<std::size_t>(relation)];
    const NodeId x = copied(*kernel, instance);
    Graph& graph = builder_.graph();
    switch (switching_.relations[static_cast<std::size_t>(relation)].kind) {
      case Relation::Kind::positive:
        return graph.make(Op::less, graph.constant(0), x);
      case Relation::Kind::not_negative:
        return graph.make(Op::less_equal, graph.constant(0), x);
      case Relation::Kind::floor:
        return graph.make(Op::floor, x);
      case Relation::Kind::ceil:
        return graph.make(Op::ceil, x);
    }
    return x;
  }

  const EquationSet& equations_;
  const Rows crossings_;
  std::vector<int> relation_of_;  ///< by discrete value
  const Switching& switching_;
  EquationBuilder builder_;
};

template <class List>
List picked(const List& list, const std::vector<int>& which) {
  List result;
  for (const int k : which) result.push_back(list[static_cast<std::size_t>(k)]);
  return result;
}

std::vector<int> inverse(const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    place[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
  return place;
}

/// Rows such that entries of M come to lie on its diagonal where they can, and others where the
/// variable that they determine is: bands stay narrow.
std::vector<int> rows_beside_variables(const EquationSet& equations, const std::vector<int>& match,
                                       int n) {
  std::vector<int> row_at(static_cast<std::size_t>(n), -1);
  std::vector<char> is_placed(static_cast<std::size_t>(n), 0);
  const auto place = [&](int row, int at) {
    int& taken = row_at[static_cast<std::size_t>(at)];
    char& placed = is_placed[static_cast<std::size_t>(row)];
    if (taken < 0 && !placed) taken = row, placed = 1;
  };
  for (const Kernel& kernel : equations.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order > 0)
        for (std::size_t i = 0; i < kernel.rows.size(); ++i)
          place(kernel.rows[i], kernel.which[l][i]);
  for (int row = 0; row < n; ++row) place(row, match[static_cast<std::size_t>(row)]);
  for (int row = 0, at = 0; row < n; ++row) {
    while (at < n && row_at[static_cast<std::size_t>(at)] >= 0) ++at;
    if (at < n) place(row, at);
  }
  return row_at;
}

void find_band(Statement& statement, const EquationSet& equations, int n) {
  const Signature signature = signature_of(equations, n);
  int lower = 0, upper = 0;
  for (int i = 0; i < n; ++i)
    for (int e = signature.row_start[static_cast<std::size_t>(i)];
         e < signature.row_start[static_cast<std::size_t>(i) + 1]; ++e) {
      const int j = signature.entries[static_cast<std::size_t>(e)].variable;
      lower = std::max(lower, i - j), upper = std::max(upper, j - i);
    }
  constexpr int worth_it = 3;
  if (worth_it * (lower + upper) < n) statement.lower = lower, statement.upper = upper;
}

/// `names`: the variables that stay in any case.
Statement first_order(const Model& model, const Names& names, const Names& index_2) {
  Problem problem = model.problem();
  auto form = std::get<ExpressionGraph>(problem.form);
  if (form.switching)
    form.equations =
        std::make_shared<EquationSet>(Unwatched(*form.equations, *form.switching).taken());
  form.switching = nullptr, form.initial_equations = nullptr;
  const Integrator run(model.problem(), {.rtol = 1e-12});
  const Names all = form.variables;
  problem.form = std::move(form);
  problem.fixed = names;
  constexpr bool whatever_is_explicit = true;
  problem = lean_problem(problem, whatever_is_explicit).problem;
  form = std::get<ExpressionGraph>(problem.form);

  // By index, as RADAU5 wants them.
  const int n = form.size;
  const StructuralAnalysis structure = analyze_structure(signature_of(*form.equations, n));
  std::vector<int> index = structure.variable_index;
  for (std::size_t j = 0; j < index.size(); ++j)
    if (std::find(index_2.begin(), index_2.end(), form.variables[j]) != index_2.end()) index[j] = 2;
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return index[static_cast<std::size_t>(a)] < index[static_cast<std::size_t>(b)];
  });
  const std::vector<int> place = inverse(order);
  std::vector<int> match;
  for (const int j : structure.match) match.push_back(place[static_cast<std::size_t>(j)]);
  const EquationSet renamed = form.equations->renumbered(place);
  form.equations =
      std::make_shared<EquationSet>(renamed.restricted(rows_beside_variables(renamed, match, n)));
  form.variables = picked(form.variables, order);
  form.stated.clear(), form.equation_names.clear();

  Statement result = {.highest_index = *std::max_element(index.begin(), index.end())};
  find_band(result, *form.equations, n);
  constexpr int many = 100;
  result.is_sparse = n > many, result.per_point = 0;
  const auto place_of = [](const Names& list, const std::string& name) {
    return static_cast<int>(std::find(list.begin(), list.end(), name) - list.begin());
  };
  for (const std::string& name : names) result.place.push_back(place_of(form.variables, name));
  const Vector nominal = model.scaled(Options{.atol = {1.0}}).atol, start = run.y();
  Vector own_nominal(n), own_start(n);
  for (int j = 0; j < n; ++j) {
    const int at = place_of(all, form.variables[static_cast<std::size_t>(j)]);
    own_nominal[j] = nominal[at], own_start[j] = start[at];
  }
  result.nominal = own_nominal;
  result.problem = {.form = form,
                    .t_span = model.t_span(),
                    .start = own_start,
                    .variable_index = picked(index, order)};
  return result;
}

}  // namespace

TestProblem text_only(const std::string& name, const Names& index_2) {
  TestProblem result = shipped(name);
  const std::string file = "models/" + name + ".mo";
  const Model model = Model::from_text(std::string(embedded(file)), file);
  result.title = model.description();
  result.first_order = first_order(model, result.names, index_2);
  std::vector<double> nominal;
  for (const int at : result.first_order->place) nominal.push_back(result.first_order->nominal[at]);
  result.nominal = nominal;
  return result;
}

}  // namespace daedalus::reproduce
