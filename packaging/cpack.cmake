# `cpack`: burin_VERSION_amd64.deb and burin-VERSION-Linux-x86_64.tar.gz, for computers that have nothing but a C
# library (scripts/package.sh builds with BURIN_STATIC and makes both).
set(CPACK_PACKAGE_NAME burin)
set(CPACK_PACKAGE_VENDOR "the authors of burin")
set(CPACK_PACKAGE_CONTACT "the authors of burin <burin@example.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "CUDA kernels analysed without a GPU: time, bottlenecks, advice")
set(CPACK_PACKAGE_FILE_NAME ${CPACK_PACKAGE_NAME}-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_MONOLITHIC_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS libc6)
endif()

include(GNUInstallDirs)
install(FILES ${CMAKE_SOURCE_DIR}/skills/burin/SKILL.md DESTINATION ${CMAKE_INSTALL_DATADIR}/burin/skills/burin
  COMPONENT program)
# What is linked into the program statically asks for its notice to come along.
if(BURIN_STATIC)
  foreach(package libfmt-dev libcli11-dev nlohmann-json3-dev libtomlplusplus-dev libeigen3-dev libzstd-dev
      liblz4-dev zlib1g-dev libsqlite3-dev libstdc++-12-dev)
    if(EXISTS /usr/share/doc/${package}/copyright)
      install(FILES /usr/share/doc/${package}/copyright RENAME ${package}
        DESTINATION ${CMAKE_INSTALL_DOCDIR}/licenses COMPONENT program)
    endif()
  endforeach()
endif()
include(CPack)
