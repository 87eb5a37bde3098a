#include "method/fixed_step.h"

namespace daedalus {
namespace {

Tableau explicit_table(const char* name, int order, int stages) {
  Tableau method;
  method.name = name;
  method.family = "explicit";
  method.reference = "HairerNorsettWanner1993";
  method.order = order;
  method.stages = stages;
  return method;
}

Tableau make_forward_euler() {
  Tableau method = explicit_table("forward_euler", 1, 1);
  method.b[0] = 1;
  return method;
}

Tableau make_heun() {
  Tableau method = explicit_table("heun", 2, 2);
  method.c[1] = method.a[1][0] = 1;
  method.b[0] = method.b[1] = 0.5;
  return method;
}

}  // namespace

const Tableau* find_fixed_step_method(std::string_view name) {
  static const Tableau methods[] = {make_forward_euler(), make_heun()};
  for (const Tableau& method : methods)
    if (method.name == name) return &method;
  return nullptr;
}

}  // namespace daedalus
