#include "analysis/elimination.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "expression/rebuild.h"

namespace daedalus {
namespace {

constexpr int few_unknowns = 64;    // their matrix is dense
constexpr double most_growth = 20;  // of the operations of all equations
constexpr double some_operations = 1e4;

int occurrences(const Kernel& kernel, int instance, int variable) {
  int count = 0;
  for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
    count += kernel.leaves[l].kind == Leaf::Kind::variable && kernel.which[l][instance] == variable;
  return count;
}

double operations_of(const Kernel& kernel) {
  double count = 0;
  for (const NodeId id : needed(kernel.graph, kernel.residual))
    count += operands_of(kernel.graph[id].op) > 0;
  return count;
}

struct Candidate {
  Replacement replacement;
  bool alias = false;
  bool bare = false;
};

class Chooser {
 public:
  Chooser(const EquationSet& equations, const EliminationRules& rules)
      : rules_(rules),
        stays_(rules.stays),
        stated_(rules.stated),
        differential_(stays_.size(), 0),
        gone_(stays_.size(), 0) {
    elimination_.equations = equations;
    for (const Kernel& kernel : elimination_.equations.kernels())
      for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
        if (kernel.leaves[l].kind == Leaf::Kind::variable && kernel.leaves[l].order > 0)
          for (const int v : kernel.which[l]) differential_[v] = 1;
    for (const Kernel& kernel : elimination_.equations.kernels()) find_candidates(kernel);
  }

  Elimination take() {
    if (!candidates_.empty() && rules_.only_if_affine) {
      const std::vector<char> bent = rules_.only_if_affine();
      std::erase_if(candidates_, [&](const Candidate& c) {
        return bent[c.replacement.row] && !is_affine(*c.replacement.kernel);
      });
    }
    if (candidates_.empty()) return std::move(elimination_);
    find_incidence();
    // Definitions as they are written come before sums that could be solved for one of their
    // terms; of an alias the variable goes that has less to say.
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [this](const Candidate& x, const Candidate& y) { return rank(x) < rank(y); });
    std::vector<char> defined(stays_.size(), 0);
    int most = 0;
    for (const Candidate& c : candidates_)
      if (!std::exchange(defined[c.replacement.variable], 1)) ++most;
    fill_is_free_ = rules_.fill_is_free || static_cast<int>(stays_.size()) - most <= few_unknowns;
    follow_causality();
    // What is left may have become cheaper by what went.
    for (bool moved = true; moved;) {
      moved = false;
      for (const Candidate& candidate : candidates_) moved = eliminate(candidate) || moved;
    }
    put_in_order();
    return std::move(elimination_);
  }

 private:
  void find_candidates(const Kernel& kernel) {
    auto leaves = std::make_unique<std::vector<ExplicitLeaf>>(explicit_leaves(kernel));
    if (leaves->empty()) return;
    const bool alias = is_alias(kernel);
    bool used = false;
    for (const ExplicitLeaf& leaf : *leaves)
      for (int i = 0; i < kernel.instances(); ++i) {
        const int v = kernel.which[leaf.leaf][i];
        // The derivative of an alias is that of the other one; in general it would be a new one.
        if (stays_[v] || (differential_[v] && (!alias || stated_[v]))) continue;
        if (occurrences(kernel, i, v) > 1) continue;
        candidates_.push_back({{v, kernel.rows[i], &kernel, i, &leaf}, alias, leaf.bare});
        used = true;
      }
    if (used) elimination_.leaves.push_back(std::move(leaves));
  }

  void find_incidence() {
    const std::size_t rows = elimination_.equations.rows();
    holds_.resize(rows), solvable_.resize(rows), operations_.assign(rows, 0.0);
    rows_with_.resize(stays_.size());
    for (const Kernel& kernel : elimination_.equations.kernels()) {
      const double count = operations_of(kernel);
      for (int i = 0; i < kernel.instances(); ++i) {
        std::vector<int>& row = holds_[kernel.rows[i]];
        for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
          if (kernel.leaves[l].kind == Leaf::Kind::variable) row.push_back(kernel.which[l][i]);
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        for (const int v : row) rows_with_[v].push_back(kernel.rows[i]);
        total_ += operations_[kernel.rows[i]] = count;
      }
    }
    allowed_ = most_growth * total_ + some_operations;
    for (const Candidate& c : candidates_)
      solvable_[c.replacement.row].push_back(c.replacement.variable);
  }

  /// From what is integrated or held to what is computed from it, and so on: of an alias the
  /// variable goes that is known by the other one.
  void follow_causality() {
    std::vector<char> known = differential_;
    for (std::size_t v = 0; v < known.size(); ++v) known[v] = known[v] || stays_[v];
    std::vector<std::vector<int>> of_row(holds_.size());
    for (std::size_t c = 0; c < candidates_.size(); ++c)
      of_row[candidates_[c].replacement.row].push_back(static_cast<int>(c));
    const std::vector<std::vector<int>> given = holds_, users = rows_with_;
    std::vector<int> open(holds_.size(), 0), queue;
    // Equations with derivatives give those.
    for (const Kernel& kernel : elimination_.equations.kernels())
      for (const Leaf& leaf : kernel.leaves)
        if (leaf.kind == Leaf::Kind::variable && leaf.order > 0)
          for (const int row : kernel.rows) open[row] = static_cast<int>(known.size());
    for (std::size_t row = 0; row < open.size(); ++row) {
      for (const int v : given[row]) open[row] += !known[v];
      if (open[row] == 1) queue.push_back(static_cast<int>(row));
    }
    for (std::size_t q = 0; q < queue.size(); ++q) {
      const int row = queue[q];
      const auto last =
          std::find_if(given[row].begin(), given[row].end(), [&](int v) { return !known[v]; });
      if (last == given[row].end()) continue;
      const int v = *last;
      for (const int c : of_row[row])
        if (candidates_[c].replacement.variable == v && eliminate(candidates_[c])) break;
      known[v] = 1;
      for (const int user : users[v])
        if (--open[user] == 1) queue.push_back(user);
    }
  }

  int rank(const Candidate& c) const {
    const int v = c.replacement.variable;
    return 4 * !c.bare + 2 * (differential_[v] != 0) + (stated_[v] != 0);
  }

  bool eliminate(const Candidate& candidate) {
    const auto& [v, row, kernel, instance, leaf] = candidate.replacement;
    const auto& solvable = solvable_[row];
    if (gone_[v] || std::find(solvable.begin(), solvable.end(), v) == solvable.end()) return false;
    std::vector<int> others = holds_[row];
    std::erase(others, v);
    // A start that was given tells where to look for what has to be found.
    if (stated_[v] &&
        !std::all_of(others.begin(), others.end(), [this](int w) { return differential_[w] != 0; }))
      return false;
    std::vector<int> users;
    for (const int r : rows_with_[v])
      if (r != row && std::binary_search(holds_[r].begin(), holds_[r].end(), v)) users.push_back(r);
    std::sort(users.begin(), users.end());
    users.erase(std::unique(users.begin(), users.end()), users.end());
    // `v = expression` without the difference of its sides.
    const double each = std::max(0.0, operations_[row] - 1);
    const double more = each * static_cast<double>(users.size());
    if (total_ + more > allowed_) return false;
    std::vector<std::vector<int>> filled(users.size());
    std::ptrdiff_t growth = -std::ssize(others) - 1;
    for (std::size_t k = 0; k < users.size(); ++k) {
      const std::vector<int>& old = holds_[users[k]];
      std::set_union(old.begin(), old.end(), others.begin(), others.end(),
                     std::back_inserter(filled[k]));
      std::erase(filled[k], v);
      growth += std::ssize(filled[k]) - std::ssize(old);
      if (!fill_is_free_ && growth > std::ssize(users)) return false;
    }
    if (!fill_is_free_ && growth > 0) return false;
    for (std::size_t k = 0; k < users.size(); ++k) {
      const int user = users[k];
      // A variable that comes back into the equation that gave it is not explicit any more.
      std::erase_if(solvable_[user], [&](int w) {
        return w == v || std::binary_search(others.begin(), others.end(), w);
      });
      for (const int w : others)
        if (!std::binary_search(holds_[user].begin(), holds_[user].end(), w))
          rows_with_[w].push_back(user);
      holds_[user] = std::move(filled[k]);
      operations_[user] += each;
    }
    total_ += more;
    gone_[v] = 1;
    solvable_[row].clear(), holds_[row].clear();
    elimination_.replacements.push_back(candidate.replacement);
    return true;
  }

  /// By levels: a variable is replaced before those that need it.
  void put_in_order() {
    std::vector<Replacement>& list = elimination_.replacements;
    std::vector<int> place(stays_.size(), -1), level(list.size(), -1), stack;
    for (std::size_t k = 0; k < list.size(); ++k) place[list[k].variable] = static_cast<int>(k);
    for (std::size_t k = 0; k < list.size(); ++k) {
      stack.assign(1, static_cast<int>(k));
      while (!stack.empty()) {
        const int at = stack.back();
        const Kernel& kernel = *list[at].kernel;
        int highest = -1;
        bool ready = level[at] < 0;
        for (std::size_t l = 0; l < kernel.leaves.size() && level[at] < 0; ++l) {
          if (kernel.leaves[l].kind != Leaf::Kind::variable ||
              static_cast<int>(l) == list[at].value->leaf)
            continue;
          const int other = place[kernel.which[l][list[at].instance]];
          if (other < 0) continue;
          if (level[other] < 0) stack.push_back(other), ready = false;
          highest = std::max(highest, level[other]);
        }
        if (ready) level[at] = highest + 1;
        if (level[at] >= 0) stack.pop_back();
      }
    }
    std::vector<int> order(list.size());
    for (std::size_t k = 0; k < order.size(); ++k) order[k] = static_cast<int>(k);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return level[a] < level[b]; });
    std::vector<Replacement> sorted;
    for (const int k : order) sorted.push_back(list[k]), elimination_.level.push_back(level[k]);
    list = std::move(sorted);
  }

  const EliminationRules& rules_;
  const std::vector<char>&stays_, &stated_;
  std::vector<char> differential_, gone_;
  Elimination elimination_;
  std::vector<Candidate> candidates_;
  std::vector<std::vector<int>> holds_;      ///< by row: variables, as if all were replaced
  std::vector<std::vector<int>> solvable_;   ///< by row: variables that it still gives
  std::vector<std::vector<int>> rows_with_;  ///< by variable; may hold rows that lost it
  std::vector<double> operations_;           ///< by row, shared ones counted each time
  double total_ = 0, allowed_ = 0;
  bool fill_is_free_ = false;
};

}  // namespace

Elimination choose_eliminated(const EquationSet& equations, const EliminationRules& rules) {
  return Chooser(equations, rules).take();
}

std::pair<std::vector<int>, std::vector<int>> remaining(const Elimination& elimination) {
  const int size = elimination.equations.rows();
  std::vector<char> row_goes(static_cast<std::size_t>(size), 0), variable_goes = row_goes;
  for (const Replacement& r : elimination.replacements)
    row_goes[r.row] = 1, variable_goes[r.variable] = 1;
  std::pair<std::vector<int>, std::vector<int>> result;
  for (int k = 0; k < size; ++k) {
    if (!row_goes[k]) result.first.push_back(k);
    if (!variable_goes[k]) result.second.push_back(k);
  }
  return result;
}

}  // namespace daedalus
