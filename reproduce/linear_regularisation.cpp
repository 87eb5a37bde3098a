// Tables 5.1 to 5.7 of [AscherLin1996]: linear problems of index 2 with a constraint that is
// singular at t = 1/2. Where the text leaves a choice open, the one that gives the printed numbers:
// - B y is reported at the midpoint left of t (Table 5.1) or at t itself (Euler's methods);
// - Table 5.2 holds the iterates of the terminal value problem; its terminal value keeps x2 and
//   takes x1 from the constraint;
// - a mesh point on the singular time is moved on by half a step.
#include <cmath>
#include <map>
#include <tuple>

#include "daedalus/regularisation.h"
#include "reproduce/printed_table.h"

namespace daedalus::reproduce {
namespace {

constexpr Interval span = {0, 1};

/// Examples 1 to 3: x' = [[-1, 1], [0, 0]] x + (0, w) y + (-sin t, 0), w = 1 - 2t, with the
/// constraint c (x1 + x2 - exp(-t) - sin t) = 0, c = w or c = 1. x = (exp(-t), sin t), B y = (0,
/// cos t).
LinearIndex2 example(bool is_singular) {
  LinearIndex2 problem;
  problem.differential = 2;
  problem.algebraic = 1;
  problem.A = [](auto, auto a) { a << -1, 1, 0, 0; };
  problem.B = [](auto t, auto b) {
    b(0, 0) = 0;
    b(1, 0) = 1 - 2 * t;
  };
  problem.C = [is_singular](auto t, auto c) {
    using S = decltype(t);
    const S weight = is_singular ? S(1 - 2 * t) : S(1);
    c(0, 0) = weight;
    c(0, 1) = weight;
  };
  problem.q = [](auto t, auto q) {
    q[0] = -sin(t);
    q[1] = 0;
  };
  problem.r = [is_singular](auto t, auto r) {
    using S = decltype(t);
    r[0] = -(is_singular ? S(1 - 2 * t) : S(1)) * (exp(-t) + sin(t));
  };
  return problem;
}

Vector example_x(double t) {
  return Values{std::exp(-t), std::sin(t)};
}

LinearIndex2 initial_value_example(bool is_singular) {
  LinearIndex2 problem = example(is_singular);
  problem.at_begin = Matrix::Identity(2, 2);
  problem.values = example_x(0);
  return problem;
}

/// x1(1) + x2(0) = 1/e; the constraint at 0 is the other condition.
LinearIndex2 boundary_value_example() {
  LinearIndex2 problem = example(true);
  problem.at_begin = Matrix{{0.0, 1.0}};
  problem.at_end = Matrix{{1.0, 0.0}};
  problem.values = Vector::Constant(1, std::exp(-1.0));
  return problem;
}

/// Example 4: B = C^T, C = (t - 1/2, t^2 - 1/4), A = 0, x1 = x2 = y = exp(t).
LinearIndex2 example_4() {
  LinearIndex2 problem;
  problem.differential = 2;
  problem.algebraic = 1;
  problem.C = [](auto t, auto c) {
    c(0, 0) = t - 0.5;
    c(0, 1) = t * t - 0.25;
  };
  problem.B = [](auto t, auto b) {
    b(0, 0) = t - 0.5;
    b(1, 0) = t * t - 0.25;
  };
  problem.q = [](auto t, auto q) {
    q[0] = exp(t) * (1.5 - t);
    q[1] = exp(t) * (1.25 - t * t);
  };
  problem.r = [](auto t, auto r) { r[0] = -(t * t + t - 0.75) * exp(t); };
  problem.at_begin = Matrix::Identity(2, 2);
  problem.values = Values{1, 1};
  return problem;
}

/// Violation of the constraint of Examples 1 and 2.
double drift(double t, const Vector& x) {
  return std::abs((1 - 2 * t) * (x[0] + x[1] - std::exp(-t) - std::sin(t)));
}

double largest(const Vector& v) {
  return v.cwiseAbs().maxCoeff();
}

/// Errors of one iterate of Examples 1 to 3, at one time or the largest of all.
struct Errors {
  RegularisedRun run = {};

  double x(int iteration, int i) const {
    return largest(run.iterates[iteration - 1].x.col(i) - example_x(run.mesh[i]));
  }
  /// At the last node up to mesh point i.
  double product(int iteration, int i) const {
    int node = 0;
    double latest = -1;
    for (std::size_t k = 0; k < run.nodes.size(); ++k) {
      if (run.nodes[k] <= latest || run.nodes[k] > run.mesh[i]) continue;
      node = static_cast<int>(k);
      latest = run.nodes[k];
    }
    return largest(run.iterates[iteration - 1].carried.col(node) -
                   Vector(Values{0, std::cos(run.nodes[node])}));
  }
  double drift_at(int iteration, int i) const {
    return drift(run.mesh[i], run.iterates[iteration - 1].x.col(i));
  }
  double at(const std::string& quantity, int iteration, int i) const {
    if (quantity == "ex") return x(iteration, i);
    return quantity == "ey" ? product(iteration, i) : drift_at(iteration, i);
  }
};

int mesh_index(double t, int steps) {
  return static_cast<int>(std::lround(t * steps));
}

constexpr int coarse = 100;  // h = 0.01 for the midpoint rule
constexpr int fine = 1000;   // h = 0.001 for Euler's methods

RegularisedRun midpoint_run(double eps) {
  return regularise(boundary_value_example(), {.eps = eps, .iterations = 3, .scheme = "midpoint"},
                    uniform_mesh(span, coarse));
}

/// From x2(1) and B y near t = 1 of the run forward, back to the start.
RegularisedRun shooting_back(double eps) {
  const RegularisedRun forward = midpoint_run(eps);
  LinearIndex2 problem = example(true);
  problem.at_begin = Matrix{{0.0, 1.0}};
  problem.values = Vector::Constant(1, forward.last().x(1, coarse));
  const Vector product = forward.last().carried.rightCols(1);
  return regularise(problem,
                    {.eps = eps,
                     .iterations = 3,
                     .scheme = "midpoint",
                     .guess = [product](double, Output z) { z = product; }},
                    uniform_mesh({1, 0}, coarse));
}

RegularisedRun euler_run(const PrintedEntry& entry, bool is_singular) {
  const LinearIndex2 problem = initial_value_example(is_singular);
  const double y0 = entry.y0;
  return regularise(problem,
                    {.eps = entry.eps,
                     .alpha_1 = entry.alpha_1,
                     .iterations = 3,
                     .scheme = entry.method,
                     .guess =
                         [y0](double t, Output z) {
                           z[0] = 0;
                           z[1] = (1 - 2 * t) * y0;
                         }},
                    off_singularities(uniform_mesh(span, fine), problem));
}

/// Runs that several entries share.
template <class Key, class Make>
const Errors& shared(std::map<Key, Errors>& runs, const Key& key, const Make& make) {
  const auto found = runs.find(key);
  if (found != runs.end()) return found->second;
  return runs.emplace(key, Errors{make()}).first->second;
}

using EulerKey = std::tuple<std::string, double, double>;

ReproduceSummary compare_euler(const std::string& number, bool is_singular,
                               const ReproduceOptions& options, std::ostream& out) {
  std::map<EulerKey, Errors> runs;
  return compare_with_print(
      number,
      [&](const PrintedEntry& entry) {
        const Errors& errors = shared(runs, EulerKey{entry.method, entry.alpha_1, entry.y0},
                                      [&] { return euler_run(entry, is_singular); });
        if (entry.t > 0)
          return errors.at(entry.quantity, entry.iteration, mesh_index(entry.t, fine));
        double worst = 0;
        const std::string quantity = entry.quantity.substr(0, 2);
        for (int i = 1; i <= fine; ++i)
          worst = std::max(worst, errors.at(quantity, entry.iteration, i));
        return worst;
      },
      options, out);
}

/// Largest errors of x and B y over the mesh, Example 4.
std::pair<double, double> example_4_errors(const PrintedEntry& entry) {
  const LinearIndex2 problem = example_4();
  const bool is_staggered = entry.method == "staggered";
  Regularisation settings = is_staggered ? staggered_stabilisation(entry.eps) : Regularisation();
  settings.eps = entry.eps;
  settings.iterations = entry.iteration;
  settings.scheme = "backward_euler";
  const auto C = [](double t) { return Vector(Values{t - 0.5, t * t - 0.25}); };
  settings.guess = [=](double t, Output w) {
    if (is_staggered)
      w[0] = 1;
    else
      w = C(t);
  };
  std::vector<double> mesh = uniform_mesh(span, fine);
  if (!is_staggered) mesh = off_singularities(mesh, problem);
  const RegularisedRun run = regularise(problem, settings, mesh);
  double x_error = 0, product_error = 0;
  for (std::size_t i = 1; i < run.mesh.size(); ++i) {
    const double e = std::exp(run.mesh[i]);
    x_error = std::max(x_error, (run.last().x.col(i).head(2).array() - e).abs().maxCoeff());
  }
  for (std::size_t k = is_staggered ? 1 : 0; k < run.nodes.size(); ++k) {
    const Vector c = C(run.nodes[k]);
    const Vector w = run.last().carried.col(k);
    const Vector product = is_staggered ? Vector(c * w[0]) : w;
    product_error = std::max(product_error, largest(product - c * std::exp(run.nodes[k])));
  }
  return {x_error, product_error};
}

}  // namespace

ReproduceSummary reproduce_table_5_1(const ReproduceOptions& options, std::ostream& out) {
  std::map<double, Errors> runs;
  return compare_with_print(
      "5_1",
      [&](const PrintedEntry& entry) {
        return shared(runs, entry.eps, [&] { return midpoint_run(entry.eps); })
            .at(entry.quantity, entry.iteration, mesh_index(entry.t, coarse));
      },
      options, out);
}

ReproduceSummary reproduce_table_5_2(const ReproduceOptions& options, std::ostream& out) {
  std::map<double, Errors> runs;
  return compare_with_print(
      "5_2",
      [&](const PrintedEntry& entry) {
        return shared(runs, entry.eps, [&] { return shooting_back(entry.eps); })
            .at(entry.quantity, entry.iteration, coarse - mesh_index(entry.t, coarse));
      },
      options, out);
}

ReproduceSummary reproduce_table_5_3(const ReproduceOptions& options, std::ostream& out) {
  return compare_euler("5_3", true, options, out);
}

ReproduceSummary reproduce_table_5_4(const ReproduceOptions& options, std::ostream& out) {
  return compare_euler("5_4", true, options, out);
}

ReproduceSummary reproduce_table_5_5(const ReproduceOptions& options, std::ostream& out) {
  return compare_euler("5_5", true, options, out);
}

ReproduceSummary reproduce_table_5_6(const ReproduceOptions& options, std::ostream& out) {
  return compare_euler("5_6", false, options, out);
}

ReproduceSummary reproduce_table_5_7(const ReproduceOptions& options, std::ostream& out) {
  std::map<std::pair<std::string, double>, std::pair<double, double>> errors;
  return compare_with_print(
      "5_7",
      [&](const PrintedEntry& entry) {
        const auto key = std::pair(entry.method, entry.eps);
        if (!errors.contains(key)) errors[key] = example_4_errors(entry);
        return entry.quantity == "exg" ? errors[key].first : errors[key].second;
      },
      options, out);
}

}  // namespace daedalus::reproduce
