// The hanging chain of rigid links. Ten of them are a model of the collection; the reference of a
// hundred comes from equations of motion for their angles.
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "io/embedded.h"
#include "reproduce/link_chain.h"
#include "reproduce/testset.h"

namespace daedalus::reproduce {
namespace {

/// The index 1 form node by node, y = (x, y, u, v, lambda) of each: banded.
struct ChainFirstOrder {
  int links;
  double length;

  template <class Y, class Out>
  void operator()(const Y& y, Out& out) const {
    using Scalar = std::decay_t<decltype(y[0])>;
    const double mass = length;  // total length and mass are 1
    Scalar pull_x = 0.0, pull_y = 0.0, acceleration_x = 0.0, acceleration_y = 0.0;
    for (int i = 0; i < links; ++i) {
      const int k = 5 * i;
      const auto difference = [&](int c) {
        return i == 0 ? Scalar(y[c]) : y[k + c] - y[k + c - 5];
      };
      const Scalar dx = difference(0), dy = difference(1), du = difference(2), dv = difference(3);
      if (i == 0) pull_x = y[4] * dx, pull_y = y[4] * dy;
      Scalar next_x = 0.0, next_y = 0.0;
      if (i + 1 < links) {
        next_x = y[k + 9] * (y[k + 5] - y[k]);
        next_y = y[k + 9] * (y[k + 6] - y[k + 1]);
      }
      const Scalar ax = (next_x - pull_x) / mass, ay = (next_y - pull_y) / mass - chain_gravity;
      out[k] = y[k + 2];
      out[k + 1] = y[k + 3];
      out[k + 2] = ax;
      out[k + 3] = ay;
      out[k + 4] = dx * (ax - acceleration_x) + dy * (ay - acceleration_y) + du * du + dv * dv;
      pull_x = next_x, pull_y = next_y, acceleration_x = ax, acceleration_y = ay;
    }
  }
};

/// From a file {links: {"digits": d, "x": [...], "y": [...], "u": [...], "v": [...]}}; nothing is
/// known of other chains.
TestProblem with_reference(int links) {
  static const nlohmann::json all = nlohmann::json::parse(embedded("data/bench/chain.json"));
  TestProblem result;
  const auto found = all.find(std::to_string(links));
  if (found == all.end()) return result;
  result.reference_digits = (*found)["digits"];
  result.reference.resize(4 * links);
  int at = 0;
  for (const char* letter : {"x", "y", "u", "v"})
    for (int i = 0; i < links; ++i) {
      result.reference[at++] = (*found)[letter][static_cast<std::size_t>(i)];
      result.names.push_back(fmt::format("{}[{}]", letter, i + 1));
    }
  return result;
}

}  // namespace

TestProblem hanging_chain(int links) {
  TestProblem result = links == 10 ? shipped("chain") : with_reference(links);
  result.name = fmt::format("chain{}", links);
  result.title = fmt::format(
      "Chain of {} rigid links released at 45 degrees; other codes get its index 1 form", links);
  result.model = "chain";
  result.parameters = {{"N", links}};
  result.statement.problem = link_chain(links, 1);
  const double length = 1.0 / links;
  Vector others_start = Vector::Zero(5 * links);
  for (int i = 0; i < links; ++i)
    for (int c = 0; c < 2; ++c)
      others_start[5 * i + c] = Vector(result.statement.problem.start)[2 * i + c];
  Vector diagonal = Vector::Ones(5 * links);
  for (int i = 0; i < links; ++i) diagonal[5 * i + 4] = 0;
  Statement others = {.start_is_guess = true, .lower = 14, .upper = 7};
  others.problem = {.form = LinearlyImplicit{.size = 5 * links,
                                             .mass = Mass::diagonal(diagonal),
                                             .f = ChainFirstOrder{links, length}},
                    .t_span = {0, 1},
                    .start = others_start};
  // The model lists x, y, u, v of all nodes one after the other.
  result.statement.place.clear();
  for (int c = 0; c < 4; ++c) {
    for (int i = 0; i < links; ++i) {
      result.statement.place.push_back((c < 2 ? 0 : 2 * links) + 2 * i + c % 2);
      others.place.push_back(5 * i + c);
    }
  }
  result.first_order = others;
  result.differential.resize(static_cast<std::size_t>(result.reference.size()));
  std::iota(result.differential.begin(), result.differential.end(), 0);
  return result;
}

}  // namespace daedalus::reproduce
