#include "regularisation/explicit_march.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "daedalus/error.h"

namespace daedalus {
namespace {

/// States of all iterates at one mesh point, and the scratch of a step.
class March {
 public:
  March(RegularisedOde& ode, const Regularisation& settings)
      : ode_(ode),
        scheme_(explicit_scheme(settings.scheme)),
        settings_(settings),
        m_(settings.iterations),
        x_(m_, Vector(ode.size())),
        rate_(m_, Vector::Zero(ode.size())),
        now_(m_ + 1, Vector::Zero(ode.carried())),
        next_(m_ + 1, Vector::Zero(ode.carried())),
        slope_(scheme_.stages, Vector(ode.size())),
        stage_(ode.size()),
        between_(ode.carried()),
        unused_(ode.carried()) {}

  void start(double t, const Vector& x) {
    guess(t, next_[0]);
    for (int s = 0; s < m_; ++s) {
      x_[s] = x;
      ode_.evaluate(t, x_[s], next_[s], rate_[s], next_[s + 1]);
    }
    now_.swap(next_);
  }

  void step(double t, double t_next) {
    guess(t_next, next_[0]);
    for (int s = 0; s < m_; ++s) advance(t, t_next - t, s);
    now_.swap(next_);
  }

  /// Column s is iterate s + 1.
  void copy_to(Matrix& x, Matrix& carried) const {
    for (int s = 0; s < m_; ++s) x.col(s) = x_[s], carried.col(s) = now_[s + 1];
  }

 private:
  void guess(double t, Vector& out) const {
    if (settings_.guess) settings_.guess(t, Output(out.data(), out.size()));
  }

  void advance(double t, double h, int s) {
    for (int j = 0; j < scheme_.stages; ++j) {
      const double c = scheme_.c[j];
      if (j == 0 && c == 0) {
        slope_[0] = rate_[s];  // known since the last step was accepted
        continue;
      }
      stage_ = x_[s];
      for (int l = 0; l < j; ++l) stage_ += h * scheme_.a[j][l] * slope_[l];
      between_ = (1 - c) * now_[s] + c * next_[s];
      ode_.evaluate(t + c * h, stage_, between_, slope_[j], unused_);
    }
    for (int j = 0; j < scheme_.stages; ++j) x_[s] += h * scheme_.b[j] * slope_[j];
    for (int k = 0; k < settings_.post_stabilisations; ++k) ode_.stabilise(t + h, x_[s]);
    ode_.evaluate(t + h, x_[s], next_[s], rate_[s], next_[s + 1]);
  }

  RegularisedOde& ode_;
  const Tableau& scheme_;
  const Regularisation& settings_;
  int m_;
  std::vector<Vector> x_, rate_;    ///< by iterate
  std::vector<Vector> now_, next_;  ///< w_0, ..., w_m at both ends of the step
  std::vector<Vector> slope_;
  Vector stage_, between_, unused_;
};

Tableau table(const char* name, int order, std::initializer_list<double> c,
              std::initializer_list<double> b) {
  Tableau method;
  method.name = name;
  method.family = "explicit";
  method.reference = "HairerNorsettWanner1993";
  method.order = order;
  method.stages = static_cast<int>(b.size());
  std::copy(c.begin(), c.end(), method.c.begin());
  std::copy(b.begin(), b.end(), method.b.begin());
  return method;
}

Tableau heun() {
  Tableau method = table("heun", 2, {0, 1}, {0.5, 0.5});
  method.a[1][0] = 1;
  return method;
}

}  // namespace

const Tableau& scheme(const std::string& name) {
  static const Tableau forward_euler = table("forward_euler", 1, {0}, {1});
  static const Tableau second_order = heun();
  if (name == "forward_euler") return forward_euler;
  if (name == "heun") return second_order;
  if (name == "midpoint") return find_method("gauss_2");
  if (name == "backward_euler") return find_method("radau_iia_1");
  return find_method(name);
}

const Tableau& explicit_scheme(const std::string& name) {
  const Tableau& method = scheme(name);
  if (is_explicit(method)) return method;
  throw InvalidInput(
      fmt::format("scheme = '{}' is implicit; this problem takes forward_euler or heun", name));
}

void require_settings(const Regularisation& settings, const std::vector<double>& mesh) {
  if (mesh.size() < 2) throw InvalidInput("mesh: at least two points are needed");
  const bool forward = mesh.back() > mesh.front();
  for (std::size_t i = 1; i < mesh.size(); ++i) {
    if (forward ? mesh[i] > mesh[i - 1] : mesh[i] < mesh[i - 1]) continue;
    throw InvalidInput(fmt::format("mesh[{}] = {:g} does not continue mesh[{}] = {:g}", i, mesh[i],
                                   i - 1, mesh[i - 1]));
  }
  if (settings.iterations < 1)
    throw InvalidInput(fmt::format("iterations = {}, must be positive", settings.iterations));
  if (!(settings.eps >= 0) || !std::isfinite(settings.eps))
    throw InvalidInput(fmt::format("eps = {:g}, must not be negative", settings.eps));
  if (settings.eps == 0 && (settings.alpha_1 == 0 || settings.pull != Pull::combination))
    throw InvalidInput("eps = 0 needs alpha_1 != 0 and Pull::combination");
  if (settings.post_stabilisations < 0)
    throw InvalidInput(
        fmt::format("post_stabilisations = {}, is negative", settings.post_stabilisations));
}

RegularisedRun march(RegularisedOde& ode, const Vector& start, const Regularisation& settings,
                     const std::vector<double>& mesh, const RegularisationObserver& observer) {
  const int m = settings.iterations;
  const auto stored = static_cast<Eigen::Index>(observer ? 1 : mesh.size());
  RegularisedRun run;
  run.mesh = observer ? std::vector<double>{mesh.back()} : mesh;
  run.nodes = run.mesh;
  run.iterates.assign(m, {Matrix(ode.size(), stored), Matrix(ode.carried(), stored)});
  run.finite_until = mesh.back();
  Matrix x(ode.size(), m), carried(ode.carried(), m);
  March iterates(ode, settings);
  for (std::size_t i = 0; i < mesh.size(); ++i) {
    if (i == 0)
      iterates.start(mesh[0], start);
    else
      iterates.step(mesh[i - 1], mesh[i]);
    iterates.copy_to(x, carried);
    if (observer) observer({mesh[i], x, carried});
    if (!observer || i + 1 == mesh.size()) {
      const Eigen::Index column = observer ? 0 : static_cast<Eigen::Index>(i);
      for (int s = 0; s < m; ++s) {
        run.iterates[s].x.col(column) = x.col(s);
        run.iterates[s].carried.col(column) = carried.col(s);
      }
    }
    if (run.succeeded() && !x.allFinite()) {
      run.finite_until = i == 0 ? mesh[0] : mesh[i - 1];
      run.message = fmt::format("not finite after t = {:g}", run.finite_until);
    }
  }
  return run;
}

std::vector<double> uniform_mesh(Interval span, int steps) {
  if (steps < 1) throw InvalidInput(fmt::format("steps = {}, must be positive", steps));
  std::vector<double> mesh(steps + 1);
  for (int i = 0; i <= steps; ++i)
    mesh[i] = span.begin + (span.end - span.begin) * (static_cast<double>(i) / steps);
  mesh.back() = span.end;
  return mesh;
}

Regularisation penalty(double eps, Weight weight) {
  return {.eps = eps, .weight = weight, .carried = Carried::multiplier};
}

Regularisation baumgarte(double a, double b) {
  return {.eps = 0, .alpha_1 = 1, .alpha_2 = a, .alpha_3 = b, .carried = Carried::multiplier};
}

Regularisation post_stabilisation(int times) {
  Regularisation settings = baumgarte(0);
  settings.post_stabilisations = times;
  return settings;
}

Regularisation staggered_stabilisation(double eps) {
  return {.eps = eps,
          .weight = Weight::identity,
          .pull = Pull::staggered,
          .carried = Carried::multiplier};
}

}  // namespace daedalus
