#pragma once
// What a run frees the next one allocates again. By default the C library gives large blocks back
// to the system, and each page of them comes again by a fault that costs as much as filling it.
#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace daedalus {

/// For programs, not for libraries: it concerns the whole process.
inline void keep_freed_memory() {
#ifdef M_TRIM_THRESHOLD
  constexpr int largest_kept_block = 1 << 25, kept = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, largest_kept_block);
  mallopt(M_TRIM_THRESHOLD, kept);
#endif
}

}  // namespace daedalus
