// Rows such as y' = v are eliminated before the rest is factored: the same solutions, the same
// steps, and nothing changes where the structure does.
#include <cmath>
#include <complex>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "allocation_count.h"
#include "daedalus/daedalus.h"
#include "linear/dense_kernels.h"
#include "linear/pencil.h"

namespace daedalus {
namespace {

using Complex = std::complex<double>;
constexpr double eps = std::numeric_limits<double>::epsilon();

double& entry(std::vector<double>& values, int n, int row, int column) {
  return values[static_cast<std::size_t>(row + n * column)];
}

/// Full random rows, but for what is set afterwards.
Pencil full(int n, unsigned seed) {
  Pencil pencil(Storage::dense, dense_pattern(n));
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  for (double& x : pencil.a) x = normal(generator);
  for (int i = 0; i < n; ++i) entry(pencil.e, n, i, i) = 1;
  return pencil;
}

int remaining(const Pencil& pencil) {
  const Condensation* found = pencil.condensation.get();
  return found ? found->remaining() : pencil.size();
}

void clear_row(Pencil& pencil, int row) {
  const int n = pencil.size();
  for (int j = 0; j < n; ++j) entry(pencil.a, n, row, j) = entry(pencil.e, n, row, j) = 0;
}

/// y_row' = factor y_other.
void state_rate(Pencil& pencil, int row, int other, double factor = 1) {
  clear_row(pencil, row);
  entry(pencil.e, pencil.size(), row, row) = 1;
  entry(pencil.a, pencil.size(), row, other) = -factor;
}

/// The largest residual of solutions with both kinds of factors, relative to matrix and solution.
double error(const Pencil& pencil, RealFactors& real, ComplexFactors& complex, double shift_re,
             double shift_im) {
  const int n = pencil.size();
  std::vector<double> b(static_cast<std::size_t>(n)), x, re, im;
  for (int i = 0; i < n; ++i) b[i] = std::sin(1.0 + i);
  x = re = b, im.assign(b.rbegin(), b.rend());
  if (!real.factor(pencil, shift_re) || !complex.factor(pencil, shift_re, shift_im))
    return INFINITY;
  real.solve(x.data());
  complex.solve(re.data(), im.data());
  double worst = 0;
  for (int i = 0; i < n; ++i) {
    double sum = -b[i], size = 0;
    Complex sum_c(-b[i], -b[n - 1 - i]);
    double size_c = 0;
    for (int j = 0; j < n; ++j) {
      const std::size_t k = static_cast<std::size_t>(i + n * j);
      const double m = shift_re * pencil.e[k] + pencil.a[k];
      const Complex c = Complex(shift_re, shift_im) * pencil.e[k] + pencil.a[k], z(re[j], im[j]);
      sum += m * x[j], size += std::abs(m * x[j]);
      sum_c += c * z, size_c += std::abs(c * z);
    }
    worst = std::max({worst, std::abs(sum) / size, std::abs(sum_c) / size_c});
  }
  return worst;
}

double error(const Pencil& pencil, double shift_re, double shift_im) {
  return error(pencil, *make_real_factors(pencil), *make_complex_factors(pencil), shift_re,
               shift_im);
}

// Componentwise residuals of Gaussian elimination grow with n and the growth of the entries.
constexpr double rounding = 1000 * eps;

TEST(Condensation, EliminatesChainsOfRates) {
  constexpr int n = 30;
  Pencil pencil = full(n, 1);
  for (int i = 0; i < 20; ++i) state_rate(pencil, i, i + 10, 1 + 0.1 * i);
  pencil.condense();
  EXPECT_EQ(remaining(pencil), 10);
  // The smallest one asks for pivots that are not in these rows.
  for (const double shift : {1e-5, 1.0, 1e3, 1e6})
    EXPECT_LT(error(pencil, shift, 0.7 * shift), rounding) << shift;
}

TEST(Condensation, TakesRowsWithTwoOthersAndDerivativesInTheRest) {
  constexpr int n = 30;
  Pencil pencil = full(n, 2);
  for (int i = 0; i < 15; ++i) {
    state_rate(pencil, i, 15 + i);
    entry(pencil.a, n, i, i) = 0.3;
    entry(pencil.a, n, i, (i + 1) % 15 + 15) = 2;
    entry(pencil.e, n, 17, i) = 1 + i;  // the rate of what is eliminated, in a row that remains
  }
  pencil.condense();
  EXPECT_EQ(remaining(pencil), 15);
  EXPECT_TRUE(pencil.condensation.get()->mass_is_coupled());
  EXPECT_LT(error(pencil, 3, 4), rounding);
}

TEST(Condensation, BreaksCircles) {
  constexpr int n = 30;
  Pencil pencil = full(n, 3);
  for (int i = 0; i < 16; ++i) state_rate(pencil, i, (i + 1) % 16);
  pencil.condense();
  EXPECT_EQ(remaining(pencil), 15);
  EXPECT_LT(error(pencil, 2, 1), rounding);
}

TEST(Condensation, FollowsAStructureThatChanges) {
  constexpr int n = 30;
  Pencil pencil = full(n, 4);
  for (int i = 0; i < 20; ++i) state_rate(pencil, i, i + 10);
  const auto real = make_real_factors(pencil);
  const auto complex = make_complex_factors(pencil);
  pencil.condense();
  EXPECT_EQ(remaining(pencil), 10);
  EXPECT_LT(error(pencil, *real, *complex, 5, 2), rounding);

  std::swap(entry(pencil.a, n, 0, 10), entry(pencil.a, n, 0, 15));  // as many entries, elsewhere
  pencil.condense();
  EXPECT_LT(error(pencil, *real, *complex, 5, 2), rounding);

  for (int j = 0; j < n; ++j) entry(pencil.a, n, 3, j) = 1 + j;
  pencil.condense();
  EXPECT_EQ(remaining(pencil), 11);
  EXPECT_LT(error(pencil, *real, *complex, 5, 2), rounding);

  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < n; ++j) entry(pencil.a, n, i, j) = std::cos(1 + i * j);
  pencil.condense();
  EXPECT_EQ(remaining(pencil), n);
  EXPECT_LT(error(pencil, *real, *complex, 5, 2), rounding);
}

TEST(Condensation, DoesNotDivideByPivotsThatCancel) {
  constexpr int n = 26;
  Pencil pencil = full(n, 5);
  for (int i = 0; i < 13; ++i) state_rate(pencil, i, i + 13);
  entry(pencil.a, n, 2, 2) = -1 - 1e-14;  // y' = y + ..., nearly singular with shift 1
  pencil.condense();
  EXPECT_EQ(remaining(pencil), 13);
  const auto real = make_real_factors(pencil);
  EXPECT_LT(error(pencil, *real, *make_complex_factors(pencil), 1, 1e-14), rounding);
}

TEST(Condensation, NamesTheSingularColumnOfTheWholeMatrix) {
  constexpr int n = 26;
  Pencil pencil = full(n, 6);
  for (int i = 0; i < 13; ++i) state_rate(pencil, i, i + 13);
  for (int i = 0; i < n; ++i) entry(pencil.a, n, i, 16) = entry(pencil.e, n, i, 16) = 0;
  state_rate(pencil, 3, 17);
  pencil.condense();
  ASSERT_EQ(remaining(pencil), 13);
  const auto real = make_real_factors(pencil);
  EXPECT_FALSE(real->factor(pencil, 2));
  EXPECT_EQ(real->singular_column(), 16);
}

/// Fifteen stiff oscillators coupled by a cubic force, as q' = v, v' = f(q, v).
struct Oscillators {
  static constexpr int count = 15;

  template <class Y, class Out>
  void operator()(auto t, const Y& y, Out& out) const {
    using std::cos;
    for (int i = 0; i < count; ++i) {
      out[i] = y[count + i];
      auto force = cos(t) - (1.0 + 60.0 * i) * y[i] - (0.3 + 20.0 * i) * y[count + i];
      for (int j = 0; j < count; ++j) {
        const auto apart = y[i] - y[j];
        force = force - apart * apart * apart;
      }
      out[count + i] = force;
    }
  }
};

/// With `mixed`, the row of each force is added to that of each rate: other rows, equal solutions.
Problem oscillators(bool mixed) {
  constexpr int m = Oscillators::count, n = 2 * m;
  Matrix mass = Matrix::Identity(n, n);
  if (mixed) mass.topRightCorner(m, m).setOnes();
  return {.form = LinearlyImplicit{.size = n,
                                   .mass = mass,
                                   .f =
                                       [mixed](auto t, auto y, auto& out) {
                                         Oscillators{}(t, y, out);
                                         if (!mixed) return;
                                         auto sum = out[m] + out[m + 1];
                                         for (int i = m + 2; i < n; ++i) sum = sum + out[i];
                                         for (int i = 0; i < m; ++i) out[i] = out[i] + sum;
                                       }},
          .t_span = {0, 10},
          .start = Values(Vector::LinSpaced(n, 0.1, 1.0))};
}

TEST(Condensation, LeavesStepsAsTheyAre) {
  for (const char* method : {"radau_iia_5", "radau", "rodas_4", "bdf", "sdirk_hairer_wanner_4"}) {
    const Options options{.method = method, .rtol = 1e-6, .atol = {1e-6}};
    const Solution plain = solve(oscillators(false), options);
    const Solution mixed = solve(oscillators(true), options);
    ASSERT_TRUE(plain.succeeded() && mixed.succeeded());
    // Rounding may tip a decision now and then.
    EXPECT_NEAR(plain.statistics.steps, mixed.statistics.steps, 2 + 0.02 * mixed.statistics.steps)
        << method;
    EXPECT_NEAR(plain.statistics.newton, mixed.statistics.newton,
                3 + 0.03 * mixed.statistics.newton)
        << method;
    EXPECT_LT((plain.y(plain.rows() - 1) - mixed.y(mixed.rows() - 1)).norm(), 1e-6) << method;
  }
}

/// Every row is an explicit equation for one unknown: nothing would be left to factor.
TEST(Condensation, TakesSystemsThatAreTriangles) {
  constexpr int n = 30;
  const auto decay = [](auto, auto y, auto f) {
    f[0] = -y[0];
    for (int i = 1; i < n; ++i) f[i] = y[i - 1] - 2.0 * y[i];
  };
  const Problem chain{
      .form = LinearlyImplicit{.size = n, .f = decay}, .t_span = {0, 5}, .start = {1}};
  for (const char* method : {"radau", "bdf", "rodas_4"}) {
    const Solution solution =
        solve(chain, {.method = method, .rtol = 1e-6, .linear_algebra = LinearAlgebra::dense});
    ASSERT_TRUE(solution.succeeded()) << method;
    EXPECT_NEAR(solution.y_end()[0], std::exp(-5), 30e-6);
    EXPECT_NEAR(solution.y_end()[1], std::exp(-5) - std::exp(-10), 30e-6);
  }
}

TEST(Condensation, AsksForNoMemoryInSteps) {
  for (const char* method : {"radau_iia_5", "rodas_4", "bdf"}) {
    Integrator run(oscillators(false), {.method = method, .rtol = 1e-6, .record = false});
    ASSERT_TRUE(run.step());
    const long before = allocations;
    while (run.step()) continue;
    EXPECT_EQ(allocations, before) << method;
  }
}

}  // namespace
}  // namespace daedalus
