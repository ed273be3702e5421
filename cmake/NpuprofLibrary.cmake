# The folders of src/ form a pipeline: a folder may use only folders above it in cmake/layers.txt.
# Link dependencies are checked here at configure time; includes are checked by scripts/check_layers.py.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/layers.txt NPUPROF_LAYERS)

# npuprof_library(<folder> [USES <folder above>...] [LINK <library>...])
# Compiles every .cc below src/<folder> into the static library npuprof_<folder>.
function(npuprof_library folder)
  cmake_parse_arguments(ARG "" "" "USES;LINK" ${ARGN})
  list(FIND NPUPROF_LAYERS ${folder} own_rank)
  if(own_rank EQUAL -1)
    message(FATAL_ERROR "src/${folder} is not listed in cmake/layers.txt")
  endif()
  foreach(used IN LISTS ARG_USES)
    list(FIND NPUPROF_LAYERS ${used} used_rank)
    if(used_rank EQUAL -1 OR NOT used_rank LESS own_rank)
      message(FATAL_ERROR "src/${folder} may not use src/${used}: only folders above it in cmake/layers.txt")
    endif()
  endforeach()

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cc)
  list(TRANSFORM ARG_USES PREPEND npuprof_)
  if(sources)
    add_library(npuprof_${folder} STATIC ${sources})
    target_include_directories(npuprof_${folder} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(npuprof_${folder} PUBLIC ${ARG_USES} ${ARG_LINK})
  else()
    add_library(npuprof_${folder} INTERFACE)
    target_include_directories(npuprof_${folder} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(npuprof_${folder} INTERFACE ${ARG_USES} ${ARG_LINK})
  endif()
endfunction()

# npuprof_test(<name> SOURCES <file>... LINK <library>...): a GoogleTest executable known to ctest.
function(npuprof_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} npuprof_test_support GTest::gmock_main)
  # Tests need not be fast, but compiled often.
  target_compile_options(${name} PRIVATE -O1 -include ${PROJECT_SOURCE_DIR}/tests/source_directory.h)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
endfunction()
