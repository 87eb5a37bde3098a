// Problem forms to Systems: fully implicit, semi-explicit, singularly perturbed, Hessenberg index
// 2 and 3, higher order. (M y' = f and mechanics have files of their own.)
#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "analysis/signature.h"
#include "formulation/reduced_graph.h"
#include "problem/form_equations.h"
#include "problem/graph_outline.h"
#include "problem/system_of.h"
#include "problem/total_derivative.h"

namespace daedalus {
namespace {

Names derivatives_of(const Names& equations, const char* prefix) {
  Names names;
  for (const std::string& e : equations) names.push_back(prefix + e);
  return names;
}

Names tail(const Names& names, int count) {
  return {names.end() - count, names.end()};
}

std::shared_ptr<System> make(const Problem&, const FullyImplicit& form) {
  require(form.size > 0, "form.size must be positive");
  require(bool(form.residual), "form.residual is missing");
  auto system = std::make_shared<SystemOf<FullyImplicitEquations>>(
      FullyImplicitEquations{form.residual, form.size});
  set_size(*system, form.size);
  set_differentiable(*system, form.residual);
  system->discover_rows = true;
  system->nonlinear_in_derivatives = true;
  append_numbered(system->variables, "y", form.size);
  return system;
}

std::shared_ptr<System> make_semi_explicit(const Function<2>& f, const Function<2>& g, int n, int m,
                                           double epsilon, const char* x, const char* n_name,
                                           const char* m_name) {
  require(n >= 0 && m >= 0 && n + m > 0,
          "form.{} = {} and form.{} = {}: neither may be negative, nor both zero", n_name, n,
          m_name, m);
  require(n == 0 || bool(f), "form.f is missing");
  require(m == 0 || bool(g), "form.g is missing");
  auto system =
      std::make_shared<SystemOf<SemiExplicitEquations>>(SemiExplicitEquations{f, g, n, m, epsilon});
  set_size(*system, n + m);
  set_differentiable(*system, n > 0 ? f : Function<2>(), m > 0 ? g : Function<2>());
  system->constant_mass = system->knows_right_hand_side = true;
  append_numbered(system->variables, x, n);
  append_numbered(system->variables, "z", m);
  if (epsilon == 0) {
    mark_algebraic_rows(*system, n, n + m);
    mark_algebraic_variables(*system, n, n + m, 1);
  }
  return system;
}

std::shared_ptr<System> make(const Problem&, const SemiExplicit& form) {
  return make_semi_explicit(form.f, form.g, form.differential, form.algebraic, 0, "x",
                            "differential", "algebraic");
}

std::shared_ptr<System> make(const Problem&, const SingularlyPerturbed& form) {
  require(form.epsilon >= 0 && std::isfinite(form.epsilon),
          "form.epsilon = {}, must be finite and not negative", form.epsilon);
  return make_semi_explicit(form.f, form.g, form.slow, form.fast, form.epsilon, "y", "slow",
                            "fast");
}

std::shared_ptr<System> make(const Problem& problem, const HessenbergIndex2& form) {
  const int n = form.differential, m = form.algebraic;
  require(n > 0 && m > 0 && m <= n,
          "form.differential = {} and form.algebraic = {}: need 0 < algebraic <= differential", n,
          m);
  require(form.f && form.g, "form.f or form.g is missing");
  auto system =
      std::make_shared<SystemOf<Hessenberg2Equations>>(Hessenberg2Equations{form.f, form.g, n, m});
  set_size(*system, n + m);
  set_differentiable(*system, form.f, form.g);
  system->constant_mass = system->knows_right_hand_side = true;
  append_numbered(system->variables, "y", n);
  append_numbered(system->variables, "z", m);
  mark_algebraic_rows(*system, n, n + m);
  mark_algebraic_variables(*system, n, n + m, 2);
  system->equations = names_or(problem.equations, system->equations, "equations");

  const Names constraint = tail(system->equations, m);
  auto g = std::make_shared<Differentiated<1>>(form.g, std::array{n}, m);
  auto f = std::make_shared<Differentiated<2>>(form.f, std::array{n, m}, n);
  auto rate = std::make_shared<std::vector<double>>(n);
  system->levels.push_back({"position", constraint, [g](double t, const double* y, double* r) {
                              g->value<double>(t, {y}, r);
                            }});
  system->levels.push_back({"velocity", derivatives_of(constraint, "d/dt "),
                            [g, f, n, rate](double t, const double* y, double* r) {
                              f->value<double>(t, {y, y + n}, rate->data());
                              g->first<double>(t, {y}, {rate->data()}, r);
                            }});
  return system;
}

std::shared_ptr<System> make(const Problem& problem, const HessenbergIndex3& form) {
  const int ny = form.position, nz = form.velocity, nu = form.algebraic;
  require(ny > 0 && nz > 0 && nu > 0 && nu <= ny && nu <= nz,
          "form.position = {}, form.velocity = {}, form.algebraic = {}: need 0 < "
          "algebraic <= position, velocity",
          ny, nz, nu);
  require(form.f && form.k && form.g, "form.f, form.k or form.g is missing");
  auto system = std::make_shared<SystemOf<Hessenberg3Equations>>(
      Hessenberg3Equations{form.f, form.k, form.g, ny, nz, nu});
  set_size(*system, ny + nz + nu);
  set_differentiable(*system, form.f, form.k, form.g);
  system->constant_mass = true;
  append_numbered(system->variables, "y", ny);
  append_numbered(system->variables, "z", nz);
  append_numbered(system->variables, "u", nu);
  mark_algebraic_rows(*system, ny + nz, ny + nz + nu);
  for (int i = ny; i < ny + nz; ++i)
    system->variable_index[i] = 2, system->velocity_variable[i] = 1;
  mark_algebraic_variables(*system, ny + nz, ny + nz + nu, 3);
  system->equations = names_or(problem.equations, system->equations, "equations");

  const Names constraint = tail(system->equations, nu);
  struct Parts {
    Differentiated<2> f;
    Differentiated<3> k;
    Differentiated<1> g;
    std::vector<double> y_dot, z_dot, y_ddot;
  };
  auto parts = std::make_shared<Parts>(Parts{{form.f, {ny, nz}, ny},
                                             {form.k, {ny, nz, nu}, nz},
                                             {form.g, {ny}, nu},
                                             std::vector<double>(ny),
                                             std::vector<double>(nz),
                                             std::vector<double>(ny)});
  system->levels.push_back({"position", constraint, [parts](double t, const double* y, double* r) {
                              parts->g.value<double>(t, {y}, r);
                            }});
  system->levels.push_back({"velocity", derivatives_of(constraint, "d/dt "),
                            [parts, ny](double t, const double* y, double* r) {
                              parts->f.value<double>(t, {y, y + ny}, parts->y_dot.data());
                              parts->g.first<double>(t, {y}, {parts->y_dot.data()}, r);
                            }});
  system->levels.push_back(
      {"acceleration", derivatives_of(constraint, "d2/dt2 "),
       [parts, ny, nz](double t, const double* y, double* r) {
         Parts& p = *parts;
         p.f.value<double>(t, {y, y + ny}, p.y_dot.data());
         p.k.value<double>(t, {y, y + ny, y + ny + nz}, p.z_dot.data());
         p.f.first<double>(t, {y, y + ny}, {p.y_dot.data(), p.z_dot.data()}, p.y_ddot.data());
         p.g.second(t, {y}, {p.y_dot.data()}, {p.y_ddot.data()}, r);
       }});
  return system;
}

void add_higher_order_levels(System& system, const HigherOrder& form) {
  const int n = form.order * form.size, m = form.algebraic;
  const Names constraint = tail(system.equations, m);
  struct Parts {
    Differentiated<2> f, g;
    std::vector<double> dot, ddot;
    int n, size;
    void rates(double t, const double* y) {
      std::copy(y + size, y + n, dot.begin());
      f.value<double>(t, {y, y + n}, dot.data() + n - size);
    }
  };
  auto parts = std::make_shared<Parts>(Parts{{form.f, {n, m}, form.size},
                                             {form.g, {n, m}, m},
                                             std::vector<double>(n),
                                             std::vector<double>(n),
                                             n,
                                             form.size});
  system.levels.push_back({form.index == 1 ? "algebraic" : "position", constraint,
                           [parts](double t, const double* y, double* r) {
                             parts->g.value<double>(t, {y, y + parts->n}, r);
                           }});
  if (form.index >= 2)
    system.levels.push_back(
        {"velocity", derivatives_of(constraint, "d/dt "),
         [parts](double t, const double* y, double* r) {
           parts->rates(t, y);
           parts->g.first<double>(t, {y, y + parts->n}, {parts->dot.data(), nullptr}, r);
         }});
  if (form.index >= 3)
    system.levels.push_back(
        {"acceleration", derivatives_of(constraint, "d2/dt2 "),
         [parts](double t, const double* y, double* r) {
           Parts& p = *parts;
           p.rates(t, y);
           std::copy(p.dot.begin() + p.size, p.dot.end(), p.ddot.begin());
           p.f.first<double>(t, {y, y + p.n}, {p.dot.data(), nullptr},
                             p.ddot.data() + p.n - p.size);
           p.g.second(t, {y, y + p.n}, {p.dot.data(), nullptr}, {p.ddot.data(), nullptr}, r);
         }});
}

std::shared_ptr<System> make(const Problem& problem, const HigherOrder& form) {
  const int n = form.order * form.size, m = form.algebraic;
  require(form.order >= 1 && form.size > 0 && m >= 0,
          "form.order = {}, form.size = {}, form.algebraic = {}: need order >= 1, size "
          "> 0, algebraic >= 0",
          form.order, form.size, m);
  require(form.index >= 1 && form.index <= std::min(3, form.order + 1),
          "form.index = {}, must be between 1 and {}", form.index, std::min(3, form.order + 1));
  require(bool(form.f) && (m == 0 || bool(form.g)), "form.f or form.g is missing");
  auto system = std::make_shared<SystemOf<HigherOrderEquations>>(
      HigherOrderEquations{form.f, form.g, form.order, form.size, m});
  set_size(*system, n + m);
  set_differentiable(*system, form.f, m > 0 ? form.g : Function<2>());
  system->constant_mass = true;
  std::string primes;
  for (int j = 0; j < form.order; ++j, primes += "'")
    for (int i = 1; i <= form.size; ++i)
      system->variables.push_back((form.size == 1 ? "x" : fmt::format("x{}", i)) + primes);
  append_numbered(system->variables, "y", m);
  for (int j = 0; m > 0 && j < form.order; ++j)
    for (int i = 0; i < form.size; ++i)
      system->variable_index[j * form.size + i] = std::max(1, form.index - form.order + j);
  for (int i = 0; i < n; ++i) system->velocity_variable[i] = system->variable_index[i] > 1;
  mark_algebraic_rows(*system, n, n + m);
  mark_algebraic_variables(*system, n, n + m, form.index);
  system->equations = names_or(problem.equations, system->equations, "equations");
  if (m > 0) add_higher_order_levels(*system, form);
  return system;
}

std::shared_ptr<System> make(const Problem& problem, const LinearlyImplicit& form) {
  return make_linearly_implicit(problem, form);
}

void attach_user_jacobian(const Problem& problem, System& system) {
  require(!problem.jacobian.right_hand_side || system.supplied_jacobian,
          "jacobian.right_hand_side goes with M y' = f and constant M; use jacobian.residual here");
  if (!problem.jacobian.residual || system.supplied_jacobian) return;
  require(!std::holds_alternative<Mechanical>(problem.form),
          "jacobian.residual: a mechanical system is reformulated, its Jacobian is ours");
  auto derivative = problem.jacobian.residual;
  const int n = system.size;
  system.supplied_jacobian = [derivative, n](double t, const double* y, const double* yp, double* a,
                                             double* e) {
    MatrixOutput dF_dy(a, n, n), dF_dyp(e, n, n);
    dF_dy.setZero(), dF_dyp.setZero();
    derivative(t, Input(y, n), Input(yp, n), dF_dy, dF_dyp);
  };
}

}  // namespace

int size_of(const Form& form) {
  struct Count {
    int operator()(const FullyImplicit& f) const { return f.size; }
    int operator()(const LinearlyImplicit& f) const { return f.size; }
    int operator()(const SemiExplicit& f) const { return f.differential + f.algebraic; }
    int operator()(const HessenbergIndex2& f) const { return f.differential + f.algebraic; }
    int operator()(const HessenbergIndex3& f) const {
      return f.position + f.velocity + f.algebraic;
    }
    int operator()(const Mechanical& f) const {
      return 2 * f.coordinates + f.holonomic + f.nonholonomic;
    }
    int operator()(const HigherOrder& f) const { return f.order * f.size + f.algebraic; }
    int operator()(const SingularlyPerturbed& f) const { return f.slow + f.fast; }
    int operator()(const ExpressionGraph& f) const { return f.size; }
  };
  return std::visit(Count{}, form);
}

namespace {

/// Hidden constraints make errors of direct steps larger by powers of 1/h.
bool reduction_pays(const ExpressionGraph& form) {
  constexpr int lowest_index = 2;
  if (form.size > largest_reduced_graph || !form.equations || form.equations->rows() != form.size)
    return false;
  const StructuralAnalysis structure = analyze_structure(signature_of(*form.equations, form.size));
  return structure.regular && structure.index >= lowest_index;
}

}  // namespace

Formulation chosen_formulation(const Problem& problem, Formulation wish, bool explicit_method) {
  if (explicit_method) {
    require(wish == Formulation::automatic || wish == Formulation::projected ||
                wish == Formulation::manifold,
            "formulation = {}: explicit methods work on the constraints themselves; use "
            "projected or automatic",
            name_of(wish));
    return Formulation::manifold;
  }
  if (wish == Formulation::manifold) return wish;
  const auto* mechanical = std::get_if<Mechanical>(&problem.form);
  if (const auto* graph = std::get_if<ExpressionGraph>(&problem.form)) {
    if (wish != Formulation::automatic) {
      require(wish != Formulation::index_2,
              "formulation = {}: a model can be solved direct, projected, "
              "stabilized_index_2, baumgarte or index_1",
              name_of(wish));
      return wish;
    }
    return reduction_pays(*graph) ? Formulation::projected : Formulation::direct;
  }
  if (wish == Formulation::automatic)
    return mechanical && mechanical->holonomic > 0 ? Formulation::stabilized_index_2
                                                   : Formulation::direct;
  require(mechanical || wish == Formulation::direct,
          "formulation = {}: only the mechanical form can be reformulated; use direct "
          "or automatic",
          name_of(wish));
  return wish;
}

std::shared_ptr<System> make_system(const Problem& problem, Formulation formulation,
                                    double baumgarte_rate) {
  constexpr double decays_over_interval = 100;
  const double interval = problem.t_span.end - problem.t_span.begin;  // negative: backwards in time
  baumgarte_rate = baumgarte_rate == 0 ? decays_over_interval / interval
                                       : std::copysign(baumgarte_rate, interval);
  // Start, monitors and output of what is integrated as a field.
  const bool by_field = formulation == Formulation::manifold;
  if (by_field)
    formulation = std::holds_alternative<Mechanical>(problem.form) ? Formulation::projected
                                                                   : Formulation::direct;
  std::shared_ptr<System> system = std::visit(
      [&](const auto& form) -> std::shared_ptr<System> {
        if constexpr (std::is_same_v<std::decay_t<decltype(form)>, Mechanical>)
          return make_mechanical(problem, form, formulation, baumgarte_rate);
        else if constexpr (std::is_same_v<std::decay_t<decltype(form)>, ExpressionGraph>)
          return by_field && outline_suffices(form) ? make_graph_outline(problem, form)
                 : formulation == Formulation::direct || formulation == Formulation::automatic
                     ? make_graph_system(problem, form)
                     : make_reduced_graph(problem, form, formulation, baumgarte_rate);
        else
          return make(problem, form);
      },
      problem.form);
  Names visible(system->variables.begin(), system->variables.begin() + system->visible);
  visible = names_or(problem.variables, visible, "variables");
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : problem.variables)
    require(seen.insert(name).second, "variables has the name \"{}\" twice", name);
  std::copy(visible.begin(), visible.end(), system->variables.begin());
  if (system->levels.empty() && !std::holds_alternative<ExpressionGraph>(problem.form)) {
    if (system->equations.empty() || !problem.equations.empty())
      system->equations = names_or(problem.equations, system->equations, "equations");
    if (!system->discover_rows) add_algebraic_level(*system);
  }
  if (!problem.variable_index.empty()) {
    require(static_cast<int>(problem.variable_index.size()) == system->visible,
            "variable_index has {} entries, the problem has {} variables",
            problem.variable_index.size(), system->visible);
    for (int i = 0; i < system->visible; ++i) {
      const int index = problem.variable_index[i];
      require(index >= 1 && index <= 3, "variable_index of {} is {}, must be 1, 2 or 3",
              system->variables[i], index);
      system->variable_index[i] = index;
    }
  }
  if (problem.sparsity)
    for (const auto& [row, column] : *problem.sparsity)
      require(row >= 0 && row < system->visible && column >= 0 && column < system->visible,
              "sparsity has the entry ({}, {}), outside of {} equations", row, column,
              system->visible);
  // Reformulated mechanics has other rows than those the user's pattern speaks of.
  if (!system->sparsity && (formulation == Formulation::direct))
    system->sparsity = problem.sparsity;
  attach_user_jacobian(problem, *system);
  return system;
}

}  // namespace daedalus
