# What `cmake --install` leaves: headers, library, data, and the files behind
# find_package(daedalus).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/daedalus)
install(TARGETS daedalus EXPORT daedalusTargets)
install(DIRECTORY include/daedalus DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT daedalusTargets NAMESPACE daedalus:: DESTINATION ${package_dir})

configure_package_config_file(cmake/daedalusConfig.cmake.in daedalusConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(daedalusConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/daedalusConfig.cmake
  ${PROJECT_BINARY_DIR}/daedalusConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindSuiteSparse.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindHDF5C.cmake
  DESTINATION ${package_dir})

if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/data)
  install(DIRECTORY data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/daedalus)
endif()
if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/models)
  install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/daedalus)
endif()
