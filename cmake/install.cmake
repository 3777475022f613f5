# The files that `make install` copies, and their folders. Folders are GNU's; under /usr the library goes where Debian has those of
# its architecture. DESTDIR, where it is set, is put before every path, and into none of the files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# The library, its headers, and how pkg-config and CMake find them.
install(DIRECTORY include/lotor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS lotor_shared EXPORT lotorTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS lotor_static EXPORT lotorStaticTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
        INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(LOTOR_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/lotor)
configure_package_config_file(cmake/lotorConfig.cmake.in ${PROJECT_BINARY_DIR}/lotorConfig.cmake
                              INSTALL_DESTINATION ${LOTOR_CMAKE_DIR})
# Before 1.0 a minor version may change what programs meet.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lotorConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lotorConfig.cmake ${PROJECT_BINARY_DIR}/lotorConfigVersion.cmake
        DESTINATION ${LOTOR_CMAKE_DIR})
install(EXPORT lotorTargets NAMESPACE lotor:: DESTINATION ${LOTOR_CMAKE_DIR})
install(EXPORT lotorStaticTargets NAMESPACE lotor:: DESTINATION ${LOTOR_CMAKE_DIR})

# lotor.pc, whose prefix is known only then; and the archive, as others link to it.
configure_file(cmake/install_last.cmake.in ${PROJECT_BINARY_DIR}/install_last.cmake @ONLY)
install(SCRIPT ${PROJECT_BINARY_DIR}/install_last.cmake)

# The command and its manual; pages are there where lowdown is (cmake/man.cmake).
if(TARGET lotor)
  install(TARGETS lotor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.[0-9].md)
foreach(page IN LISTS pages)
  get_filename_component(name ${page} NAME)
  string(REGEX REPLACE "\\.md$" "" name ${name})
  string(REGEX MATCH "[0-9]$" section ${name})
  install(FILES ${PROJECT_BINARY_DIR}/man/${name} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section} OPTIONAL)
endforeach()
file(GLOB completion CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/completions/lotor*)
if(completion)
  install(FILES ${completion} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lotor)
endif()

# Documents, so that their links to each other hold.
install(FILES README.md CHANGELOG.md SECURITY.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR}
        PATTERN docs/site EXCLUDE)
