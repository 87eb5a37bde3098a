#pragma once
// Checkpoints as strings.
#include <sstream>
#include <string>

#include "daedalus/solve.h"

namespace daedalus {

inline std::string saved(const Integrator& run) {
  std::ostringstream stream;
  run.save(stream);
  return stream.str();
}

inline Integrator resumed(const Problem& problem, const Options& options,
                          const std::string& bytes) {
  std::istringstream stream(bytes);
  return Integrator::resume(problem, options, stream);
}

}  // namespace daedalus
