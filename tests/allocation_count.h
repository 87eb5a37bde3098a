#pragma once
// Calls of operator new (linear_test.cpp replaces it) and, but for the sanitizers, of malloc
// (allocation_test.cpp replaces it): one program, one counter.
#include <atomic>

extern std::atomic<long> allocations;
