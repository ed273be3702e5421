# Sources are compiled in batches: one object for several files of a folder. Most of the time of a
# single file goes into headers that its neighbours need too, so a batch of ten takes about as long as
# two or three files by themselves. What stands in unnamed namespaces must therefore have names that
# are unique in the folder, which readers like as well.
option(NPUPROF_BATCHES "Compile several source files at once; OFF: an object for each, to look for missing includes" ON)
set(NPUPROF_ALONE "" CACHE STRING "Files in work (a regular expression): compiled by themselves, so that a change compiles no neighbours")
set(NPUPROF_BATCH_BYTES 400000 CACHE STRING "About how much source code a batch has")
mark_as_advanced(NPUPROF_BATCH_BYTES)

# npuprof_batches(<variable> <name> <root> <file>...)
# Sets the variable to the files to compile for <name>. A batch includes its files by their path below
# <root>, which must be a directory of the target's includes: batches of two check-outs are equal, and
# a compiler cache can share their objects.
function(npuprof_batches variable name root)
  if(NOT NPUPROF_BATCHES)
    set(${variable} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(batches)
  set(alone)
  set(text)
  set(bytes 0)
  set(folder)
  set(sources ${ARGN})
  list(SORT sources)
  math(EXPR few_bytes "${NPUPROF_BATCH_BYTES} / 2")
  foreach(source IN LISTS sources)
    get_filename_component(source_folder ${source} DIRECTORY)
    if(bytes GREATER_EQUAL NPUPROF_BATCH_BYTES OR
       (bytes GREATER_EQUAL few_bytes AND NOT source_folder STREQUAL folder))
      npuprof_write_batch()
    endif()
    set(folder ${source_folder})
    # Counted even if it is compiled alone, so that all other batches stay as they are.
    file(SIZE ${source} size)
    math(EXPR bytes "${bytes} + ${size}")
    file(RELATIVE_PATH path ${root} ${source})
    if(NPUPROF_ALONE AND path MATCHES "${NPUPROF_ALONE}")
      list(APPEND alone ${source})
    else()
      string(APPEND text "#include \"${path}\"\n")
    endif()
  endforeach()
  if(text)
    npuprof_write_batch()
  endif()
  set(${variable} ${batches} ${alone} PARENT_SCOPE)
endfunction()

# Ends the batch that npuprof_batches collects.
macro(npuprof_write_batch)
  list(LENGTH batches number)
  set(batch ${CMAKE_BINARY_DIR}/batches/${name}_${number}.cc)
  file(CONFIGURE OUTPUT ${batch} CONTENT "${text}" @ONLY)
  list(APPEND batches ${batch})
  set(text)
  set(bytes 0)
endmacro()

# A name of one file may hide one of another file of its batch, and types of unnamed namespaces may be
# members: no source includes a source otherwise.
if(NOT NPUPROF_BATCHES)
  set(NPUPROF_BATCH_WARNINGS -Wshadow)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(NPUPROF_BATCH_WARNINGS -Wshadow=local $<$<COMPILE_LANGUAGE:CXX>:-Wno-subobject-linkage>)
endif()
