// What all test problems share: reference values and the comparison with them.
#include "reproduce/testset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include "daedalus/error.h"
#include "io/embedded.h"

namespace daedalus::reproduce {
namespace {

const nlohmann::json& model_references() {
  static const nlohmann::json all =
      nlohmann::json::parse(embedded("models/references.json"))["models"];
  return all;
}

}  // namespace

double significant_digits(const TestProblem& problem, const std::vector<int>& chosen,
                          const std::function<double(int)>& value) {
  double worst = -1;
  for (const int i : chosen) {
    const double expected = problem.reference[i];
    if (!std::isfinite(expected)) continue;
    const double nominal = problem.nominal.empty() ? 1 : problem.nominal[i];
    const double error =
        std::abs(value(i) - expected) / (problem.atol_factor * nominal + std::abs(expected));
    if (std::isnan(error)) return -std::numeric_limits<double>::infinity();
    worst = std::max(worst, error);
  }
  if (worst == -1) return std::numeric_limits<double>::quiet_NaN();
  return -std::log10(std::max(worst, 1e-17));
}

TestProblem shipped(const std::string& model) {
  const auto found = model_references().find(model);
  if (found == model_references().end())
    throw InvalidInput("no reference values of the model " + model);
  TestProblem result;
  result.name = result.model = model;
  result.names = (*found)["variables"].get<Names>();
  const std::size_t count = result.names.size();
  result.reference =
      Vector::Constant(static_cast<Eigen::Index>(count), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < count; ++i) {
    const auto& text = (*found)["values"][i];
    if (!text.is_null())
      result.reference[static_cast<Eigen::Index>(i)] = std::stod(text.get<std::string>());
  }
  // How far the published values agree with ours, or two of our own computations.
  result.reference_digits = std::min(16.0, std::max(found->value("verified_digits", 0.0),
                                                    found->value("self_agreement_digits", 0.0)));
  result.differential.resize(count);
  std::iota(result.differential.begin(), result.differential.end(), 0);
  const auto scored = found->find("score_variables");
  if (scored != found->end()) {
    std::erase_if(result.differential, [&](int i) {
      return std::find(scored->begin(), scored->end(), result.names[static_cast<std::size_t>(i)]) ==
             scored->end();
    });
  }
  result.statement.place.resize(count);
  std::iota(result.statement.place.begin(), result.statement.place.end(), 0);
  return result;
}

}  // namespace daedalus::reproduce
