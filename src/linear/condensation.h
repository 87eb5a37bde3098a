#pragma once
// Rows of a dense pencil  shift E + A  that give one unknown by at most two others, such as y' = v:
//   [U R; C K] [x; y] = [b; c]   =>   (K - C W) y = c - C U^-1 b,   x = U^-1 b - W y,   W = U^-1 R,
// with U triangular and W so sparse that only the remaining rows are worth a factorisation.
// [HairerWanner1996, IV.8, "second order equations"]
#include <memory>
#include <vector>

namespace daedalus {

/// Which rows, found from the entries that are zero, and the remaining ones without gaps. All of it
/// depends on the present values alone, so that a resumed run eliminates the same rows.
class Condensation {
 public:
  /// After every change of the n x n values, column-major.
  void update(int n, const double* e, const double* a);

  /// An unknown that another row of `eliminated`, before this one, gives, or that remains.
  struct Term {
    int column;
    int eliminated;  ///< -1: it remains
    int remaining;   ///< its place among those that remain
  };
  struct Row {
    int row, column;  ///< E has one entry in this row, here
    int first_term, last_term;
    int first_weight, last_weight;  ///< of the row of W
    bool is_felt;                   ///< by a row that remains
  };

  bool is_used() const { return !rows_.empty(); }
  /// Another number: other rows.
  long choice() const { return choice_; }
  int remaining() const { return static_cast<int>(kept_row_.size()); }
  const std::vector<Row>& rows() const { return rows_; }
  const std::vector<Term>& terms() const { return terms_; }
  /// Of all rows of W: places among the unknowns that remain.
  const std::vector<int>& weight_column() const { return weight_column_; }
  const std::vector<int>& kept_row() const { return kept_row_; }
  const std::vector<int>& kept_column() const { return kept_column_; }
  /// K of E and of A, then C, by columns of `stride` rows, the last ones zero.
  const double* kept_e() const { return kept_e_.data(); }
  const double* kept_a() const { return kept_a_.data(); }
  int stride() const { return (remaining() + 7) / 8 * 8; }
  /// C has entries of E: derivatives of eliminated unknowns in rows that remain.
  bool mass_is_coupled() const { return mass_is_coupled_; }
  /// Place for two matrices of the remaining rows, for whoever factors next.
  double* scratch() const { return scratch_.data(); }

 private:
  struct Candidate {
    int row, column, others;
    int other[3];  ///< one more than a row may have that is eliminated
    bool has_own;  ///< A has an entry where E has one
  };
  void count(int n, const double* values, std::vector<double>& of) const;
  bool is_as_before(int n, const double* e, const double* a) const;
  void find_candidates(int n, const double* e, const double* a);
  void choose_rows(int n);
  /// Adds a candidate behind those that it refers to.
  void add(int candidate);
  bool leads_to(int from, int column);
  void gather(int n, const double* e, const double* a);

  std::vector<double> of_a_, of_e_, of_a_before_, of_e_before_;  ///< numbers of entries, by row
  std::vector<Candidate> candidates_;
  std::vector<int> gives_;  ///< by column: the candidate that gives it; -1: none
  std::vector<int> place_;  ///< by column: of its row in rows_; -1: it remains
  std::vector<int> seen_for_;
  std::vector<Row> rows_;
  std::vector<Term> terms_;
  std::vector<int> weight_column_, kept_row_, kept_column_;
  std::vector<double> kept_e_, kept_a_;
  mutable std::vector<double> scratch_;
  bool mass_is_coupled_ = false;
  long choice_ = 0;
};

/// Up to here the kernels are so fast that what is saved goes into gathering the rest.
inline constexpr int largest_uncondensed = 24;

/// Made when it is first needed; copies begin without.
class CondensationOnDemand {
 public:
  CondensationOnDemand() = default;
  CondensationOnDemand(const CondensationOnDemand&) {}
  CondensationOnDemand(CondensationOnDemand&&) = default;
  CondensationOnDemand& operator=(const CondensationOnDemand&) { return made_.reset(), *this; }
  CondensationOnDemand& operator=(CondensationOnDemand&&) = default;

  /// Null: all rows have to be factored.
  const Condensation* get() const { return made_ && made_->is_used() ? made_.get() : nullptr; }
  void update(int n, const double* e, const double* a) {
    if (!made_) made_ = std::make_unique<Condensation>();
    made_->update(n, e, a);
  }

 private:
  std::unique_ptr<Condensation> made_;
};

}  // namespace daedalus
