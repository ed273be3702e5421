# cmake -DFROM=<source>/python -DTO=<build>/python -DPROGRAM=<file> -DLIBRARIES=<file>,<file>... -P this
#
# Links the files of the package in FROM, the program and the libraries into TO, and removes links to
# files that have gone. Links are replaced only if they differ.
function(link target place)
  if(IS_SYMLINK ${place})
    file(READ_SYMLINK ${place} present)
    if(present STREQUAL target)
      return()
    endif()
  endif()
  file(CREATE_LINK ${target} ${place} SYMBOLIC)
endfunction()

file(MAKE_DIRECTORY ${TO}/npuprof/bin ${TO}/npuprof/lib)
file(GLOB entries LIST_DIRECTORIES true ${FROM}/npuprof/*)
foreach(entry IN LISTS entries)
  get_filename_component(name ${entry} NAME)
  if(NOT name STREQUAL "__pycache__")
    link(${entry} ${TO}/npuprof/${name})
  endif()
endforeach()
link(${FROM}/pyproject.toml ${TO}/pyproject.toml)

get_filename_component(name ${PROGRAM} NAME)
link(${PROGRAM} ${TO}/npuprof/bin/${name})
string(REPLACE "," ";" LIBRARIES "${LIBRARIES}")
foreach(library IN LISTS LIBRARIES)
  get_filename_component(name ${library} NAME)
  link(${library} ${TO}/npuprof/lib/${name})
endforeach()

file(GLOB entries LIST_DIRECTORIES true ${TO}/npuprof/* ${TO}/npuprof/lib/*)
foreach(entry IN LISTS entries)
  if(IS_SYMLINK ${entry} AND NOT EXISTS ${entry})
    file(REMOVE ${entry})
  endif()
endforeach()
