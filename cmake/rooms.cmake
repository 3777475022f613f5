# A room is an object library that sees only itself and the rooms it may use.
#
# Its include folder, build/rooms/ROOM/, holds one link per allowed room, so that
# #include "privacy/..." inside src/learn is not forbidden by a rule but simply not found.

# lotor_sources(ROOM OUT): the C files of a room, found by looking (a new file needs no edit here).
# Those in a folder `json` need jansson, and are in the service's part alone: see lotor_json_room.
function(lotor_sources room out)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.c)
  list(FILTER found EXCLUDE REGEX "/json/[^/]*\\.c$")
  set(${out} ${found} PARENT_SCOPE)
endfunction()

function(lotor_room room)
  cmake_parse_arguments(ROOM "" "" "USES" ${ARGN})
  set(view ${PROJECT_BINARY_DIR}/rooms/${room})
  file(REMOVE_RECURSE ${view})
  file(MAKE_DIRECTORY ${view})
  foreach(allowed IN LISTS room ROOM_USES)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${allowed} ${view}/${allowed} SYMBOLIC)
  endforeach()

  lotor_sources(${room} sources)
  add_library(room_${room} OBJECT ${sources})
  target_include_directories(room_${room} PRIVATE ${view} ${PROJECT_SOURCE_DIR}/include)
  if(room STREQUAL base)
    target_link_libraries(room_${room} PRIVATE PkgConfig::SODIUM)
  elseif(room STREQUAL service)
    target_link_libraries(room_${room} PRIVATE PkgConfig::SODIUM PkgConfig::SERVICE)
    if(POSTGRES_FOUND)
      target_link_libraries(room_${room} PRIVATE PkgConfig::POSTGRES)
      target_compile_definitions(room_${room} PRIVATE LOTOR_POSTGRES=1)
    endif()
  elseif(room STREQUAL learn)
    target_link_libraries(room_${room} PRIVATE PkgConfig::LAPACKE)
  endif()
endfunction()

# lotor_json_room(ROOM): the files of a room that read JSON, as room_ROOM_json. They see what the room sees.
function(lotor_json_room room)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.c)
  list(FILTER found INCLUDE REGEX "/json/[^/]*\\.c$")
  add_library(room_${room}_json OBJECT ${found})
  target_include_directories(room_${room}_json PRIVATE ${PROJECT_BINARY_DIR}/rooms/${room} ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(room_${room}_json PRIVATE PkgConfig::SERVICE)
endfunction()
