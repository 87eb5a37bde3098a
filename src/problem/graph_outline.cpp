#include "problem/graph_outline.h"

#include <stdexcept>

#include "expression/equation_set.h"
#include "problem/system_of.h"

namespace daedalus {
namespace {

class GraphOutline final : public System {
 public:
  void residual(double, const double*, const double*, double*) const override { refuse(); }
  void residual(const Dual&, const Dual*, const Dual*, Dual*) const override { refuse(); }

 private:
  [[noreturn]] static void refuse() { throw std::logic_error("an outline has no equations"); }
};

}  // namespace

bool outline_suffices(const ExpressionGraph& form) {
  return !form.switching && !(form.initial_equations && form.initial_equations->rows() > 0);
}

std::shared_ptr<System> make_graph_outline(const Problem& problem, const ExpressionGraph& form) {
  auto system = std::make_shared<GraphOutline>();
  set_size(*system, form.size);
  system->visible = form.visible;
  system->modes = std::make_shared<std::vector<double>>();
  if (form.discrete) *system->modes = *form.discrete;
  Names variables;
  append_numbered(variables, "y", form.size);
  system->variables = names_or(form.variables, variables, "form.variables");
  system->equations = names_or(form.equation_names, system->equations, "form.equation_names");
  system->equations = names_or(problem.equations, system->equations, "equations");
  return system;
}

}  // namespace daedalus
