# Run while building: MODE (ON, AUTO, OFF), WEB (sources), OUT (a folder), DATA (the file to write).
# Writes a C++ file with the files of the page in it, or with the reason why there are none.
cmake_minimum_required(VERSION 3.25)

# Sets `reason` if node and npm are not there or too old.
macro(find_tools)
  find_program(NODE NAMES node nodejs)
  find_program(NPM npm)
  if(MODE STREQUAL OFF)
    set(reason "the page was switched off (NPUPROF_PAGE)")
  elseif(NOT EXISTS ${WEB}/package.json)
    set(reason "the sources of the page were missing")
  elseif(NOT NODE OR NOT NPM)
    set(reason "node and npm were not there")
  else()
    execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE)
    string(REGEX REPLACE "^v" "" version "${version}")
    if(version VERSION_LESS 18)
      set(reason "node was of version ${version}, which is too old")
    endif()
  endif()
endmacro()

# Sets `reason` if there are no packages, for lack of a network. What the page itself does not build for
# is an error.
macro(build)
  set(installed ${WEB}/node_modules/.package-lock.json)
  set(status 0)
  if(NOT EXISTS ${installed} OR ${WEB}/package-lock.json IS_NEWER_THAN ${installed})
    execute_process(COMMAND ${NPM} ci --no-audit --no-fund --loglevel=error WORKING_DIRECTORY ${WEB}
                    RESULT_VARIABLE status OUTPUT_FILE ${OUT}/npm.log ERROR_FILE ${OUT}/npm.log)
    if(NOT status EQUAL 0)
      set(reason "npm could not get the packages it needs")
      message(STATUS "What npm said is in ${OUT}/npm.log")
    endif()
  endif()
  if(NOT reason)
    execute_process(COMMAND ${NPM} run --silent build -- --outDir ${OUT}/files --emptyOutDir --logLevel warn
                    WORKING_DIRECTORY ${WEB} RESULT_VARIABLE status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "The page does not build: see above")
    endif()
  endif()
endmacro()

set(reason)
set(files)
file(MAKE_DIRECTORY ${OUT})
find_tools()
if(NOT reason)
  build()
endif()
if(reason AND MODE STREQUAL ON)
  message(FATAL_ERROR "The page cannot be built: ${reason}")
elseif(reason)
  message(STATUS "The program is built without its page: ${reason}")
else()
  file(GLOB_RECURSE files RELATIVE ${OUT}/files ${OUT}/files/*)
  list(SORT files)
endif()

# The assembler includes the files; the compiler never sees their bytes.
set(text "// Made by cmake/BuildPage.cmake.\n#include \"serve/page_data.h\"\n\n")
set(table)
set(number 0)
foreach(file IN LISTS files)
  file(SHA256 ${OUT}/files/${file} hash)
  string(APPEND text "// ${hash}\n"
    "asm(\".section .rodata\\n\"\n"
    "    \"npuprof_page_${number}: .incbin \\\"${OUT}/files/${file}\\\"\\n\"\n"
    "    \"npuprof_page_end_${number}: .byte 0\\n.previous\\n\");\n"
    "extern \"C\" const char npuprof_page_${number}[] __attribute__((visibility(\"hidden\")));\n"
    "extern \"C\" const char npuprof_page_end_${number}[] __attribute__((visibility(\"hidden\")));\n")
  string(APPEND table "  files.push_back({\"/${file}\", {npuprof_page_${number},\n"
    "      static_cast<std::size_t>(npuprof_page_end_${number} - npuprof_page_${number})}});\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND text "\nnamespace npuprof::serve {\n\n"
  "std::vector<PageData> page_data() {\n  std::vector<PageData> files;\n${table}  return files;\n}\n\n"
  "std::string_view missing_page_reason() { return \"${reason}\"; }\n\n}  // namespace npuprof::serve\n")
file(WRITE ${DATA} "${text}")
