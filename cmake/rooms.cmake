# A room is an object library that sees only itself and the rooms it may use.
#
# Its include folder, build/rooms/ROOM/, holds one link per allowed room, so that
# #include "privacy/..." inside src/learn is not forbidden by a rule but simply not found.
# Where a room needs single headers of another room, the include folder holds links to those headers
# and to the headers that they include. The files of a room may name only the rooms and headers in
# build/rooms/ROOM.uses in an #include: tests/wall/wall.sh reads it.

# lotor_sources(ROOM OUT): the C files of a room, found by looking (a new file needs no edit here).
# Those in a folder `json` need jansson, and are in the service's part alone: see lotor_json_room.
function(lotor_sources room out)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.c)
  list(FILTER found EXCLUDE REGEX "/json/[^/]*\\.c$")
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# lotor_link_header(VIEW HEADER SEEN): a link to one header, and to everything that it includes. A header in a
# folder that is linked as a whole needs no link of its own. SEEN: a variable, the headers looked at so far.
function(lotor_link_header view header seen)
  if(header IN_LIST ${seen} OR NOT EXISTS ${PROJECT_SOURCE_DIR}/src/${header})
    return()
  endif()
  list(APPEND ${seen} ${header})
  if(NOT EXISTS ${view}/${header})
    get_filename_component(folder ${view}/${header} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${header} ${view}/${header} SYMBOLIC)
  endif()
  # A header that includes another one tomorrow needs another link.
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/${header} lines REGEX "^#include \"")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^#include \"([^\"]*)\".*" "\\1" included "${line}")
    lotor_link_header(${view} ${included} ${seen})
  endforeach()
  set(${seen} ${${seen}} PARENT_SCOPE)
endfunction()

# lotor_view(ROOM USES rooms HEADERS headers BEHIND headers): the include folder of a room. BEHIND: headers
# that the room may name anyway (their room is in USES), but that include others from elsewhere.
function(lotor_view room)
  cmake_parse_arguments(ROOM "" "" "USES;HEADERS;BEHIND" ${ARGN})
  set(view ${PROJECT_BINARY_DIR}/rooms/${room})
  file(REMOVE_RECURSE ${view})
  file(MAKE_DIRECTORY ${view})
  set(uses "")
  foreach(allowed IN LISTS room ROOM_USES)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${allowed} ${view}/${allowed} SYMBOLIC)
    string(APPEND uses "${allowed}/\n")
  endforeach()
  set(linked "")
  foreach(header IN LISTS ROOM_HEADERS)
    lotor_link_header(${view} ${header} linked)
    string(APPEND uses "${header}\n")
  endforeach()
  foreach(header IN LISTS ROOM_BEHIND)
    lotor_link_header(${view} ${header} linked)
  endforeach()
  file(WRITE ${view}.uses "${uses}")
endfunction()

function(lotor_room room)
  lotor_view(${room} ${ARGN})
  set(view ${PROJECT_BINARY_DIR}/rooms/${room})
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
