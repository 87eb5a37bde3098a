#include "analysis/signature.h"

#include <algorithm>

#include "analysis/assignment.h"

namespace daedalus {
namespace {

constexpr int none = -1;

/// Smallest offsets: raise d to cover all rows, then c to meet the transversal, until nothing
/// moves.
void find_offsets(const Signature& s, StructuralAnalysis& a) {
  a.equation_offset.assign(s.size, 0), a.variable_offset.assign(s.size, 0);
  std::vector<int> own(s.size, 0);
  for (int i = 0; i < s.size; ++i)
    for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k)
      if (s.entries[k].variable == a.match[i]) own[i] = std::max(own[i], s.entries[k].order);
  std::vector<int> work(s.size), matched_row(s.size, none);
  for (int i = 0; i < s.size; ++i) work[i] = i, matched_row[a.match[i]] = i;
  std::vector<char> queued(s.size, 1);
  while (!work.empty()) {
    const int i = work.back();
    work.pop_back();
    queued[i] = 0;
    for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
      const auto [j, order] = s.entries[k];
      if (order + a.equation_offset[i] <= a.variable_offset[j]) continue;
      a.variable_offset[j] = order + a.equation_offset[i];
      const int row = matched_row[j];
      const int c = a.variable_offset[j] - own[row];
      if (c <= a.equation_offset[row]) continue;
      a.equation_offset[row] = c;
      if (!queued[row]) queued[row] = 1, work.push_back(row);
    }
  }
}

/// Tarjan's strongly connected parts of: equation i -> equation matched to variable j, over the
/// entries that count in the system Jacobian, sigma_ij = d_j - c_i. Without recursion.
void find_blocks(const Signature& s, StructuralAnalysis& a) {
  std::vector<int> row_of(s.size), low(s.size, 0), number(s.size, 0), stack, path,
      position(s.size, 0);
  for (int i = 0; i < s.size; ++i) row_of[a.match[i]] = i;
  std::vector<char> on_stack(s.size, 0);
  a.block.assign(s.size, none);
  int counter = 0, blocks = 0;
  for (int start = 0; start < s.size; ++start) {
    if (number[start]) continue;
    path.push_back(start);
    while (!path.empty()) {
      const int i = path.back();
      if (!number[i]) {
        number[i] = low[i] = ++counter;
        stack.push_back(i), on_stack[i] = 1, position[i] = s.row_start[i];
      }
      bool descended = false;
      for (int& k = position[i]; k < s.row_start[i + 1]; ++k) {
        const auto [j, order] = s.entries[k];
        if (order != a.variable_offset[j] - a.equation_offset[i]) continue;
        const int next = row_of[j];
        if (!number[next]) {
          path.push_back(next), descended = true;
          break;
        }
        if (on_stack[next]) low[i] = std::min(low[i], low[next]);
      }
      if (descended) continue;
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[i]);
      if (low[i] != number[i]) continue;
      for (int member = none; member != i;) {
        member = stack.back();
        stack.pop_back();
        on_stack[member] = 0, a.block[member] = blocks;
      }
      ++blocks;
    }
  }
}

void find_variable_index(const Signature& s, StructuralAnalysis& a) {
  std::vector<int> deepest(s.size, 0);
  for (int i = 0; i < s.size; ++i)
    deepest[a.block[i]] = std::max(deepest[a.block[i]], a.equation_offset[i]);
  a.variable_index.assign(s.size, 1);
  for (int i = 0; i < s.size; ++i) {
    const int j = a.match[i];
    a.variable_index[j] = std::max(1, deepest[a.block[i]] + 1 - a.variable_offset[j]);
  }
  // An algebraic variable computed from one of higher index is no better than that one.
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < s.size; ++i) {
      const int own = a.match[i];
      if (a.variable_offset[own] > 0 || a.equation_offset[i] > 0) continue;
      for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k) {
        const auto [j, order] = s.entries[k];
        if (a.variable_offset[j] > 0 || a.variable_index[j] <= a.variable_index[own]) continue;
        a.variable_index[own] = a.variable_index[j], changed = true;
      }
    }
  }
}

/// Everything reachable by alternating paths from what is left unmatched. [DulmageMendelsohn1958]
void find_singular_parts(const Signature& s, const Assignment& assignment, StructuralAnalysis& a) {
  std::vector<std::vector<int>> rows_with(s.size);
  for (int i = 0; i < s.size; ++i)
    for (int k = s.row_start[i]; k < s.row_start[i + 1]; ++k)
      rows_with[s.entries[k].variable].push_back(i);
  std::vector<char> row_seen(s.size, 0), column_seen(s.size, 0);
  std::vector<int> queue;
  for (int i = 0; i < s.size; ++i)
    if (assignment.match()[i] == none) queue.push_back(i), row_seen[i] = 1;
  for (std::size_t q = 0; q < queue.size(); ++q)
    for (int k = s.row_start[queue[q]]; k < s.row_start[queue[q] + 1]; ++k) {
      const int j = s.entries[k].variable, i = assignment.row_of()[j];
      column_seen[j] = 1;
      if (i != none && !row_seen[i]) row_seen[i] = 1, queue.push_back(i);
    }
  for (int i = 0; i < s.size; ++i) {
    if (row_seen[i]) a.over_equations.push_back(i);
    if (column_seen[i]) a.over_variables.push_back(i);
  }
  std::fill(row_seen.begin(), row_seen.end(), 0),
      std::fill(column_seen.begin(), column_seen.end(), 0);
  queue.clear();
  for (int j = 0; j < s.size; ++j)
    if (assignment.row_of()[j] == none) queue.push_back(j), column_seen[j] = 1;
  for (std::size_t q = 0; q < queue.size(); ++q)
    for (int i : rows_with[queue[q]]) {
      row_seen[i] = 1;
      const int j = assignment.match()[i];
      if (j != none && !column_seen[j]) column_seen[j] = 1, queue.push_back(j);
    }
  for (int i = 0; i < s.size; ++i) {
    if (row_seen[i]) a.under_equations.push_back(i);
    if (column_seen[i]) a.under_variables.push_back(i);
  }
}

}  // namespace

Signature signature_of(const EquationSet& equations, int variables) {
  Signature s;
  s.size = variables;
  std::vector<std::vector<Incidence>> rows(static_cast<std::size_t>(equations.rows()));
  for (const Kernel& kernel : equations.kernels())
    for (std::size_t l = 0; l < kernel.leaves.size(); ++l)
      if (kernel.leaves[l].kind == Leaf::Kind::variable)
        for (int i = 0; i < kernel.instances(); ++i)
          rows[static_cast<std::size_t>(kernel.rows[static_cast<std::size_t>(i)])].push_back(
              {kernel.which[l][static_cast<std::size_t>(i)], kernel.leaves[l].order});
  s.row_start.push_back(0);
  for (auto& row : rows) {
    // One entry a variable, that of the highest order.
    std::sort(row.begin(), row.end(), [](const Incidence& x, const Incidence& y) {
      return x.variable != y.variable ? x.variable < y.variable : x.order > y.order;
    });
    row.erase(std::unique(
                  row.begin(), row.end(),
                  [](const Incidence& x, const Incidence& y) { return x.variable == y.variable; }),
              row.end());
    s.entries.insert(s.entries.end(), row.begin(), row.end());
    s.row_start.push_back(static_cast<int>(s.entries.size()));
  }
  return s;
}

StructuralAnalysis analyze_structure(const Signature& signature) {
  StructuralAnalysis a;
  const Assignment assignment(signature);
  a.match = assignment.match();
  a.regular = assignment.complete();
  if (!a.regular) {
    find_singular_parts(signature, assignment, a);
    return a;
  }
  find_offsets(signature, a);
  find_blocks(signature, a);
  find_variable_index(signature, a);
  int deepest = 0;
  bool algebraic = false;
  for (int i = 0; i < signature.size; ++i) {
    deepest = std::max(deepest, a.equation_offset[i]);
    algebraic = algebraic || a.variable_offset[i] == 0;
    a.degrees_of_freedom += a.variable_offset[i] - a.equation_offset[i];
  }
  a.index = deepest + (algebraic ? 1 : 0);
  return a;
}

}  // namespace daedalus
