#include "analysis/contradictions.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace daedalus {
namespace {

constexpr int most_conditions = 400, most_sets = 10;
constexpr double negligible = 1e-6;  // beside the largest residual out of reach

/// Numbers below `rows` are equations, the others fixed variables.
using Conditions = std::vector<int>;

class Trial {
 public:
  Trial(const System& system, const ConstraintSet& set, double t, const std::vector<double>& start,
        const std::vector<double>& scale)
      : system_(system), set_(set), t_(t), start_(start), size_(scale) {
    start_.resize(static_cast<std::size_t>(set.unknowns), 0.0);
    for (const int of : set.derivative_of) size_.push_back(scale[of]);
  }

  int rows() const { return static_cast<int>(set_.equations.size()); }

  bool holds(const Conditions& conditions) const {
    auto [rows, freedom] = split(conditions);
    if (rows.empty()) return true;
    if (solvable(rows, freedom)) return true;
    // Where algebraic variables alone cannot do it, all move alike, as in the search for a start.
    if (!set_.below_top.empty() || !set_.derivative_of.empty()) return false;
    for (double& each : freedom) each = std::min(each, 1.0);
    return solvable(rows, freedom);
  }

  /// Where the search for a point gets stuck, the residual that no free unknown can reach tells
  /// which equations are in each other's way: of those, the ones that hang together with the
  /// largest, and the fixed values in them. A good guess, no more.
  Conditions suspects(const Conditions& conditions) const {
    const auto [rows, freedom] = split(conditions);
    if (rows.empty()) return {};
    NearestPoint solver(static_cast<int>(rows.size()), size_, freedom, set_.rank_threshold);
    const Part part(*this, rows);
    std::vector<double> x = start_;
    solver.solve(part, x.data(), 60);
    const Vector stuck = solver.unreachable(part, x.data()).cwiseAbs();
    if (!stuck.allFinite()) return {};
    const Matrix& jacobian = solver.jacobian();
    Eigen::Index worst = 0;
    const double largest = stuck.maxCoeff(&worst);
    std::vector<Eigen::Index> queue = {worst};
    std::vector<char> taken(rows.size(), 0), seen(freedom.size(), 0);
    taken[worst] = 1;
    while (!queue.empty()) {
      const Eigen::Index i = queue.back();
      queue.pop_back();
      for (Eigen::Index j = 0; j < jacobian.cols(); ++j) {
        if (jacobian(i, j) == 0 || seen[j]) continue;
        seen[j] = 1;
        if (freedom[j] == 0) continue;
        for (Eigen::Index k = 0; k < jacobian.rows(); ++k)
          if (!taken[k] && jacobian(k, j) != 0 && stuck[k] > negligible * largest)
            taken[k] = 1, queue.push_back(k);
      }
    }
    Conditions result;
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (taken[k]) result.push_back(rows[k]);
    for (const int k : conditions)
      if (k >= this->rows() && seen[static_cast<std::size_t>(k - this->rows())])
        result.push_back(k);
    return result;
  }

  /// The equation itself, whichever of its derivatives takes part.
  std::string name(int condition) const {
    if (condition >= rows()) return system_.variables[condition - rows()];
    const std::string& label = set_.equations[condition];
    const auto prefix = label.starts_with('d') ? label.find("/dt") : std::string::npos;
    const auto space = prefix == std::string::npos ? prefix : label.find(' ', prefix);
    return space == std::string::npos ? label : label.substr(space + 1);
  }

 private:
  /// Equations, and how freely the unknowns move beside the fixed ones.
  std::pair<Conditions, std::vector<double>> split(const Conditions& conditions) const {
    Conditions rows;
    std::vector<double> freedom = set_.freedom;
    for (const int k : conditions) {
      if (k < this->rows())
        rows.push_back(k);
      else
        freedom[static_cast<std::size_t>(k - this->rows())] = 0;
    }
    return {std::move(rows), std::move(freedom)};
  }

  bool solvable(const Conditions& rows, const std::vector<double>& freedom) const {
    NearestPoint solver(static_cast<int>(rows.size()), size_, freedom, set_.rank_threshold);
    const Part part(*this, rows);
    // A guess may be a singular point of equations that do not contradict each other at all.
    for (const double distance : {0.0, 0.1, 1.0}) {
      std::vector<double> x = start_;
      std::mt19937 random(1);
      std::uniform_real_distribution<double> move(-distance, distance);
      for (std::size_t j = 0; j < x.size() && distance > 0; ++j)
        if (freedom[j] > 0) x[j] += size_[j] * move(random);
      if (solver.solve(part, x.data(), 60) && (distance == 0 || near_start(x))) return true;
    }
    return false;
  }

  /// Not run off to infinity, where a product with something next to zero may be anything.
  bool near_start(const std::vector<double>& x) const {
    for (std::size_t j = 0; j < x.size(); ++j)
      if (!(std::abs(x[j] - start_[j]) <= farthest_start * size_[j])) return false;
    return true;
  }

  struct Part final : PointEquations {
    const Trial& trial;
    const Conditions& rows;
    Part(const Trial& all, const Conditions& chosen) : trial(all), rows(chosen) {}
    void evaluate(const double* x, double* r) const override {
      std::vector<double> every(static_cast<std::size_t>(trial.rows()));
      trial.set_.evaluate(trial.t_, x, every.data());
      for (std::size_t k = 0; k < rows.size(); ++k) r[k] = every[rows[k]];
    }
    void linearize(const double* x, double* jacobian) const override {
      Matrix every(trial.rows(), trial.set_.unknowns);
      trial.set_.linearize(trial.t_, x, every.data());
      Eigen::Map<Matrix> out(jacobian, static_cast<Eigen::Index>(rows.size()), every.cols());
      for (std::size_t k = 0; k < rows.size(); ++k)
        out.row(static_cast<Eigen::Index>(k)) = every.row(rows[k]);
    }
  };

  const System& system_;
  const ConstraintSet& set_;
  double t_;
  std::vector<double> start_, size_;
};

Conditions joined(const Conditions& a, const Conditions& b) {
  Conditions both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

/// What of `candidates` contradicts `background` and itself; `grown`: the background is new.
Conditions smallest(const Trial& trial, const Conditions& background, bool grown,
                    const Conditions& candidates) {
  if (grown && !trial.holds(background)) return {};
  if (candidates.size() <= 1) return candidates;
  const auto half = candidates.begin() + static_cast<std::ptrdiff_t>(candidates.size() / 2);
  const Conditions first(candidates.begin(), half), second(half, candidates.end());
  const Conditions b = smallest(trial, joined(background, first), true, second);
  const Conditions a = smallest(trial, joined(background, b), !b.empty(), first);
  return joined(a, b);
}

}  // namespace

std::vector<Names> contradictions(const System& system, const ConstraintSet& set, double t,
                                  const std::vector<double>& start, const std::vector<char>& fixed,
                                  const std::vector<double>& scale) {
  const Trial trial(system, set, t, start, scale);
  // Equations first: where there is a choice, the set holds the values that a user can change.
  Conditions open(static_cast<std::size_t>(trial.rows()));
  std::iota(open.begin(), open.end(), 0);
  for (std::size_t j = 0; j < fixed.size(); ++j)
    if (fixed[j]) open.push_back(trial.rows() + static_cast<int>(j));
  std::vector<Names> found;
  if (open.size() > most_conditions) return found;
  while (found.size() < most_sets && !trial.holds(open)) {
    Conditions candidates = trial.suspects(open);
    if (trial.holds(candidates)) candidates = open;
    Conditions members = smallest(trial, {}, false, candidates);
    if (members.empty()) break;
    std::sort(members.begin(), members.end());
    const int last = members.back();
    std::stable_partition(members.begin(), members.end(), [&](int k) { return k >= trial.rows(); });
    Names names;
    for (const int k : members)
      if (const std::string name = trial.name(k);
          std::find(names.begin(), names.end(), name) == names.end())
        names.push_back(name);
    found.push_back(names);
    std::erase(open, last);
  }
  return found;
}

}  // namespace daedalus
