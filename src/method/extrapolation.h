#pragma once
// Extrapolation methods as data: a basic method of order 1 or 2, made with 1, 2, 3, ... substeps
// over a step H, and the power of H/n in which its error has an expansion:
//   T_j1 = result with n_j substeps,   T_{j,k+1} = T_jk + (T_jk - T_{j-1,k}) / ((n_j/n_{j-k})^p -
//   1).
// T_jj has order p j. [HairerNorsettWanner1993, II.9]
#include <array>
#include <string_view>

namespace daedalus {

inline constexpr int most_columns = 9;

struct ExtrapolationTable {
  enum class Basis {
    half_explicit_euler,      ///< multipliers meet the constraint at the end of each substep
    position_euler,           ///< the same with constraints of positions, for motions
    half_explicit_midpoint,   ///< y_{n+1} = y_{n-1} + 2 h f(y_n, z_n), 0 = g(y_{n+1})
    rattle,                   ///< symmetric, constraints of positions and velocities, for motions
    linearly_implicit_euler,  ///< (M - h J) (y_{n+1} - y_n) = h f(t_{n+1}, y_n)
  };
  std::string_view name;
  std::string_view reference;
  Basis basis;
  int power;    ///< p
  int columns;  ///< at most
  std::array<int, most_columns> substeps;
  /// Orders by which differences of columns are worse in one step: velocities that follow from
  /// constraints of positions are off by h after any number of substeps.
  int lost = 0;

  bool is_for_motions() const { return basis == Basis::position_euler || basis == Basis::rattle; }
  bool is_half_explicit() const { return basis != Basis::linearly_implicit_euler; }
  int order() const { return power * columns; }
};

using Basis = ExtrapolationTable::Basis;
inline constexpr std::array<int, most_columns> harmonic = {1, 2, 3, 4, 5, 6, 7, 8, 9};
inline constexpr std::array<int, most_columns> harmonic_from_2 = {2, 3, 4, 5, 6, 7, 8, 9, 10};
inline constexpr std::array<int, most_columns> even = {2, 4, 6, 8, 10, 12, 14, 16, 18};

inline constexpr std::array<ExtrapolationTable, 5> extrapolation_tables = {
    {{"extrapolated_euler", "HairerLubichRoche1989", Basis::half_explicit_euler, 1, 9, harmonic},
     {"extrapolated_euler_3", "HairerLubichRoche1989", Basis::position_euler, 1, 9, harmonic_from_2,
      1},
     {"extrapolated_midpoint", "Lubich1989", Basis::half_explicit_midpoint, 2, 7, even},
     {"extrapolated_rattle", "HairerLubichWanner2006", Basis::rattle, 2, 6, harmonic},
     {"seulex", "HairerWanner1996", Basis::linearly_implicit_euler, 1, 9, harmonic_from_2}}};

/// Null: `name` is none of them.
inline const ExtrapolationTable* find_extrapolation(std::string_view name) {
  for (const ExtrapolationTable& table : extrapolation_tables)
    if (table.name == name) return &table;
  return nullptr;
}

}  // namespace daedalus
