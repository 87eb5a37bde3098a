#include "bench/suite/suites.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "daedalus/error.h"
#include "method/nearest.h"

namespace daedalus::bench {
namespace {

using namespace reproduce;

SuiteProblem text(const std::string& model, double sharpest = 1e-11) {
  return {model, [=] { return text_only(model); }, sharpest};
}

SuiteProblem pump() {
  return {"pump", [] { return text_only("pump", {"I"}); }};
}

Suite initial_value_suite() {
  return {"ivp",
          "The public test set for initial value problems",
          {
              {"robertson_40", [] { return robertson(40); }},
              {"robertson_4e10", [] { return robertson(4e10); }},
              {"robertson", [] { return robertson(1e11); }},
              {"chemakzo", chemical_akzo},
              {"amplifier1", [] { return amplifier(1); }},
              {"transamp", [] { return amplifier(2); }},
              {"caraxis", [] { return car_axis(Told::as_published); }},
              {"andrews", [] { return andrews(Told::as_published); }},
              {"fekete", [] { return fekete(Told::as_published); }},
              {"pendulum_index3", pendulum_index_3},
              {"pendulum_ggl", pendulum_stabilized},
              {"arevalo_index3", [] { return arevalo(3); }},
              {"arevalo_index2", [] { return arevalo(2); }},
              {"jay_index2", jay_index_2},
              {"ascher_petzold_index2", ascher_petzold_index_2},
              {"vdpol_limit", van_der_pol_limit},
              {"brenan_index1", brenan},
              {"kvaerno_index1", kvaerno},
              {"weissinger", weissinger},
              {"kamke542", kamke},
              {"heat2d_10", heat_between_cold_walls},
              text("water"),
              pump(),
              text("tba", 1e-7),
          }};
}

Suite mechanics_suite() {
  return {"mechanics",
          "Constrained mechanisms, told as mass, forces and constraints",
          {
              {"pendulum", rod_pendulum},
              {"caraxis", [] { return car_axis(Told::as_mechanism); }},
              {"andrews", [] { return andrews(Told::as_mechanism); }},
              {"fekete", [] { return fekete(Told::as_mechanism); }},
              {"chain10", [] { return hanging_chain(10); }},
              {"chain100", [] { return hanging_chain(100); }},
              {"double_pendulum", double_pendulum},
              {"slider_crank", slider_crank_linkage},
              {"four_bar", four_bar_linkage},
              {"skate", skate},
          }};
}

Suite circuit_suite() {
  return {"circuits",
          "Circuits by nodal analysis",
          {
              {"amplifier1", [] { return amplifier(1); }},
              {"transamp", [] { return amplifier(2); }},
              {"ring_modulator_slow", [] { return ring_modulator_problem(1e-9); }},
              {"ring_modulator", [] { return ring_modulator_problem(2e-12); }, 1e-8},
              {"ring_modulator_index2", [] { return ring_modulator_problem(0); }, 1e-8},
              {"diode_bridge", diode_bridge, 1e-8},
              {"rlc", series_circuit},
              {"circuit_index2", circuit_index_2},
              pump(),
              text("tba", 1e-7),
          }};
}

Suite sparse_suite() {
  Suite suite = {"sparse", "Fields by the method of lines, up to 100,000 unknowns", {}};
  const auto add = [&](TestProblem (*make)(int, int), const char* kind, int species, int columns,
                       int rows) {
    suite.problems.push_back(
        {fmt::format("{}_{}x{}", kind, columns, rows), [=] { return make(columns, rows); }, 1e-8,
         fmt::format("{} {}-D", kind, rows == 1 ? 1 : 2), species * columns * rows});
  };
  for (const int columns : {500, 2500, 10'000, 50'000}) add(food_web, "foodweb", 2, columns, 1);
  for (const int side : {24, 72, 224}) add(food_web, "foodweb", 2, side, side);
  for (const int points : {1000, 10'000, 100'000}) add(heat, "heat", 1, points, 1);
  for (const int side : {32, 100, 316}) add(heat, "heat", 1, side, side);
  // With factors where iterations would be chosen; other codes run on the problems above.
  const auto add_direct = [&](TestProblem (*make)(int, int), const char* kind, int species,
                              int side) {
    const auto with_factors = [=] {
      TestProblem problem = make(side, side);
      problem.suggested.linear_algebra = LinearAlgebra::sparse;
      problem.first_order.reset();
      return problem;
    };
    suite.problems.push_back({fmt::format("{0}_{1}x{1}_direct", kind, side), with_factors, 1e-4,
                              fmt::format("{} 2-D, factors", kind), species * side * side});
  };
  for (const int side : {24, 72, 224}) add_direct(food_web, "foodweb", 2, side);
  for (const int side : {32, 100, 316}) add_direct(heat, "heat", 1, side);
  return suite;
}

template <class List>
auto& find_named(List& list, const std::string& name, const char* what) {
  for (auto& entry : list)
    if (entry.name == name) return entry;
  std::vector<std::string> names;
  for (const auto& entry : list) names.push_back(entry.name);
  throw InvalidInput(fmt::format("bench: there is no {} '{}'; did you mean {}?", what, name,
                                 fmt::join(nearest_names(name, names), ", ")));
}

}  // namespace

const std::vector<Suite>& suites() {
  static const std::vector<Suite> all = {initial_value_suite(),
                                         mechanics_suite(),
                                         circuit_suite(),
                                         sparse_suite(),
                                         {"bvp", "Boundary values, differential-algebraic", {}}};
  return all;
}

const Suite& find_suite(const std::string& name) {
  return find_named(suites(), name, "suite");
}

const SuiteProblem& find_problem(const std::string& suite, const std::string& name) {
  return find_named(find_suite(suite).problems, name, "problem");
}

}  // namespace daedalus::bench
