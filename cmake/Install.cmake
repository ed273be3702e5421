# Where things go below the prefix. With the Python package, the program and the libraries are inside it,
# as in a wheel, and bin/ and lib/ have links to them: the program finds its package, and all modules of
# a process use one recorder, whatever they loaded it by.
include(GNUInstallDirs)

if(TARGET npuprof_python)
  set(programs ${NPUPROF_PYTHON_INSTALL_DIR}/npuprof/bin)
  set(libraries ${NPUPROF_PYTHON_INSTALL_DIR}/npuprof/lib)
else()
  set(programs bin)
  set(libraries lib)
endif()

install(TARGETS npuprof RUNTIME DESTINATION ${programs})
install(TARGETS npusim RUNTIME DESTINATION bin)
install(TARGETS npuprof_shared npusim_cann LIBRARY DESTINATION ${libraries} NAMELINK_SKIP)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/npuprof DESTINATION include)

# npuprof_install_link(<place> <target>): both below the prefix; the link is relative.
function(npuprof_install_link place target)
  get_filename_component(folder ${place} DIRECTORY)
  file(RELATIVE_PATH relative /${folder} /${target})
  install(CODE "
    set(place \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${place}\")
    file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}\")
    file(CREATE_LINK ${relative} \"\${place}\" SYMBOLIC)
    message(STATUS \"Link: \${place}\")")
endfunction()

set(soname libnpuprof.so.${PROJECT_VERSION_MAJOR})
if(TARGET npuprof_python)
  npuprof_install_link(bin/npuprof ${programs}/npuprof)
  npuprof_install_link(lib/${soname} ${libraries}/${soname})
endif()
npuprof_install_link(lib/libnpuprof.so lib/${soname})
foreach(name IN LISTS NPUSIM_CANN_NAMES)
  npuprof_install_link(lib/npusim/lib${name}.so ${libraries}/libnpusim_cann.so)
endforeach()
