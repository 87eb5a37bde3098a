# Settings for work on Daedalus itself; a project that embeds it keeps its own.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Precompiled headers are only cached with this (and -fpch-preprocess).
  set(CMAKE_CXX_COMPILER_LAUNCHER
    ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE_PROGRAM})
endif()

# -Wfloat-conversion finds the lost digits that matter here; the rest of -Wconversion mostly
# complains about Eigen::Index. A constructor argument may carry its member's name.
add_compile_options(-Wall -Wextra -Wpedantic -Wfloat-conversion -Wcast-qual -Wnon-virtual-dtor
                    -Woverloaded-virtual -Wundef)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-Wshadow=local -Wduplicated-cond -Wlogical-op)
  # These depend on what the optimiser happens to inline, and err on Eigen expressions.
  add_compile_options(-Wno-error=maybe-uninitialized -Wno-error=array-bounds
                      -Wno-error=stringop-overflow)
else()
  add_compile_options(-Wshadow)
endif()
