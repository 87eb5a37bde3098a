# Finds the sparse solvers of SuiteSparse that are used: KLU, LDL and the ordering AMD. Target
# SuiteSparse::SuiteSparse.
find_path(SuiteSparse_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
foreach(part klu ldl amd)
  find_library(SuiteSparse_${part}_LIBRARY ${part})
  list(APPEND SuiteSparse_needed SuiteSparse_${part}_LIBRARY)
  mark_as_advanced(SuiteSparse_${part}_LIBRARY)
endforeach()
mark_as_advanced(SuiteSparse_INCLUDE_DIR)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SuiteSparse
  REQUIRED_VARS ${SuiteSparse_needed} SuiteSparse_INCLUDE_DIR)

if(SuiteSparse_FOUND AND NOT TARGET SuiteSparse::SuiteSparse)
  add_library(SuiteSparse::SuiteSparse UNKNOWN IMPORTED)
  set_target_properties(SuiteSparse::SuiteSparse PROPERTIES
    IMPORTED_LOCATION "${SuiteSparse_klu_LIBRARY}"
    INTERFACE_LINK_LIBRARIES "${SuiteSparse_ldl_LIBRARY};${SuiteSparse_amd_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${SuiteSparse_INCLUDE_DIR}")
endif()
