#pragma once
// The order of the unknowns and the blocks that KLU found; numeric factors refer to it.
#include <klu.h>

namespace daedalus {

struct KluAnalysis {
  klu_symbolic* symbolic;

  explicit KluAnalysis(klu_symbolic* made) : symbolic(made) {}
  KluAnalysis(const KluAnalysis&) = delete;
  KluAnalysis& operator=(const KluAnalysis&) = delete;
  ~KluAnalysis() {
    klu_common settings;
    klu_defaults(&settings);
    klu_free_symbolic(&symbolic, &settings);
  }
};

}  // namespace daedalus
