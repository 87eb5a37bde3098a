#pragma once
// What another code is given: M y' = f(t, y) with a constant M, or F(t, y, y') = 0, with exact
// Jacobians, tolerances and a consistent start.
#include "rates.h"

namespace daedalus::peers {

class GivenSystem {
 public:
  explicit GivenSystem(const reproduce::Statement& statement);

  int size() const { return size_; }
  /// F(t, y, y') = 0, and neither M nor f.
  bool is_implicit() const { return rates_->is_implicit; }
  bool is_banded() const { return statement_.lower >= 0; }
  int lower() const { return statement_.lower; }
  int upper() const { return statement_.upper; }
  const reproduce::Statement& statement() const { return statement_; }
  const std::vector<Mass::Entry>& mass() const { return rates_->mass; }
  /// Largest distance of an entry of M from the diagonal.
  int mass_bandwidth() const;
  const Vector& start() const { return start_; }
  /// The one that was given, or the shortest y' with M y' = f.
  Vector start_slope() const;
  /// Variables whose errors BDF codes control: those of index 1 that have a derivative. With those
  /// of index 2 and 3 their step sizes collapse.
  std::vector<char> is_controlled() const;
  /// y_i' = y_{i + shift} for all i < count: what RADAU5 calls M1 and M2.
  struct TrivialRows {
    int count = 0, shift = 0;
  };
  const TrivialRows& trivial_rows() const { return trivial_; }
  /// One number, or one for each unknown where they are of different size.
  std::vector<double> tolerances(double tolerance) const;
  bool has_own_tolerances() const { return !statement_.nominal.empty(); }

  void f(double t, const double* y, double* out) const { rates_->values(t, y, nullptr, out); }
  /// add(row, column, value) for each entry of the pattern of df/dy, none of them twice.
  template <class Add>
  void jacobian(double t, const double* y, Add add) {
    rates_->derivatives(t, y, nullptr, 0, values_.data());
    each_value(add, 1);
  }
  /// M y' - f or F.
  void residual(double t, const double* y, const double* yp, double* out) const;
  /// add(row, column, value) for the entries of shift M - df/dy, or of shift dF/dy' + dF/dy.
  template <class Add>
  void pencil(double t, const double* y, const double* yp, double shift, Add add) {
    rates_->derivatives(t, y, yp, shift, values_.data());
    each_value(add, is_implicit() ? 1 : -1);
    for (const Mass::Entry& e : mass()) add(e.row, e.column, shift * e.value);
  }
  const std::vector<Rates::Entry>& entries() const { return rates_->entries; }

 private:
  template <class Add>
  void each_value(Add add, double sign) const {
    const double* value = values_.data();
    for (const Rates::Entry& e : rates_->entries) add(e.row, e.column, sign * *value++);
  }
  void find_trivial_rows();

  reproduce::Statement statement_;
  int size_;
  Vector start_;
  std::unique_ptr<Rates> rates_;
  std::vector<double> values_;  ///< of the entries
  TrivialRows trivial_;
};

}  // namespace daedalus::peers
