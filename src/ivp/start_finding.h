#pragma once
// A consistent point, and the question that it answers.
#include "analysis/consistent_start.h"
#include "stepper/stepper.h"

namespace daedalus {

struct StartFinding {
  std::shared_ptr<const EquationSet> equations, initial_equations;
  Formulation formulation;
  State guess;
  std::vector<char> fixed;
  std::vector<double> scale;
  std::vector<double> y, yp;
  StartReport report;
};

}  // namespace daedalus
