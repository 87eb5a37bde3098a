# daedalus_embed(target [NAMESPACE inner] file|name=file...) compiles text files into `target`, where
# daedalus::embedded(name) of src/io/embedded.h finds them, or daedalus::inner::embedded(name) in a
# set of its own. The name is the path below the source root unless another is given, as a file from
# outside needs. A program may hold one set of each namespace. No files at all is fine.
function(daedalus_embed target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" NAMESPACE "")
  set(namespace daedalus)
  set(stem ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded)
  if(arg_NAMESPACE)
    set(namespace daedalus::${arg_NAMESPACE})
  endif()

  set(sources "")
  set(entries "")
  foreach(entry IN LISTS arg_UNPARSED_ARGUMENTS)
    set(name "")
    set(source ${entry})
    if(entry MATCHES "^([^=/][^=]*)=(.+)$")
      set(name ${CMAKE_MATCH_1})
      set(source ${CMAKE_MATCH_2})
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    if(NOT name)
      cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE name)
    endif()
    list(APPEND sources ${source})
    list(APPEND entries ${name}=${source})
  endforeach()
  list(SORT entries)

  list(JOIN entries "\n" lines)
  file(CONFIGURE OUTPUT ${stem}.txt CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT ${stem}.cpp
    COMMAND ${CMAKE_COMMAND} -D LIST=${stem}.txt -D NAMESPACE=${namespace}
            -D OUTPUT=${stem}.cpp -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${sources} ${stem}.txt ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    COMMENT "Embedding data in ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE ${stem}.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
