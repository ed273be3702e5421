# The page of `npuprof view`: built by npm from web/, and put into the program as it is. Without npm, or
# without its packages, the program is built all the same and says what is missing.
set(NPUPROF_PAGE AUTO CACHE STRING "Build the page: ON (it has to succeed), AUTO (if npm and node 18 are there) or OFF")
set_property(CACHE NPUPROF_PAGE PROPERTY STRINGS AUTO ON OFF)
set(NPUPROF_WEB_DIR ${PROJECT_SOURCE_DIR}/web CACHE PATH "Sources of the page")
mark_as_advanced(NPUPROF_WEB_DIR)

# npuprof_page(<target>): adds the files of the page to the target.
function(npuprof_page target)
  set(data ${PROJECT_BINARY_DIR}/page/page_data.cc)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${NPUPROF_WEB_DIR}/src/* ${NPUPROF_WEB_DIR}/public/*)
  file(GLOB settings CONFIGURE_DEPENDS ${NPUPROF_WEB_DIR}/*.json ${NPUPROF_WEB_DIR}/*.ts ${NPUPROF_WEB_DIR}/*.html)
  add_custom_command(OUTPUT ${data}
    COMMAND ${CMAKE_COMMAND} -D MODE=${NPUPROF_PAGE} -D WEB=${NPUPROF_WEB_DIR}
            -D OUT=${PROJECT_BINARY_DIR}/page -D DATA=${data} -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    DEPENDS ${sources} ${settings} ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    COMMENT "Building the page" VERBATIM)
  target_sources(${target} PRIVATE ${data})
endfunction()
