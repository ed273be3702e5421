# cpp-httplib: Debian has it compiled, with all it can do; who includes its header has to say the same.
# Elsewhere it is a header alone.
find_path(HTTPLIB_INCLUDE httplib.h REQUIRED)
find_library(HTTPLIB cpp-httplib)
add_library(npuprof_http INTERFACE)
target_include_directories(npuprof_http SYSTEM INTERFACE ${HTTPLIB_INCLUDE})
if(HTTPLIB)
  target_compile_definitions(npuprof_http INTERFACE
    CPPHTTPLIB_OPENSSL_SUPPORT CPPHTTPLIB_ZLIB_SUPPORT CPPHTTPLIB_BROTLI_SUPPORT)
  target_link_libraries(npuprof_http INTERFACE ${HTTPLIB})
endif()
target_link_libraries(npuprof_http INTERFACE Threads::Threads)
