#pragma once
// The few vector types of the public interface. Callbacks receive Maps: an Eigen::Ref argument
// costs three times as much to construct.
#include <initializer_list>
#include <string>
#include <vector>

#include <Eigen/Core>

namespace daedalus {

// Vectors pass between the library and programs that may have been compiled for another processor,
// or with sanitizers: whoever made one, all have to agree on how its memory is laid out and freed.
static_assert(EIGEN_MAX_ALIGN_BYTES == 64,
              "compile with -DEIGEN_MAX_ALIGN_BYTES=64, as daedalus was; the CMake target "
              "daedalus::daedalus sees to that");

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;
using Names = std::vector<std::string>;

template <class Scalar>
using InputOf = Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;
template <class Scalar>
using OutputOf = Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;
template <class Scalar>
using MatrixOutputOf = Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>>;

using Input = InputOf<double>;
using Output = OutputOf<double>;
using MatrixOutput = MatrixOutputOf<double>;

/// A vector that may be written {1, 0}; a bare VectorXd reads that as one row, no columns.
class Values {
 public:
  Values() = default;
  Values(std::initializer_list<double> list)
      : values_(Input(list.begin(), static_cast<Eigen::Index>(list.size()))) {}
  Values(const std::vector<double>& list)
      : values_(Input(list.data(), static_cast<Eigen::Index>(list.size()))) {}
  template <class Derived>
  Values(const Eigen::MatrixBase<Derived>& values) : values_(values) {}

  operator const Vector&() const { return values_; }
  const Vector& vector() const { return values_; }
  int size() const { return static_cast<int>(values_.size()); }
  bool empty() const { return values_.size() == 0; }
  double operator[](int i) const { return values_[i]; }

 private:
  Vector values_;
};

struct Interval {
  double begin = 0;
  double end = 0;
};

}  // namespace daedalus
