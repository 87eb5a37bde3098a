#include "rates.h"

#include <algorithm>
#include <random>

#include "expression/code_generation.h"
#include "expression/equation_set.h"

namespace daedalus::peers {
namespace {

bool comes_before(const Rates::Entry& a, const Rates::Entry& b) {
  return a.column != b.column ? a.column < b.column : a.row < b.row;
}

void put_in_order(std::vector<Rates::Entry>& entries) {
  std::sort(entries.begin(), entries.end(), comes_before);
  const auto same = [](const Rates::Entry& a, const Rates::Entry& b) {
    return a.row == b.row && a.column == b.column;
  };
  entries.erase(std::unique(entries.begin(), entries.end(), same), entries.end());
}

/// Functions, and columns without a common row differentiated in one direction.
class FunctionRates final : public Rates {
 public:
  FunctionRates(const Problem& problem, const LinearlyImplicit& form, const Vector& start)
      : f_(form.f),
        point_(static_cast<std::size_t>(form.size)),
        slope_(static_cast<std::size_t>(form.size)) {
    size = form.size, mass = form.mass.entries(size);
    find_pattern(problem, start);
    group_columns();
  }

  void values(double t, const double* y, const double*, double* out) override {
    f_(t, {Input(y, size)}, Output(out, size));
  }

  void derivatives(double t, const double* y, const double*, double, double* out) override {
    for (int i = 0; i < size; ++i) point_[static_cast<std::size_t>(i)] = Dual(y[i]);
    for (std::size_t first = 0; first < groups_.size(); first += dual_directions) {
      const std::size_t count = std::min<std::size_t>(dual_directions, groups_.size() - first);
      for (std::size_t k = 0; k < count; ++k)
        for (const Column& c : groups_[first + k])
          point_[static_cast<std::size_t>(c.column)].d[k] = 1;
      differentiate(t);
      for (std::size_t k = 0; k < count; ++k) {
        for (const Column& c : groups_[first + k]) {
          point_[static_cast<std::size_t>(c.column)].d[k] = 0;
          for (std::size_t e = c.begin; e < c.end; ++e)
            out[e] = slope_[static_cast<std::size_t>(entries[e].row)].d[k];
        }
      }
    }
  }

 private:
  struct Column {
    int column;
    std::size_t begin, end;  ///< entries
  };

  void differentiate(double t) {
    f_(Dual(t), {InputOf<Dual>(point_.data(), size)}, OutputOf<Dual>(slope_.data(), size));
  }

  void find_pattern(const Problem& problem, const Vector& start) {
    if (problem.sparsity) {
      for (const auto& [row, column] : *problem.sparsity) entries.push_back({row, column});
      return put_in_order(entries);
    }
    // At random points no derivative vanishes by chance.
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> shift(0.02, 0.1);
    const Interval& span = problem.t_span;
    for (const double part : {0.1, 0.4, 0.7}) {
      for (int i = 0; i < size; ++i)
        point_[static_cast<std::size_t>(i)] =
            Dual(start[i] + shift(generator) * (1 + std::abs(start[i])));
      for (int j = 0; j < size; ++j) {
        point_[static_cast<std::size_t>(j)].d[0] = 1;
        differentiate(span.begin + part * (span.end - span.begin));
        point_[static_cast<std::size_t>(j)].d[0] = 0;
        for (int i = 0; i < size; ++i)
          if (slope_[static_cast<std::size_t>(i)].d[0] != 0) entries.push_back({i, j});
      }
    }
    put_in_order(entries);
  }

  void group_columns() {
    // Greedily: the first group in which all rows of the column are still free.
    std::vector<std::vector<char>> taken;
    for (std::size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      while (end < entries.size() && entries[end].column == entries[begin].column) ++end;
      const auto is_free = [&](const std::vector<char>& rows) {
        return std::all_of(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                           entries.begin() + static_cast<std::ptrdiff_t>(end),
                           [&](Entry e) { return !rows[static_cast<std::size_t>(e.row)]; });
      };
      const auto g = static_cast<std::size_t>(std::find_if(taken.begin(), taken.end(), is_free) -
                                              taken.begin());
      if (g == taken.size()) {
        taken.emplace_back(static_cast<std::size_t>(size), 0);
        groups_.emplace_back();
      }
      for (std::size_t e = begin; e < end; ++e)
        taken[g][static_cast<std::size_t>(entries[e].row)] = 1;
      groups_[g].push_back({entries[begin].column, begin, end});
    }
  }

  Function<1> f_;
  std::vector<std::vector<Column>> groups_;  ///< columns without a common row
  std::vector<Dual> point_, slope_;
};

/// F(t, y, y') of few unknowns: all entries, those of y and y' in one direction.
class ImplicitRates final : public Rates {
 public:
  explicit ImplicitRates(const FullyImplicit& form)
      : f_(form.residual),
        y_(static_cast<std::size_t>(form.size)),
        yp_(y_.size()),
        slope_(y_.size()) {
    size = form.size, is_implicit = true;
    for (int j = 0; j < size; ++j)
      for (int i = 0; i < size; ++i) entries.push_back({i, j});
  }

  void values(double t, const double* y, const double* yp, double* out) override {
    f_(t, {Input(y, size), Input(yp, size)}, Output(out, size));
  }

  void derivatives(double t, const double* y, const double* yp, double shift,
                   double* out) override {
    for (int first = 0; first < size; first += dual_directions) {
      const int count = std::min(dual_directions, size - first);
      for (int i = 0; i < size; ++i) {
        const auto at = static_cast<std::size_t>(i);
        y_[at] = Dual(y[i]), yp_[at] = Dual(yp[i]);
        const int k = i - first;
        if (k < 0 || k >= count) continue;
        y_[at].d[static_cast<std::size_t>(k)] = 1, yp_[at].d[static_cast<std::size_t>(k)] = shift;
      }
      f_(Dual(t), {InputOf<Dual>(y_.data(), size), InputOf<Dual>(yp_.data(), size)},
         OutputOf<Dual>(slope_.data(), size));
      for (int k = 0; k < count; ++k)
        for (int i = 0; i < size; ++i)
          *out++ = slope_[static_cast<std::size_t>(i)].d[static_cast<std::size_t>(k)];
    }
  }

 private:
  Function<2> f_;
  std::vector<Dual> y_, yp_, slope_;
};

/// F(t, y, y') = M y' - f of a model, compiled before anything is timed: f is -F(t, y, 0).
class GraphRates final : public Rates {
 public:
  explicit GraphRates(const ExpressionGraph& form)
      : equations_(form.equations),
        derivatives_(*form.equations, {0}),
        zero_(static_cast<std::size_t>(form.size), 0.0),
        code_({equations_->program().content(), derivatives_.program().content()},
              Evaluation::compiled) {
    size = form.size;
    const double* x[] = {zero_.data(), zero_.data()};
    const JacobianAt at(*equations_, {1}, {0, x, nullptr});
    for (std::size_t k = 0; k < at.entries.size(); ++k)
      mass.push_back({at.entries[k].row, at.entries[k].variable, at.values[k]});
    for (const EquationJacobian::Entry& e : derivatives_.entries())
      entries.push_back({e.row, e.variable});
    put_in_order(entries);
    for (const EquationJacobian::Entry& e : derivatives_.entries())
      place_.push_back(static_cast<std::size_t>(
          std::lower_bound(entries.begin(), entries.end(), Entry{e.row, e.variable}, comes_before) -
          entries.begin()));
    values_.resize(place_.size());
  }

  void values(double t, const double* y, const double*, double* out) override {
    const double* x[] = {y, zero_.data()};
    equations_->residual({t, x, nullptr}, out);
    for (int i = 0; i < size; ++i) out[i] = -out[i];
  }

  void derivatives(double t, const double* y, const double*, double, double* out) override {
    const double* x[] = {y, zero_.data()};
    derivatives_.evaluate({t, x, nullptr}, values_.data());
    std::fill(out, out + entries.size(), 0.0);
    for (std::size_t k = 0; k < place_.size(); ++k) out[place_[k]] -= values_[k];
  }

 private:
  std::shared_ptr<const EquationSet> equations_;
  EquationJacobian derivatives_;
  std::vector<double> zero_, values_;
  std::vector<std::size_t> place_;  ///< entry of each derivative
  CodeGeneration code_;
};

}  // namespace

std::unique_ptr<Rates> rates_of(const Problem& problem, const Vector& start) {
  if (const auto* graph = std::get_if<ExpressionGraph>(&problem.form))
    return std::make_unique<GraphRates>(*graph);
  if (const auto* implicit = std::get_if<FullyImplicit>(&problem.form))
    return std::make_unique<ImplicitRates>(*implicit);
  return std::make_unique<FunctionRates>(problem, std::get<LinearlyImplicit>(problem.form), start);
}

}  // namespace daedalus::peers
