# The manual: man/NAME.SECTION.md becomes build/man/NAME.SECTION.
find_program(LOTOR_LOWDOWN lowdown)
if(NOT LOTOR_LOWDOWN)
  message(STATUS "the man pages are left out: they need lowdown")
  return()
endif()
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/man/*.[0-9].md)
set(made "")
foreach(page IN LISTS pages)
  get_filename_component(name ${page} NAME)
  string(REGEX REPLACE "\\.md$" "" name ${name})
  add_custom_command(
    OUTPUT ${PROJECT_BINARY_DIR}/man/${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
    COMMAND sh ${PROJECT_SOURCE_DIR}/man/build ${LOTOR_LOWDOWN} ${page} ${PROJECT_VERSION}
            ${PROJECT_BINARY_DIR}/man/${name}
    DEPENDS ${page} ${PROJECT_SOURCE_DIR}/man/build ${PROJECT_SOURCE_DIR}/man/page.awk
    VERBATIM)
  list(APPEND made ${PROJECT_BINARY_DIR}/man/${name})
endforeach()
add_custom_target(man ALL DEPENDS ${made})
