# `cmake --install`: the program with its libraries, and the library with its header, for
# find_package(burin). The launch library (above) is a component of its own.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# One archive of all rooms but the command line and the server: libburin.a. Where BURIN_STATIC is
# set, what it needs from others is inside too.
set(library_rooms base formula store toolchain read coarsen machine launch capture emulate timing
  analyze advise measure gpu tune model jobs report api)
set(merge "CREATE libburin.a\n")
set(merged_targets "")
foreach(room ${library_rooms})
  string(APPEND merge "ADDLIB $<TARGET_FILE:burin_${room}>\n")
  list(APPEND merged_targets burin_${room})
endforeach()
foreach(archive ${BURIN_STATIC_ARCHIVES})
  string(APPEND merge "ADDLIB ${archive}\n")
endforeach()
if(TARGET burin_fmt)
  string(APPEND merge "ADDLIB $<TARGET_FILE:burin_fmt>\n")
  list(APPEND merged_targets burin_fmt)
endif()
string(APPEND merge "SAVE\nEND\n")
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/merge.mri CONTENT "${merge}")
set(merged ${CMAKE_CURRENT_BINARY_DIR}/libburin.a)
add_custom_command(
  OUTPUT ${merged}
  COMMAND ${CMAKE_COMMAND} -E rm -f ${merged}
  COMMAND ${CMAKE_AR} -M < ${CMAKE_CURRENT_BINARY_DIR}/merge.mri
  DEPENDS ${merged_targets} ${CMAKE_CURRENT_BINARY_DIR}/merge.mri
  WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
  COMMENT "Merging the rooms into libburin.a"
  VERBATIM)
add_custom_target(burin_library ALL DEPENDS ${merged})

configure_package_config_file(${CMAKE_SOURCE_DIR}/packaging/burin-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/burin-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/burin PATH_VARS CMAKE_INSTALL_LIBDIR
  CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/burin-config-version.cmake
  COMPATIBILITY SameMinorVersion)

# The program looks for these in ../lib/burin, whatever the folder of libraries is called.
install(TARGETS burin RUNTIME COMPONENT program)
install(TARGETS burin_record LIBRARY DESTINATION lib/burin COMPONENT program)
# The server needs a library that every distribution has in another version: not for packages.
if(TARGET burin_http AND NOT BURIN_STATIC)
  install(TARGETS burin_http LIBRARY DESTINATION lib/burin COMPONENT program)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md
  ${CMAKE_SOURCE_DIR}/CHANGELOG.md TYPE DOC COMPONENT program)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples TYPE DOC
  COMPONENT program)
install(FILES ${merged} TYPE LIB COMPONENT library)
install(FILES api/burin.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/burin COMPONENT library)
install(FILES base/result.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/burin/base COMPONENT library)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/burin-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/burin-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/burin COMPONENT library)
