# embed.cmake - the files of the dashboard and of the device page, and docs/openapi.json, as C arrays, so that `lotor serve`
# needs no file next to it.
#
# In CMakeLists.txt: lotor_embed(OUT) makes a rule for one generated C file. As a script (cmake -P) it is
# that rule: reads FILES (path=file|path=file...), writes OUTPUT. No other program is needed.

if(CMAKE_SCRIPT_MODE_FILE)
  set(types .json application/json .html text/html .css text/css .js text/javascript .svg image/svg+xml .wasm application/wasm)
  set(arrays "")
  set(rows "")
  set(place 0)
  string(REPLACE "|" ";" pairs "${FILES}")
  foreach(pair IN LISTS pairs)
    string(REGEX MATCH "^([^=]*)=(.*)$" matched "${pair}")
    set(path ${CMAKE_MATCH_1})
    set(file ${CMAKE_MATCH_2})
    string(REGEX MATCH "\\.[a-z]+$" ending "${file}")
    list(FIND types "${ending}" at)
    if(at LESS 0)
      message(FATAL_ERROR "${file}: no media type is known for ${ending} (cmake/embed.cmake has the list)")
    endif()
    math(EXPR at "${at} + 1")
    list(GET types ${at} type)
    if(NOT ending MATCHES "wasm|json")
      string(APPEND type "; charset=utf-8")
    endif()
    file(READ "${file}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND arrays "static const unsigned char asset_${place}[] = {${bytes}0};\n")
    set(row "{\"${path}\", \"${type}\", asset_${place}, sizeof asset_${place} - 1}")
    if(path STREQUAL "/openapi.json") # not a page
      set(openapi "${row}")
    else()
      string(APPEND rows "    ${row},\n")
    endif()
    math(EXPR place "${place} + 1")
  endforeach()
  file(WRITE "${OUTPUT}.new" "/* Made by cmake/embed.cmake. */\n#include \"service/http/dashboard.h\"\n\n${arrays}\n"
       "const lotor_asset lotor_assets[] = {\n${rows}};\n"
       "const size_t lotor_asset_count = sizeof lotor_assets / sizeof *lotor_assets;\n"
       "const lotor_asset lotor_openapi = ${openapi};\n")
  file(RENAME "${OUTPUT}.new" "${OUTPUT}")
  return()
endif()

function(lotor_embed out)
  set(folder ${PROJECT_SOURCE_DIR}/src/service/dashboard)
  set(generated ${PROJECT_BINARY_DIR}/dashboard_assets.c)
  file(GLOB found CONFIGURE_DEPENDS ${folder}/*.html ${folder}/*.css ${folder}/*.js ${folder}/*.svg)
  set(pairs "")
  foreach(file IN LISTS found)
    get_filename_component(name ${file} NAME)
    if(name STREQUAL index.html)
      set(name "")
    endif()
    string(REGEX REPLACE "\\.html$" "" name "${name}")
    list(APPEND pairs "/${name}=${file}")
  endforeach()
  # lotor-client as it is. Without emscripten its .wasm is left out: pages that need it say what to do.
  file(GLOB client CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/clients/js/src/*.js)
  list(APPEND client ${LOTOR_WASM})
  foreach(file IN LISTS client)
    get_filename_component(name ${file} NAME)
    list(APPEND pairs "/client/${name}=${file}")
  endforeach()
  set(api ${PROJECT_SOURCE_DIR}/docs/openapi.json)
  list(APPEND pairs "/openapi.json=${api}")
  string(REPLACE ";" "|" pairs "${pairs}")
  add_custom_command(OUTPUT ${generated}
                     COMMAND ${CMAKE_COMMAND} "-DFILES=${pairs}" -DOUTPUT=${generated}
                             -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                     DEPENDS ${found} ${client} ${api} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                     COMMENT "Embedding the dashboard" VERBATIM)
  set(${out} ${generated} PARENT_SCOPE)
endfunction()
