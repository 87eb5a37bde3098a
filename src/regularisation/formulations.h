#pragma once
// Regularised equations of one iterate, by index and by what pulls.
#include <memory>

#include "regularisation/equations.h"
#include "regularisation/march.h"

namespace daedalus {

std::unique_ptr<RegularisedOde> regularised_index_2(std::unique_ptr<FirstOrderEquations> equations,
                                                    const Regularisation& settings);
std::unique_ptr<RegularisedOde> regularised_index_3(std::unique_ptr<SecondOrderEquations> equations,
                                                    const Regularisation& settings);

/// By the form of the problem. Throws InvalidInput for what cannot be regularised.
std::unique_ptr<RegularisedOde> regularised_ode(const Problem& problem,
                                                const Regularisation& settings);

}  // namespace daedalus
