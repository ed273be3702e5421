# With ccache, objects are compiled once for all check-outs: what is below the source directory is named
# relative to it, on command lines and in the objects.
find_program(CCACHE ccache)
if(CCACHE)
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
endif()
add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
