// The shipped models with known solutions, solved as a user would: text in, end values out.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "daedalus/model.h"

namespace daedalus {
namespace {

const std::string models = std::string(DAEDALUS_DATA_DIR) + "/../models/";

/// Significant correct digits, mixed: relative to max(|reference|, 1), as atol = rtol asks for.
double digits(const Solution& solution, const nlohmann::json& reference) {
  double worst = 1e-17;
  const auto& names = reference["variables"];
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (reference["values"][i].is_null()) continue;
    const auto scored = reference.find("score_variables");
    if (scored != reference.end() &&
        std::find(scored->begin(), scored->end(), names[i]) == scored->end())
      continue;
    const double expected = std::stod(reference["values"][i].get<std::string>());
    if (!std::isfinite(expected)) continue;
    const double found = solution.value(-1, names[i].get<std::string>());
    worst = std::max(worst, std::abs(found - expected) / std::max(std::abs(expected), 1.0));
  }
  return -std::log10(worst);
}

struct ModelCase {
  const char* name;
  double digits;  ///< to be reached at rtol 1e-8
  const char* method = "radau";
};

class ShippedModel : public testing::TestWithParam<ModelCase> {};

TEST_P(ShippedModel, ReachesItsReference) {
  const auto [name, wanted, method] = GetParam();
  std::ifstream file(models + "references.json");
  const nlohmann::json all = nlohmann::json::parse(file);
  const nlohmann::json& reference = (all.contains("models") ? all["models"] : all)[name];
  const Model model = Model::from_file(models + name + ".mo");
  Options options = model.options();
  options.rtol = 1e-8;
  options.method = method;
  options.at = {model.problem().t_span.end};
  options.dense = false;
  const Solution solution = solve(model.problem(), model.scaled(options));
  ASSERT_TRUE(solution.succeeded()) << solution.message.text();
  const double reached = digits(solution, reference);
  std::printf("%-24s %5.1f digits, %6lld steps\n", name, reached,
              static_cast<long long>(solution.statistics.steps));
  EXPECT_GE(reached, wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Gallery, ShippedModel,
    testing::Values(ModelCase{"chemakzo", 6}, ModelCase{"transamp", 6}, ModelCase{"robertson", 6},
                    ModelCase{"robertson_4e10", 6}, ModelCase{"robertson_40", 6},
                    ModelCase{"caraxis", 6}, ModelCase{"fekete", 6},
                    ModelCase{"pendulum_index3", 6}, ModelCase{"jay_index2", 6},
                    ModelCase{"ascher_petzold_index2", 6}, ModelCase{"brenan_index1", 6},
                    ModelCase{"kvaerno_index1", 6}, ModelCase{"weissinger", 6},
                    ModelCase{"kamke542", 6}, ModelCase{"vdpol_limit", 6},
                    ModelCase{"heat2d_10", 6}, ModelCase{"water", 6}, ModelCase{"pump", 6},
                    ModelCase{"bouncing_ball", 8}, ModelCase{"tank", 7}, ModelCase{"contact", 7},
                    ModelCase{"projectile", 7}, ModelCase{"pendulum_ggl", 6},
                    ModelCase{"arevalo_index3", 6}, ModelCase{"arevalo_index2", 6},
                    ModelCase{"andrews", 6}, ModelCase{"crane", 6},
                    ModelCase{"path_control_index4", 6}, ModelCase{"path_control_index5", 6},
                    ModelCase{"ring_modulator_index2", 6}, ModelCase{"tba", 6}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(Motions, ShippedModel,
                         testing::Values(ModelCase{"four_bar_change_point", 6, "dop853"},
                                         ModelCase{"slider_crank_singular", 6, "dop853"},
                                         ModelCase{"four_bar", 6, "dop853"},
                                         ModelCase{"slider_crank", 6, "dop853"},
                                         ModelCase{"pendulum_index3", 6, "dop853"},
                                         ModelCase{"skate", 6, "dop853"},
                                         ModelCase{"jay_index2", 6, "dop853"},
                                         ModelCase{"ascher_petzold_index2", 6, "dop853"},
                                         ModelCase{"bouncing_ball", 8, "dop853"}),
                         [](const auto& test) { return std::string(test.param.name); });

// What the program does without being told.
INSTANTIATE_TEST_SUITE_P(
    Chosen, ShippedModel,
    testing::Values(ModelCase{"andrews", 6, "auto"}, ModelCase{"caraxis", 6, "auto"},
                    ModelCase{"fekete", 6, "auto"}, ModelCase{"pendulum_index3", 6, "auto"},
                    ModelCase{"pendulum_ggl", 6, "auto"}, ModelCase{"arevalo_index3", 6, "auto"},
                    ModelCase{"four_bar_change_point", 6, "auto"}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace daedalus
