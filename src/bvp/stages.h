#pragma once
// How many collocation points an element should have.
#include "bvp/collocation_system.h"

namespace daedalus::bvp {

/// To begin with: enough for smooth solutions on a handful of elements.
int first_stages(double tolerance, int highest_order);

/// Where `elements` are needed with `stages` points: the number of points that needs least work.
/// With |x^(j)| = A lambda^j an element may be as long as (C_k / tolerance)^(-1/k) / lambda, so
/// the elements that k points need follow from those of others; each costs the elimination of its
/// (n k)^2 matrix, k evaluations, and its share of the mesh.
int best_stages(const CollocationSystem& system, double tolerance, int stages, double elements);

}  // namespace daedalus::bvp
