# daedalus_embed(target file...) compiles text files into `target`, where
# daedalus::embedded(name) of src/io/embedded.h finds them; the name is the path below the source
# root. A program may hold one such set. No files at all is fine.
function(daedalus_embed target)
  set(sources ${ARGN})
  list(TRANSFORM sources REPLACE "^([^/].*)$" "${CMAKE_CURRENT_SOURCE_DIR}/\\1")
  list(SORT sources)

  set(stem ${CMAKE_CURRENT_BINARY_DIR}/${target}_embedded)
  list(JOIN sources "\n" lines)
  file(CONFIGURE OUTPUT ${stem}.txt CONTENT "${lines}\n" @ONLY)
  add_custom_command(
    OUTPUT ${stem}.cpp
    COMMAND ${CMAKE_COMMAND} -D LIST=${stem}.txt -D ROOT=${PROJECT_SOURCE_DIR}
            -D OUTPUT=${stem}.cpp -P ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    DEPENDS ${sources} ${stem}.txt ${PROJECT_SOURCE_DIR}/cmake/write_embedded.cmake
    COMMENT "Embedding data in ${target}"
    VERBATIM)
  target_sources(${target} PRIVATE ${stem}.cpp)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endfunction()
