# Finds the PyTorch of the interpreter that the package is built for. What is compiled for it fits no
# other; which one it is stands in _torch_build.py, so that another one is noticed before it is loaded.
# Defines npuprof_torch_module() if there is one.
file(REMOVE ${NPUPROF_PYTHON_PACKAGE}/_torch_build.py)
execute_process(
  COMMAND ${Python_EXECUTABLE} -c
    "import os, torch; print(os.path.dirname(torch.__file__)); print(torch.__version__); print(int(torch._C._GLIBCXX_USE_CXX11_ABI))"
  OUTPUT_VARIABLE torch_facts ERROR_QUIET RESULT_VARIABLE torch_failure)
if(torch_failure)
  message(STATUS "Hooks into PyTorch: not built, ${Python_EXECUTABLE} has no PyTorch")
  return()
endif()
string(REPLACE "\n" ";" torch_facts "${torch_facts}")
list(GET torch_facts 0 torch_directory)
list(GET torch_facts 1 torch_version)
list(GET torch_facts 2 torch_has_cxx11_abi)

find_path(NPUPROF_TORCH_INCLUDE_DIR ATen/record_function.h HINTS ${torch_directory}/include)
foreach(name IN ITEMS c10 torch_cpu torch_python)
  find_library(NPUPROF_${name}_LIBRARY ${name} HINTS ${torch_directory}/lib)
  list(APPEND torch_libraries ${NPUPROF_${name}_LIBRARY})
endforeach()
if(NOT NPUPROF_TORCH_INCLUDE_DIR OR torch_libraries MATCHES "NOTFOUND")
  message(STATUS "Hooks into PyTorch: not built, its headers or libraries are missing (libtorch-dev)")
  return()
endif()
if(NOT torch_has_cxx11_abi)
  message(STATUS "Hooks into PyTorch: not built, this PyTorch has the C++ library interface of before 2011")
  return()
endif()
message(STATUS "Hooks into PyTorch: built for version ${torch_version}")

set(torch_library_names "")
foreach(library IN LISTS torch_libraries)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${library} OUTPUT_VARIABLE headers)
  if(headers MATCHES "SONAME +([^\n ]+)")
    string(APPEND torch_library_names "\"${CMAKE_MATCH_1}\", ")
  endif()
endforeach()
file(CONFIGURE OUTPUT ${NPUPROF_PYTHON_PACKAGE}/_torch_build.py @ONLY CONTENT
"\"\"\"The PyTorch that the modules which use it were built for. Written by the build.\"\"\"

VERSION = \"@torch_version@\"
DIRECTORY = \"@torch_directory@\"
LIBRARIES = (@torch_library_names@)
")
install(FILES ${NPUPROF_PYTHON_PACKAGE}/_torch_build.py DESTINATION ${NPUPROF_PYTHON_INSTALL_DIR}/npuprof)

# npuprof_torch_module(<name> <folder> [ALONE <file>...] [LINK <library>...]): a module of the package that
# uses PyTorch, of the sources in <folder>; those that are named ALONE are not compiled with others.
function(npuprof_torch_module name folder)
  cmake_parse_arguments(ARG "" "" "ALONE;LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cc)
  list(TRANSFORM ARG_ALONE PREPEND ${folder}/)
  if(ARG_ALONE)
    list(REMOVE_ITEM sources ${ARG_ALONE})
  endif()
  # Two, for two cores: they are compiled last, since PyTorch may come late.
  math(EXPR NPUPROF_BATCH_BYTES "${NPUPROF_BATCH_BYTES} / 3")
  npuprof_batches(sources ${name} ${PROJECT_SOURCE_DIR} ${sources})
  # The clock has a variable of its own in each library that reads it.
  npuprof_python_module(${name} SOURCES ${sources} ${ARG_ALONE} ${PROJECT_SOURCE_DIR}/src/record/ticks.cc
                        LINK npuprof_record ${ARG_LINK} ${torch_libraries} ${CMAKE_DL_LIBS})
  target_include_directories(${name} PRIVATE ${folder})
  target_include_directories(${name} SYSTEM PRIVATE ${NPUPROF_TORCH_INCLUDE_DIR}
                             ${NPUPROF_TORCH_INCLUDE_DIR}/torch/csrc/api/include)
endfunction()
