#pragma once
// Singly diagonally implicit tableaus as data: one table here is one more method everywhere.
// Irrational entries are rounded from 34 digits; what they are is written beside each table.
#include <array>
#include <string_view>

namespace daedalus {

inline constexpr int most_diagonally_implicit_stages = 5;

struct DiagonallyImplicitTable {
  using Row = std::array<double, most_diagonally_implicit_stages>;
  std::string_view name;
  std::string_view reference;
  int order;
  int embedded_order;
  int stages;
  Row c;
  std::array<Row, most_diagonally_implicit_stages> a;
  Row b;
  Row b_hat;
};

// gamma = 1 - 1/sqrt(2): the L-stable choice of order 2.
inline constexpr DiagonallyImplicitTable sdirk_2 = {
    "sdirk_2",
    "Alexander1977",
    2,
    0,
    2,
    {0.29289321881345247560, 1},
    {{{0.29289321881345247560}, {0.70710678118654752440, 0.29289321881345247560}}},
    {0.70710678118654752440, 0.29289321881345247560},
    {}};

// gamma is the root of x^3 - 3 x^2 + 3/2 x - 1/6 in (1/6, 1/2); b_1 = -(6 gamma^2 - 16 gamma +
// 1)/4, b_2 = (6 gamma^2 - 20 gamma + 5)/4.
inline constexpr DiagonallyImplicitTable sdirk_alexander_3 = {
    "sdirk_alexander_3",
    "Alexander1977",
    3,
    0,
    3,
    {0.43586652150845899942, 0.71793326075422949971, 1},
    {{{0.43586652150845899942},
      {0.28206673924577050029, 0.43586652150845899942},
      {1.20849664917601007034, -0.64436317068446906975, 0.43586652150845899942}}},
    {1.20849664917601007034, -0.64436317068446906975, 0.43586652150845899942},
    {}};

// The implicit half of the implicit-explicit pair (4,4,3).
inline constexpr DiagonallyImplicitTable sdirk_ars443_3 = {
    "sdirk_ars443_3",
    "AscherRuuthSpiteri1997",
    3,
    0,
    4,
    {1. / 2, 2. / 3, 1. / 2, 1},
    {{{1. / 2}, {1. / 6, 1. / 2}, {-1. / 2, 1. / 2, 1. / 2}, {3. / 2, -3. / 2, 1. / 2, 1. / 2}}},
    {3. / 2, -3. / 2, 1. / 2, 1. / 2},
    {}};

// gamma = 1/2 + cos(pi/18)/sqrt(3), delta = 1/(6 (2 gamma - 1)^2); a_31 = 2 gamma,
// a_32 = 1 - 4 gamma, b = (delta, 1 - 2 delta, delta). Not stiffly accurate, R(inf) = -0.63.
inline constexpr DiagonallyImplicitTable sdirk_crouzeix_4 = {
    "sdirk_crouzeix_4",
    "Crouzeix1975",
    4,
    0,
    3,
    {1.06857902130162880642, 0.5, -0.06857902130162880642},
    {{{1.06857902130162880642},
      {-0.56857902130162880642, 1.06857902130162880642},
      {2.13715804260325761284, -3.27431608520651522568, 1.06857902130162880642}}},
    {0.12888640051572042236, 0.74222719896855915527, 0.12888640051572042236},
    {}};

inline constexpr DiagonallyImplicitTable sdirk_hairer_wanner_4 = {
    "sdirk_hairer_wanner_4",
    "HairerWanner1996",
    4,
    3,
    5,
    {1. / 4, 3. / 4, 11. / 20, 1. / 2, 1},
    {{{1. / 4},
      {1. / 2, 1. / 4},
      {17. / 50, -1. / 25, 1. / 4},
      {371. / 1360, -137. / 2720, 15. / 544, 1. / 4},
      {25. / 24, -49. / 48, 125. / 16, -85. / 12, 1. / 4}}},
    {25. / 24, -49. / 48, 125. / 16, -85. / 12, 1. / 4},
    {59. / 48, -17. / 96, 225. / 32, -85. / 12, 0}};

inline constexpr std::array diagonally_implicit_tables = {
    sdirk_2, sdirk_alexander_3, sdirk_ars443_3, sdirk_crouzeix_4, sdirk_hairer_wanner_4};

}  // namespace daedalus
