# The folders of src/ form a pipeline: a folder may use only folders above it in cmake/layers.txt.
# Link dependencies are checked here at configure time; includes are checked by scripts/check_layers.py.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/layers.txt NPUPROF_LAYERS)

# npuprof_library(<folder> [USES <folder above>...] [LINK <library>...] [ALONE <file>...])
# Compiles every .cc below src/<folder> into the static library npuprof_<folder>. Each file that is named
# ALONE is an object of its own: those who link the library may have a definition of theirs instead.
function(npuprof_library folder)
  cmake_parse_arguments(ARG "" "" "USES;LINK;ALONE" ${ARGN})
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
  list(TRANSFORM ARG_ALONE PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(ARG_ALONE)
    list(REMOVE_ITEM sources ${ARG_ALONE})
  endif()
  npuprof_batches(sources ${folder} ${PROJECT_SOURCE_DIR}/src ${sources})
  list(TRANSFORM ARG_USES PREPEND npuprof_)
  if(sources)
    add_library(npuprof_${folder} STATIC ${sources} ${ARG_ALONE})
    target_include_directories(npuprof_${folder} PUBLIC ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(npuprof_${folder} PUBLIC ${ARG_USES} ${ARG_LINK})
    if(NPUPROF_FUZZ)
      target_compile_options(npuprof_${folder} PRIVATE -fsanitize=fuzzer-no-link)
    endif()
  else()
    add_library(npuprof_${folder} INTERFACE)
    target_include_directories(npuprof_${folder} INTERFACE ${PROJECT_SOURCE_DIR}/src)
    target_link_libraries(npuprof_${folder} INTERFACE ${ARG_USES} ${ARG_LINK})
  endif()
endfunction()

# Tests of code that several threads run at once have one of these words in their name: they are what
# the thread sanitizer is for.
set(NPUPROF_CONCURRENT_TESTS "Thread|Parallel|Concurren|Progress")

# npuprof_test(<name> SOURCES <file>... LINK <library>...): a GoogleTest program. ctest runs it as a whole;
# scripts/run_tests.py runs its tests side by side and says which of them failed.
function(npuprof_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  if(NPUPROF_SANITIZE STREQUAL "thread")
    foreach(source IN LISTS ARG_SOURCES)
      file(STRINGS ${source} tests REGEX "^TEST.*(${NPUPROF_CONCURRENT_TESTS})")
      if(NOT tests AND source MATCHES "_test.cc$")
        list(REMOVE_ITEM ARG_SOURCES ${source})
      endif()
    endforeach()
  endif()
  npuprof_batches(sources ${name} ${PROJECT_SOURCE_DIR}/tests ${ARG_SOURCES})
  add_executable(${name} ${sources})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} npuprof_test_support GTest::gmock_main)
  target_compile_options(${name} PRIVATE -O0)  # Tests need not be fast, but compiled often.
  target_compile_options(${name} PRIVATE -include ${PROJECT_SOURCE_DIR}/tests/source_directory.h)
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS GoogleTest)
endfunction()
