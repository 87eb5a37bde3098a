#include <cstdio>

#include "daedalus/vector.h"
#include "daedalus/version.h"

int main() {
  const daedalus::Values start = {1, 0};
  std::printf("daedalus %s, %d values\n", daedalus::version().data(), start.size());
  return start.size() == 2 ? 0 : 1;
}
