// The list of Runge-Kutta methods: generated families, then tables. The name carries the order.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daedalus/error.h"
#include "daedalus/method.h"
#include "method/diagonally_implicit.h"
#include "method/explicit.h"
#include "method/extrapolation.h"
#include "method/generate.h"
#include "method/half_explicit.h"
#include "method/nearest.h"
#include "method/rosenbrock.h"

namespace daedalus {
namespace {

inline constexpr int most_generated_stages = 9;

struct GeneratedFamily {
  std::string_view name;
  std::string_view reference;
  int fewest_stages;
  int order_below_gauss;  // p = 2 s - order_below_gauss
};

constexpr std::array<GeneratedFamily, 5> generated_families = {{
    {"gauss", "Butcher1964", 1, 0},
    {"radau_ia", "Ehle1969", 1, 1},
    {"radau_iia", "Axelsson1969", 1, 1},
    {"lobatto_iiia", "Ehle1969", 2, 2},
    {"lobatto_iiic", "HairerWanner1996", 2, 2},
}};

Tableau generated(const GeneratedFamily& family, int stages) {
  const Coefficients digits = generate_coefficients(family.name, stages);
  Tableau method;
  method.order = 2 * stages - family.order_below_gauss;
  method.name = fmt::format("{}_{}", family.name, method.order);
  method.family = family.name;
  method.reference = family.reference;
  method.stages = stages;
  for (int i = 0; i < stages; ++i) {
    method.c[i] = static_cast<double>(digits.c[i]);
    method.b[i] = static_cast<double>(digits.b[i]);
    for (int j = 0; j < stages; ++j) method.a[i][j] = static_cast<double>(digits.a(i, j));
  }
  return method;
}

Tableau diagonally_implicit(const DiagonallyImplicitTable& table) {
  Tableau method;
  method.name = table.name;
  method.family = "sdirk";
  method.reference = table.reference;
  method.order = table.order;
  method.embedded_order = table.embedded_order;
  method.stages = table.stages;
  for (int i = 0; i < table.stages; ++i) {
    method.c[i] = table.c[i];
    method.b[i] = table.b[i];
    method.b_hat[i] = table.b_hat[i];
    std::copy(table.a[i].begin(), table.a[i].end(), method.a[i].begin());
  }
  return method;
}

Tableau from_explicit(const ExplicitTable& table) {
  Tableau method;
  method.name = table.name;
  method.family = "explicit";
  method.reference = table.reference;
  method.order = table.order;
  method.embedded_order = table.error_order[0];
  method.stages = table.stages;
  for (int i = 0; i < table.stages; ++i) {
    method.c[i] = table.c[i];
    method.b[i] = table.b[i];
    // With the slope at the end among its stages an embedded method has one more than fit here.
    method.b_hat[i] = table.error_needs_end() ? 0 : table.b[i] - table.e[0][i];
    method.a[i] = table.a[i];
  }
  if (table.error_needs_end()) method.embedded_order = 0;
  return method;
}

std::vector<Tableau> catalogue() {
  std::vector<Tableau> methods;
  for (const GeneratedFamily& family : generated_families) {
    for (int stages = family.fewest_stages; stages <= most_generated_stages; ++stages) {
      methods.push_back(generated(family, stages));
    }
  }
  for (const DiagonallyImplicitTable& table : diagonally_implicit_tables) {
    methods.push_back(diagonally_implicit(table));
  }
  return methods;
}

}  // namespace

const std::vector<Tableau>& runge_kutta_methods() {
  static const std::vector<Tableau> methods = catalogue();
  return methods;
}

const std::vector<Tableau>& explicit_runge_kutta_methods() {
  static const std::vector<Tableau> methods = [] {
    std::vector<Tableau> list;
    for (const ExplicitTable* table : explicit_tables) list.push_back(from_explicit(*table));
    return list;
  }();
  return methods;
}

/// Of methods that work on the constraints.
constexpr const char* constrained_forms = "y' = f(y, z), 0 = g(y); motions";

const std::vector<OtherMethod>& other_methods() {
  static const std::vector<OtherMethod> methods = [] {
    std::vector<OtherMethod> list;
    for (const ExplicitTable* t : half_explicit_tables)
      list.push_back({t->name,
                      "half_explicit",
                      t->reference,
                      t->order,
                      t->order,
                      t->stages - 1,
                      constrained_forms,
                      t->order,
                      t->order,
                      {},
                      true});
    for (const ExtrapolationTable& t : extrapolation_tables)
      list.push_back({std::string(t.name),
                      "extrapolation",
                      std::string(t.reference),
                      t.power,
                      t.order(),
                      0,
                      t.is_for_motions()     ? "motions"
                      : t.is_half_explicit() ? constrained_forms
                                             : "M y' = f, constant M",
                      t.is_half_explicit() ? t.order() : 3,
                      t.is_half_explicit() ? t.order() : 2,
                      {"max_order"},
                      t.is_half_explicit()});
    for (const RosenbrockTable* t : rosenbrock_tables)
      list.push_back({t->name,
                      "rosenbrock",
                      t->reference,
                      t->order,
                      t->order,
                      t->stages,
                      "M y' = f, constant M",
                      t->index_2[0],
                      t->index_2[1],
                      {}});
    list.push_back({"bdf",
                    "bdf",
                    "BrenanCampbellPetzold1996",
                    1,
                    5,
                    0,
                    "F(t, y, y') = 0",
                    5,
                    5,
                    {"max_order"}});
    list.push_back({"mebdf", "bdf", "Cash1983", 2, 6, 0, "F(t, y, y') = 0", 6, 6, {"max_order"}});
    return list;
  }();
  return methods;
}

namespace {

[[noreturn]] void refuse(std::string_view name, const std::vector<std::string>& names) {
  throw InvalidInput(fmt::format("method: '{}' is not known; did you mean {}?", name,
                                 fmt::join(nearest_names(name, names), ", ")));
}

const Tableau* look_up(std::string_view name) {
  for (const auto* methods : {&runge_kutta_methods(), &explicit_runge_kutta_methods()})
    for (const Tableau& method : *methods)
      if (method.name == name) return &method;
  return nullptr;
}

void append_tableaus(std::vector<std::string>& names) {
  for (const auto* methods : {&runge_kutta_methods(), &explicit_runge_kutta_methods()})
    for (const Tableau& method : *methods) names.push_back(method.name);
}

}  // namespace

const Tableau& find_method(std::string_view name) {
  if (const Tableau* method = look_up(name)) return *method;
  std::vector<std::string> names;
  append_tableaus(names);
  refuse(name, names);
}

void require_method(std::string_view name) {
  if (name == "radau" || look_up(name)) return;
  for (const OtherMethod& method : other_methods())
    if (method.name == name) return;
  std::vector<std::string> names = {"auto", "radau"};
  append_tableaus(names);
  for (const OtherMethod& method : other_methods()) names.push_back(method.name);
  refuse(name, names);
}

}  // namespace daedalus
