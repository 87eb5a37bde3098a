// M y' = f(t, y) as F = M y' - f. With constant M the algebraic combinations of rows are formed
// explicitly, on f alone: r_k = -sum_j l_kj f_j.
#include <type_traits>

#include <fmt/format.h>

#include "problem/algebraic_rows.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

/// Short vectors that a function has just written number by number would be waited for if they
/// were read in pairs.
constexpr int few = 16;
template <class S>
S one_by_one(S x) {
#if defined(__x86_64__) && defined(__GNUC__)
  if constexpr (std::is_same_v<S, double>) asm("" : "+x"(x));
#endif
  return x;
}

struct ConstantMassEquations {
  Function<1> f;
  int size;
  std::vector<int> row_start;  ///< of the rows of M, algebraic rows empty
  std::vector<int> column;
  std::vector<double> value;
  std::vector<double> diagonal;           ///< the same where M has nothing else; or empty
  std::vector<RowCombination> algebraic;  ///< but those that are a row as it stands
  Scratch scratch;

  template <class S>
  void residual(const S& t, const S* y, const S* yp, S* r) const {
    right_hand_side(t, y, r);
    take_from_rates(yp, r);
  }
  /// With the combinations in place of the rows that they stand for.
  template <class S>
  void right_hand_side(const S& t, const S* y, S* out) const {
    f(t, {InputOf<S>(y, size)}, OutputOf<S>(out, size));
    if (!algebraic.empty()) combine(out);
  }
  bool is_recordable() const { return f.is_recordable(); }
  void right_hand_sides(int points, int apart, const double* t, const double* y,
                        double* out) const {
    f.at_points(points, apart, t, {Input(y, size)}, Output(out, size));
    for (int i = 0; i < points && !algebraic.empty(); ++i) combine(out + i * apart);
  }
  /// r = E y' - r
  template <class S>
  void take_from_rates(const S* yp, S* r) const {
    const int n = size;
    if (!diagonal.empty()) {
      const double* m = diagonal.data();
      if (n <= few) {
        for (int i = 0; i < n; ++i) r[i] = one_by_one(m[i] * yp[i] - r[i]);
        return;
      }
      for (int i = 0; i < n; ++i) r[i] = m[i] * yp[i] - r[i];
      return;
    }
    for (int i = 0; i < n; ++i) {
      S sum = -r[i];
      for (int k = row_start[i]; k < row_start[i + 1]; ++k) sum += value[k] * yp[column[k]];
      r[i] = sum;
    }
  }

  template <class S>
  void combine(S* out) const {
    S* sums = scratch.of<S>();  // rows may be terms of several
    for (const RowCombination& combination : algebraic) {
      *sums = S(0);
      for (const RowCombination::Term& term : combination.terms)
        *sums += term.weight * out[term.row];
      ++sums;
    }
    sums = scratch.of<S>();
    for (const RowCombination& combination : algebraic) out[combination.row] = *sums++;
  }
};

struct VariableMassEquations {
  Function<1> f;
  MatrixFunction<1> mass;
  int size;
  Scratch scratch;

  template <class S>
  void residual(const S& t, const S* y, const S* yp, S* r) const {
    S* m = scratch.of<S>();
    std::fill(m, m + static_cast<std::ptrdiff_t>(size) * size, S(0));
    mass(t, {InputOf<S>(y, size)}, MatrixOutputOf<S>(m, size, size));
    f(t, {InputOf<S>(y, size)}, OutputOf<S>(r, size));
    for (int i = 0; i < size; ++i) r[i] = -r[i];
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) r[i] += m[i + static_cast<std::ptrdiff_t>(j) * size] * yp[j];
  }
};

/// The user's pattern speaks of the rows of f; combined rows have the union, M adds its own.
/// Entries may be there more than once.
Sparsity combined_sparsity(const Sparsity& given, const std::vector<Mass::Entry>& mass,
                           const std::vector<RowCombination>& algebraic, int size) {
  std::vector<char> is_combined(static_cast<std::size_t>(size), 0);
  bool mixes_rows = false;
  for (const RowCombination& combination : algebraic) {
    is_combined[combination.row] = combination.terms.size() > 1;
    mixes_rows = mixes_rows || combination.terms.size() > 1;
  }
  Sparsity pattern;
  pattern.reserve(given.size() + mass.size());
  std::vector<std::vector<int>> columns(mixes_rows ? static_cast<std::size_t>(size) : 0);
  for (const auto& [row, column] : given) {
    if (row < 0 || row >= size || column < 0 || column >= size) continue;
    if (!is_combined[row]) pattern.emplace_back(row, column);
    if (mixes_rows) columns[row].push_back(column);
  }
  for (const Mass::Entry& e : mass)
    if (!is_combined[e.row]) pattern.emplace_back(e.row, e.column);
  for (const RowCombination& combination : algebraic) {
    if (combination.terms.size() < 2) continue;
    for (const RowCombination::Term& term : combination.terms)
      for (const int column : columns[term.row]) pattern.emplace_back(combination.row, column);
  }
  return pattern;
}

std::string combination_name(const Names& equations, const RowCombination& combination) {
  std::string name;
  for (const RowCombination::Term& term : combination.terms) {
    const bool unit = std::abs(std::abs(term.weight) - 1) < 1e-12;
    name += fmt::format(
        "{}{}{}", name.empty() ? (term.weight < 0 ? "-" : "") : (term.weight < 0 ? " - " : " + "),
        unit ? "" : fmt::format("{:.4g} ", std::abs(term.weight)), equations[term.row]);
  }
  return name;
}

bool is_a_row(const RowCombination& combination) {
  return combination.terms.size() == 1 && combination.terms[0].row == combination.row &&
         combination.terms[0].weight == 1;
}

std::shared_ptr<System> make_constant(const Problem& problem, const LinearlyImplicit& form,
                                      const std::vector<Mass::Entry>& entries) {
  const int n = form.size;
  std::vector<RowCombination> algebraic = algebraic_rows(n, entries);
  std::vector<char> is_algebraic(n, 0), has_derivative(n, 0);
  for (const RowCombination& combination : algebraic) is_algebraic[combination.row] = 1;

  ConstantMassEquations equations{form.f, n, {}, {}, {}, {}, {}, {}};
  for (const RowCombination& combination : algebraic)
    if (!is_a_row(combination)) equations.algebraic.push_back(combination);
  if (!equations.algebraic.empty()) equations.scratch = Scratch(n);
  const auto stays = [&](const Mass::Entry& e) { return !is_algebraic[e.row] && e.value != 0; };
  bool diagonal = equations.algebraic.empty();
  for (const Mass::Entry& e : entries)
    if (stays(e)) {
      has_derivative[e.column] = 1;
      diagonal = diagonal && e.row == e.column;
    }
  if (diagonal) {
    equations.diagonal.assign(n, 0.0);
    for (const Mass::Entry& e : entries)
      if (stays(e)) equations.diagonal[e.row] += e.value;
  } else {
    equations.row_start.assign(n + 1, 0);
    for (const Mass::Entry& e : entries)
      if (stays(e)) ++equations.row_start[e.row + 1];
    for (int i = 0; i < n; ++i) equations.row_start[i + 1] += equations.row_start[i];
    equations.column.resize(equations.row_start[n]), equations.value.resize(equations.row_start[n]);
    std::vector<int> place(equations.row_start.begin(), equations.row_start.end() - 1);
    for (const Mass::Entry& e : entries)
      if (stays(e))
        equations.column[place[e.row]] = e.column, equations.value[place[e.row]++] = e.value;
  }
  auto system = std::make_shared<SystemOf<ConstantMassEquations>>(std::move(equations));
  set_size(*system, n);
  system->constant_mass = system->knows_right_hand_side = true;
  system->equations = names_or(problem.equations, std::move(system->equations), "equations");
  std::vector<std::string> combined_names;  // made of the given ones, so before these change
  for (const RowCombination& combination : algebraic) {
    mark_algebraic_rows(*system, combination.row, combination.row + 1);
    if (combination.terms.size() > 1)
      combined_names.push_back(combination_name(system->equations, combination));
  }
  auto next_name = combined_names.begin();
  for (const RowCombination& combination : algebraic)
    if (combination.terms.size() > 1) system->equations[combination.row] = std::move(*next_name++);
  for (int j = 0; j < n; ++j)
    if (!has_derivative[j]) mark_algebraic_variables(*system, j, j + 1, 1);
  if (problem.sparsity)
    system->sparsity = combined_sparsity(*problem.sparsity, entries, algebraic, n);
  if (problem.jacobian.right_hand_side || problem.jacobian.residual) {
    // dF/dy = P (-df/dy) with the same combinations of rows.
    const UserJacobian given = problem.jacobian;
    auto as_written = std::make_shared<Matrix>(n, n);
    auto unused = std::make_shared<Matrix>(n, n);
    system->supplied_jacobian = [given, as_written, unused, algebraic, n](double t, const double* y,
                                                                          const double* yp,
                                                                          double* a, double*) {
      Matrix& own = *as_written;
      own.setZero();
      MatrixOutput out(own.data(), n, n);
      if (given.right_hand_side) {
        given.right_hand_side(t, Input(y, n), out);
        own = -own;
      } else {
        unused->setZero();
        given.residual(t, Input(y, n), Input(yp, n), out, MatrixOutput(unused->data(), n, n));
      }
      MatrixOutput combined(a, n, n);
      combined = own;
      for (const RowCombination& combination : algebraic) {
        combined.row(combination.row).setZero();
        for (const RowCombination::Term& term : combination.terms)
          combined.row(combination.row) += term.weight * own.row(term.row);
      }
    };
  }
  return system;
}

std::shared_ptr<System> make_variable(const LinearlyImplicit& form) {
  const int n = form.size;
  auto system = std::make_shared<SystemOf<VariableMassEquations>>(VariableMassEquations{
      form.f, form.mass.function(), n, Scratch(static_cast<std::size_t>(n) * n)});
  set_size(*system, n);
  set_differentiable(*system, form.f, form.mass.function());
  system->discover_rows = true;
  system->linear_in_derivatives = true;
  return system;
}

std::vector<Mass::Entry> entries_of(const Mass& mass, int size) {
  require(mass.rows() < 0 || (mass.rows() == size && mass.columns() == size),
          "form.mass is {} x {}, must be {} x {}", mass.rows(), mass.columns(), size, size);
  if (!mass.is_constant()) return {};
  std::vector<Mass::Entry> entries = mass.entries(size);
  for (const Mass::Entry& e : entries) {
    require(e.row >= 0 && e.row < size && e.column >= 0 && e.column < size,
            "form.mass has the entry ({}, {}), outside of {} equations", e.row, e.column, size);
    require(std::isfinite(e.value), "form.mass({}, {}) is not finite", e.row, e.column);
  }
  return entries;
}

}  // namespace

void require_mass(const Mass& mass, int size) {
  entries_of(mass, size);
}

Mass Mass::diagonal(const Values& values) {
  std::vector<Entry> entries;
  for (int i = 0; i < values.size(); ++i) entries.push_back({i, i, values[i]});
  Mass mass = sparse(std::move(entries));
  mass.diagonal_size_ = values.size();
  return mass;
}

Mass Mass::sparse(std::vector<Entry> entries) {
  Mass mass;
  mass.entries_ = std::move(entries);
  return mass;
}

std::vector<Mass::Entry> Mass::entries(int size) const {
  if (entries_) return *entries_;
  std::vector<Entry> list;
  if (!constant_) {
    list.reserve(static_cast<std::size_t>(size));
    for (int i = 0; i < size; ++i) list.push_back({i, i, 1.0});
    return list;
  }
  for (int j = 0; j < constant_->cols(); ++j)
    for (int i = 0; i < constant_->rows(); ++i)
      if ((*constant_)(i, j) != 0) list.push_back({i, j, (*constant_)(i, j)});
  return list;
}

std::shared_ptr<System> make_linearly_implicit(const Problem& problem,
                                               const LinearlyImplicit& form) {
  require(form.size > 0, "form.size = {}, must be positive", form.size);
  require(bool(form.f), "form.f is missing");
  const std::vector<Mass::Entry> entries = entries_of(form.mass, form.size);
  auto system =
      form.mass.is_constant() ? make_constant(problem, form, entries) : make_variable(form);
  if (form.mass.is_constant()) set_differentiable(*system, form.f);
  append_numbered(system->variables, "y", form.size);
  return system;
}

}  // namespace daedalus
