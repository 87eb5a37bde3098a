#pragma once
// The matrix pencil  shift E + A  with E = dF/dy', A = dF/dy, in dense, banded or sparse storage,
// and its factorisations for real and complex shifts. Both matrices share one pattern, so a shift
// is one pass over the entries; nothing allocates after the first factorisation.
#include <memory>
#include <vector>

#include "linear/condensation.h"

namespace daedalus {

/// krylov: entries as in `sparse`, but solved by iterations instead of factors.
enum class Storage { dense, banded, sparse, krylov };

/// Compressed column pattern; rows ascending in every column, the diagonal always present.
struct Pattern {
  int size = 0;
  std::vector<int> column_start;  ///< size + 1 entries
  std::vector<int> row;

  int nonzeros() const { return static_cast<int>(row.size()); }
};

Pattern dense_pattern(int size);
/// Adds the diagonal, sorts, removes duplicates.
Pattern make_pattern(int size, const std::vector<std::pair<int, int>>& row_column);

struct Bandwidth {
  int lower = 0;
  int upper = 0;
};
Bandwidth bandwidth(const Pattern& pattern);

class SparsePlan;

/// Of a sparse LU after a fill-reducing ordering, without pivoting off the diagonal.
struct SparseWork {
  double flops = 0;
  double entries = 0;                           ///< of L and U; 0: not known
  std::shared_ptr<const SparsePlan> plan = {};  ///< how they are made, or null: not known yet
};
SparseWork sparse_work(const Pattern& pattern);

struct StorageChoice {
  Storage storage = Storage::dense;
  SparseWork work = {};  ///< as far as it was needed
};
/// Dense for small or full patterns, banded where the band is narrow, sparse otherwise.
StorageChoice choose_storage(const Pattern& pattern);
/// Sparse factors cost so much that a few iterations for each solution cost less.
bool iterations_pay(const Pattern& pattern, const SparseWork& work);

/// Values are stored in the order of `pattern` (compressed columns) whatever the storage: dense
/// storage has the dense pattern, so there `a[i + n j]` is entry (i, j).
struct Pencil {
  Storage storage = Storage::dense;
  Pattern pattern;
  std::vector<double> e;        ///< dF/dy'
  std::vector<double> a;        ///< dF/dy
  SparseWork work = {};         ///< of factors, where it is known
  bool has_constant_e = false;  ///< e will never change and is in place

  Pencil() = default;
  Pencil(Storage storage, Pattern pattern, SparseWork work = {});
  int size() const { return pattern.size; }
  /// Where entry (row, column), which the pattern has, stands in e and a.
  std::size_t position(int row, int column) const;

  CondensationOnDemand condensation;  ///< of dense factors to come
  /// Looks for rows that need no factors. Whoever changes the values afterwards must ask again.
  void condense() {
    if (storage == Storage::dense && size() > largest_uncondensed)
      condensation.update(size(), e.data(), a.data());
  }
};

/// Factors of  shift E + A.
class RealFactors {
 public:
  virtual ~RealFactors() = default;
  /// False: singular to working precision; `singular_column` then names the column.
  virtual bool factor(const Pencil& pencil, double shift) = 0;
  virtual void solve(double* x) const = 0;
  /// How errors of a solution count, weight[i] x[i] in root mean square, and which size of them is
  /// nothing; the weights are read by every solve. Factors proper need not know.
  virtual void set_accuracy(const double* /*weight*/, double /*negligible*/) {}
  int singular_column() const { return singular_column_; }
  /// What fixes the pivot order of later factorisations (empty: nothing). After
  /// `restore_pivots(pivots())` on a new object the next factors have the same bits.
  virtual std::vector<double> pivots() const { return {}; }
  virtual void restore_pivots(const Pencil&, const std::vector<double>&) {}
  /// The next factors are those of a new object.
  virtual void forget_pivots(const Pencil&) {}

 protected:
  int singular_column_ = -1;
};

/// Factors of  (re + i im) E + A, real and imaginary parts apart.
class ComplexFactors {
 public:
  virtual ~ComplexFactors() = default;
  virtual bool factor(const Pencil& pencil, double re, double im) = 0;
  virtual void solve(double* re, double* im) const = 0;
  int singular_column() const { return singular_column_; }
  virtual std::vector<double> pivots() const { return {}; }
  virtual void restore_pivots(const Pencil&, const std::vector<double>&) {}

 protected:
  int singular_column_ = -1;
};

std::unique_ptr<RealFactors> make_real_factors(const Pencil& pencil);
std::unique_ptr<ComplexFactors> make_complex_factors(const Pencil& pencil);

}  // namespace daedalus
