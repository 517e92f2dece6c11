# find_package(prism) and pkg-config for other projects, and a Debian package: cpack -G DEB.
include(CMakePackageConfigHelpers)

# Not in the folder of an architecture: there is nothing binary.
set(package_dir ${CMAKE_INSTALL_DATADIR}/cmake/prism)
install(TARGETS prism prism_cuda EXPORT prism)
install(EXPORT prism NAMESPACE prism:: FILE prismTargets.cmake DESTINATION ${package_dir})
install(DIRECTORY include/prism DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/prismConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(DIRECTORY src DESTINATION ${package_dir})
install(FILES cmake/prismConfig.cmake cmake/compiled.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/prismConfigVersion.cmake
        DESTINATION ${package_dir})
# Inside another project, CMAKE_INSTALL_DOCDIR is that project's.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/prism)

set(prism_pc_dir ${CMAKE_INSTALL_DATADIR}/pkgconfig)
file(RELATIVE_PATH prism_pc_prefix /prefix/${prism_pc_dir} /prefix)
string(REGEX REPLACE "/$" "" prism_pc_prefix "${prism_pc_prefix}")
set(prism_pc_zlib "")
set(prism_pc_flags "")
if(ZLIB_FOUND)
  set(prism_pc_zlib " zlib")
  set(prism_pc_flags " -DPRISM_HAS_ZLIB=1")
endif()
configure_file(cmake/prism.pc.in prism.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/prism.pc DESTINATION ${prism_pc_dir})

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
set(CPACK_PACKAGE_NAME libprismcf-dev)
set(CPACK_PACKAGE_CONTACT "the authors of prism")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libxtensor-dev, libxsimd-dev, libtbb-dev")
if(ZLIB_FOUND)
  string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", zlib1g-dev")
endif()
include(CPack)
