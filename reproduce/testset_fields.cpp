// Fields on a grid by the method of lines.
// Food web: one pair of the species of the DASPK and SUNDIALS examples, prey c1 and predators c2,
//   c1' = lap c1 + c1 (b - c1 - c2 / 2e6),  0 = 0.05 lap c2 + c2 (-b + 1e4 c1 - c2),
//   b = 1 + 50 x y + 1000 sin(4 pi x) sin(4 pi y),
// no flux through the boundary. [BrownHindmarshPetzold1998]
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/embedded.h"
#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

/// Neighbours are reflected at the boundary; one row: no second direction.
struct Grid {
  int columns, rows;

  int points() const { return columns * rows; }
  int point(int i, int j) const { return j * columns + i; }
  double x(int i) const { return static_cast<double>(i) / (columns - 1); }
  double y(int j) const { return rows == 1 ? 0.3 : static_cast<double>(j) / (rows - 1); }
  static int before(int i) { return i == 0 ? 1 : i - 1; }
  static int after(int i, int count) { return i == count - 1 ? count - 2 : i + 1; }
  double per_square_x() const { return static_cast<double>(columns - 1) * (columns - 1); }
  double per_square_y() const { return static_cast<double>(rows - 1) * (rows - 1); }

  /// The Laplacian of the values c[stride * point + offset].
  template <class C>
  auto laplacian(const C& c, int i, int j, int stride, int offset) const {
    const auto at = [&](int k, int l) { return c[stride * point(k, l) + offset]; };
    const auto here = at(i, j);
    auto sum = per_square_x() * (at(before(i), j) - 2.0 * here + at(after(i, columns), j));
    if (rows > 1) sum += per_square_y() * (at(i, before(j)) - 2.0 * here + at(i, after(j, rows)));
    return sum;
  }

  /// Of a variable of each point in the equations of `unknowns` at each point.
  Sparsity sparsity(int unknowns) const {
    Sparsity pattern;
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < columns; ++i) {
        const int p = point(i, j);
        for (int e = 0; e < unknowns; ++e) {
          for (int v = 0; v < unknowns; ++v)
            pattern.emplace_back(unknowns * p + e, unknowns * p + v);
          const auto add = [&](int k, int l) {
            pattern.emplace_back(unknowns * p + e, unknowns * point(k, l) + e);
          };
          if (i > 0) add(i - 1, j);
          if (i + 1 < columns) add(i + 1, j);
          if (j > 0) add(i, j - 1);
          if (j + 1 < rows) add(i, j + 1);
        }
      }
    }
    return pattern;
  }
};

struct FoodWeb {
  Grid grid;
  std::vector<double> growth;

  explicit FoodWeb(Grid g) : grid(g) {
    constexpr double pi = std::numbers::pi;
    for (int j = 0; j < g.rows; ++j)
      for (int i = 0; i < g.columns; ++i)
        growth.push_back(1 + 50 * g.x(i) * g.y(j) +
                         1000 * std::sin(4 * pi * g.x(i)) * std::sin(4 * pi * g.y(j)));
  }

  template <class C, class Out>
  void operator()(const C& c, Out& out) const {
    for (int j = 0; j < grid.rows; ++j) {
      for (int i = 0; i < grid.columns; ++i) {
        const int p = grid.point(i, j);
        const double b = growth[static_cast<std::size_t>(p)];
        const auto prey = c[2 * p], predators = c[2 * p + 1];
        out[2 * p] = grid.laplacian(c, i, j, 2, 0) + prey * (b - prey - 0.5e-6 * predators);
        out[2 * p + 1] =
            0.05 * grid.laplacian(c, i, j, 2, 1) + predators * (1e4 * prey - b - predators);
      }
    }
  }
};

/// Values on which two codes agree, for each grid: {"100x1": {"digits": ..., "values": [[place,
/// value], ...]}}.
void add_references(TestProblem& problem, const std::string& grid) {
  static const nlohmann::json all = nlohmann::json::parse(embedded("data/bench/food_web.json"));
  const auto found = all.find(grid);
  if (found == all.end()) return;
  problem.reference_digits = (*found)["digits"];
  const auto& values = (*found)["values"];
  problem.reference.resize(static_cast<Eigen::Index>(values.size()));
  problem.statement.place.clear();
  for (std::size_t k = 0; k < values.size(); ++k) {
    const int place = values[k][0], i = static_cast<int>(k);
    problem.reference[i] = values[k][1];
    problem.statement.place.push_back(place);
    problem.names.push_back(fmt::format("{}[{}]", place % 2 ? "c2" : "c1", place / 2 + 1));
    (place % 2 ? problem.algebraic : problem.differential).push_back(i);
  }
}

}  // namespace

TestProblem food_web(int columns, int rows) {
  const Grid grid = {columns, rows};
  TestProblem result;
  const std::string size = fmt::format("{}x{}", columns, rows);
  result.name = "foodweb_" + size;
  result.title =
      fmt::format("Food web on {} points, {} unknowns, index 1", size, 2 * grid.points());
  Vector start(2 * grid.points());
  std::vector<Mass::Entry> mass;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const double x = grid.x(i), y = grid.y(j), bump = 16 * x * (1 - x) * y * (1 - y);
      const int p = 2 * grid.point(i, j);
      start[p] = 10 + bump * bump;
      start[p + 1] = 1e4 * start[p];
      mass.push_back({p, p, 1});
    }
  }
  result.statement.problem = {.form = LinearlyImplicit{.size = static_cast<int>(start.size()),
                                                       .mass = Mass::sparse(mass),
                                                       .f = FoodWeb(grid)},
                              .t_span = {0, 0.01},
                              .start = start,
                              .sparsity = grid.sparsity(2)};
  result.statement.start_is_guess = true;
  result.statement.lower = result.statement.upper = rows == 1 ? 2 : 2 * columns;
  result.statement.is_sparse = true;
  result.statement.per_point = 2;
  add_references(result, size);
  result.first_order = result.statement;
  return result;
}

TestProblem heat(int columns, int rows) {
  const Grid grid = {columns, rows};
  TestProblem result;
  const std::string size = fmt::format("{}x{}", columns, rows);
  result.name = "heat_" + size;
  result.title = fmt::format("Heat equation on {} points, insulated, an ODE", size);
  constexpr double pi = std::numbers::pi;
  // cos(pi x) cos(2 pi y) is an eigenvector of the reflected difference operator too.
  const auto eigenvalue = [](int waves, int count) {
    const double s = 2 * (count - 1) * std::sin(waves * pi / 2 / (count - 1));
    return count == 1 ? 0 : s * s;
  };
  const double decay = eigenvalue(1, columns) + eigenvalue(2, rows);
  const double t_end = 0.05;
  Vector start(grid.points());
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const double shape = std::cos(pi * grid.x(i)) * (rows > 1 ? std::cos(2 * pi * grid.y(j)) : 1);
      start[grid.point(i, j)] = 1 + shape;
    }
  }
  result.reference = 1 + (start.array() - 1) * std::exp(-decay * t_end);
  for (int p = 0; p < grid.points(); ++p) {
    result.statement.place.push_back(p);
    result.differential.push_back(p);
  }
  result.statement.problem = {
      .form = LinearlyImplicit{.size = grid.points(),
                               .f =
                                   [grid](auto c, auto out) {
                                     for (int j = 0; j < grid.rows; ++j)
                                       for (int i = 0; i < grid.columns; ++i)
                                         out[grid.point(i, j)] = grid.laplacian(c, i, j, 1, 0);
                                   }},
      .t_span = {0, t_end},
      .start = start,
      .sparsity = grid.sparsity(1)};
  result.statement.lower = result.statement.upper = rows == 1 ? 1 : columns;
  result.statement.is_sparse = true;
  result.first_order = result.statement;
  return result;
}

/// The boundary values are zero by algebraic equations, as those of idaHeat2D of SUNDIALS are.
TestProblem heat_between_cold_walls() {
  const Grid grid = {10, 10};
  TestProblem result = shipped("heat2d_10");
  result.title = "Heat equation on 10 x 10 points, boundary values as equations, index 1";
  const auto is_inside = [grid](int i, int j) {
    return i > 0 && i + 1 < grid.columns && j > 0 && j + 1 < grid.rows;
  };
  Vector start = Vector::Zero(grid.points()), diagonal = start;
  for (int j = 0; j < grid.rows; ++j)
    for (int i = 0; i < grid.columns; ++i) {
      if (!is_inside(i, j)) continue;
      const double x = grid.x(i), y = grid.y(j);
      start[grid.point(i, j)] = 16 * x * (1 - x) * y * (1 - y);
      diagonal[grid.point(i, j)] = 1;
    }
  result.statement.problem = {
      .form = LinearlyImplicit{.size = grid.points(),
                               .mass = Mass::diagonal(diagonal),
                               .f =
                                   [grid, is_inside](auto u, auto out) {
                                     for (int j = 0; j < grid.rows; ++j)
                                       for (int i = 0; i < grid.columns; ++i)
                                         if (is_inside(i, j))
                                           out[grid.point(i, j)] = grid.laplacian(u, i, j, 1, 0);
                                         else
                                           out[grid.point(i, j)] = u[grid.point(i, j)];
                                   }},
      .t_span = {0, 0.16},
      .start = start,
      .sparsity = grid.sparsity(1)};
  std::erase_if(*result.statement.problem.sparsity, [&](const std::pair<int, int>& entry) {
    return diagonal[entry.first] == 0 && entry.first != entry.second;
  });
  result.statement.lower = result.statement.upper = grid.columns;
  result.first_order = result.statement;
  return result;
}

}  // namespace daedalus::reproduce
