#pragma once
// Half-explicit Runge-Kutta methods for y' = f(y, z), 0 = g(y), as tables. Stages are explicit in
// y, and each asks for those multipliers z with which a point ahead of it meets the constraint.
// Slope 0 is that at the start with its own multipliers, known from the step before; so is the last
// one at the end. Both serve estimate and dense output, and let multipliers have the order of y.
#include "method/explicit.h"

namespace daedalus {

// c = (0, 1/3, 1), b = (0, 3/4, 1/4): g(Y_{i+1}) = 0 gives Z_i. [HairerLubichRoche1989, 6]
inline constexpr ConstraintRows herk_3_rows = {
    {0, 1.0 / 3, 1, 1}, {{{}, {0, 1.0 / 3}, {0, -1, 2}, {0, 0, 3.0 / 4, 1.0 / 4}}}};

/// Its estimate is the distance from the trapezoidal rule.
inline constexpr ExplicitTable herk_3 = {
    "herk_3",
    "HairerLubichRoche1989",
    3,
    4,
    5,
    3,
    0,
    2.5,
    {2, 0},
    {0, 0, 1.0 / 3, 1, 1},
    {{{}, {}, {0, 1.0 / 3}, {0, -1, 2}, {0, 0, 3.0 / 4, 1.0 / 4}}},
    {0, 0, 3.0 / 4, 1.0 / 4},
    {{{-1.0 / 2, 0, 3.0 / 4, 1.0 / 4, -1.0 / 2}, {}}},
    {},
    false,
    &herk_3_rows};

namespace half_explicit {

inline constexpr double r = 2.4494897427831780982;  // sqrt(6)
using Row = std::array<double, max_stages>;
inline constexpr std::array<Row, 6> hem_4 = {
    {{},
     {0, 3.0 / 10},
     {0, (1 + r) / 30, (11 - 4 * r) / 30},
     {0, (-79 - 31 * r) / 150, (-1 - 4 * r) / 30, (24 + 11 * r) / 25},
     {0, (14 + 5 * r) / 6, (-8 + 7 * r) / 6, (-9 - 7 * r) / 4, (9 - r) / 4},
     {0, 0, 0, (16 - r) / 36, (16 + r) / 36, 1.0 / 9}}};

inline constexpr Row dormand_prince = {35.0 / 384,     0,        500.0 / 1113, 125.0 / 192,
                                       -2187.0 / 6784, 11.0 / 84};
/// sum_j b_j scale, plus a multiple of the slopes at the start (0), the end (6) and inside (7).
constexpr Row combined(double scale, double start, double end, double inside) {
  Row row = {};
  for (int j = 0; j < 6; ++j) row[j] = scale * dormand_prince[j];
  row[0] += start, row[6] += end, row[7] += inside;
  return row;
}

}  // namespace half_explicit

inline constexpr ConstraintRows hem_4_rows = {
    {0, 3.0 / 10, (4 - half_explicit::r) / 10, (4 + half_explicit::r) / 10, 1, 1},
    {{{},
      half_explicit::hem_4[1],
      half_explicit::hem_4[2],
      half_explicit::hem_4[3],
      half_explicit::hem_4[4],
      half_explicit::hem_4[5]}}};

/// [BraseyHairer1993]. The embedded weights are those of order 3 that leave out the last stage and
/// use the slopes at both ends: b + (-1, 0, 0, (2 + 3 r)/6, (2 - 3 r)/6, -2/3, 1)/6.
inline constexpr ExplicitTable hem_4 = {
    "hem_4",
    "BraseyHairer1993",
    4,
    6,
    7,
    3,
    0,
    2.7,
    {3, 0},
    {0, 0, 3.0 / 10, (4 - half_explicit::r) / 10, (4 + half_explicit::r) / 10, 1, 1},
    {{{},
      {},
      half_explicit::hem_4[1],
      half_explicit::hem_4[2],
      half_explicit::hem_4[3],
      half_explicit::hem_4[4],
      half_explicit::hem_4[5]}},
    half_explicit::hem_4[5],
    {{{1.0 / 6, 0, 0, -(2 + 3 * half_explicit::r) / 36, -(2 - 3 * half_explicit::r) / 36, 1.0 / 9,
       -1.0 / 6},
      {}}},
    {},
    false,
    &hem_4_rows};

inline constexpr ConstraintRows phem_56_rows = {
    {0, 3.0 / 10, 3.0 / 8, 5.0 / 7, 1, 1},
    {{{},
      {3.0 / 40, 9.0 / 40},
      {21.0 / 256, 45.0 / 256, 15.0 / 128},
      {19235.0 / 98784, -225.0 / 392, 6235.0 / 6174, 2755.0 / 32928},
      {-293.0 / 1152, 85.0 / 48, -2275.0 / 1908, 35.0 / 32, -2835.0 / 6784},
      half_explicit::dormand_prince}}};

/// [Murua1997], without the seventh stage, since the slope at the end has its own multipliers. The
/// estimate published with it has order 3 for index 2, not 4 (a condition of order 4 is off by
/// 2e-3), and no other weights on these slopes have order 4. One slope more does it, at a quarter
/// of the step on Hermite's cubic; the same slope makes the polynomial one of degree 4:
///   y(1/4) = y + h (5/32 sum b_j k_j + 9/64 k_0 - 3/64 k_6),
///   F_3 = 16/3 h k_7 - 6 h sum b_j k_j - h k_0 + 5/3 h k_6.
inline constexpr ExplicitTable phem_56 = {
    "phem_56",
    "Murua1997",
    5,
    6,
    8,
    4,
    1,
    3.25,
    {4, 0},
    {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1, 1.0 / 4},
    {{{},
      {1.0 / 5},
      {3.0 / 40, 9.0 / 40},
      {44.0 / 45, -56.0 / 15, 32.0 / 9},
      {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
      {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
      half_explicit::dormand_prince,
      half_explicit::combined(5.0 / 32, 9.0 / 64, -3.0 / 64, 0)}},
    half_explicit::dormand_prince,
    {{{159.0 / 8192, 0, 375.0 / 1484, -375.0 / 4096, 37179.0 / 434176, -99.0 / 1792, 5.0 / 128,
       -1.0 / 4},
      {}}},
    {{half_explicit::combined(-6, -1, 5.0 / 3, 16.0 / 3)}},
    false,
    &phem_56_rows};

inline constexpr std::array<const ExplicitTable*, 3> half_explicit_tables = {&herk_3, &hem_4,
                                                                             &phem_56};

}  // namespace daedalus
