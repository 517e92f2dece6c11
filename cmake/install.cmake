# find_package(prism) for other projects.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/prism)
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
