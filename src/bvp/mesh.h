#pragma once
// Choice of a mesh. With w^(k-1), constant in each element, differences between neighbours
// estimate x^(m+k), and the local error of x^(m-r) in an element of length h is
// C_r h^(k+r) |x^(m+k)|; for y it is C_0 h^k |y^(k)|. `need` is the reciprocal of the length at
// which the largest of these, relative to the tolerance, is 1: its integral is the number of
// elements that the tolerance needs, spread so that all have the same error.
// [AscherMattheijRussell1995, 9.1-9.3]
#include "bvp/mesh_equations.h"

namespace daedalus::bvp {

struct Monitor {
  std::vector<double> need;  ///< at each node, per unit of time; exponential between them
  double elements = 0;       ///< integral of need
  double largest = 0;        ///< that of one element
};
Monitor monitor(const CollocationSystem& system, const Basis& basis, const Iterate& u,
                double tolerance);

/// About `elements` pieces of equal need, with all `fixed` points among the mesh points.
std::vector<double> spread(const Monitor& monitor, const std::vector<double>& mesh, int elements,
                           const std::vector<double>& fixed);
std::vector<double> halved(const std::vector<double>& mesh);
/// `elements` equal pieces, more or less, with all fixed points.
std::vector<double> equal_mesh(int elements, Interval span, const std::vector<double>& fixed);

/// The polynomials of u taken as an iterate on another mesh.
Iterate transferred(const ElementKernel& kernel, const Basis& basis, const Iterate& u,
                    const std::vector<double>& mesh);

/// Error of the iterate on the halved mesh in each slot, relative to 1 + |value|, from the
/// difference to the one on the mesh itself: |u - v| / (2^q - 1), q the order of that slot.
Vector estimate_error(const ElementKernel& kernel, const Basis& basis, const Iterate& u,
                      const Iterate& halved);

}  // namespace daedalus::bvp
