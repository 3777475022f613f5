# statement.cmake - what a privacy statement has from the build: files as C arrays, and the commit of the source code.
#
# In CMakeLists.txt: lotor_statement_files(OUT) makes a rule for one generated C file, and lotor_commit(OUT) for
# another. As a script (cmake -P) it is these rules: FILES (name=file|name=file...) or COMMIT (the source folder), and
# OUTPUT.

if(CMAKE_SCRIPT_MODE_FILE AND DEFINED FILES)
  set(text "/* Made by cmake/statement.cmake. */\n#include \"service/statement/evidence.h\"\n")
  string(REPLACE "|" ";" pairs "${FILES}")
  foreach(pair IN LISTS pairs)
    string(REGEX MATCH "^([^=]*)=(.*)$" matched "${pair}")
    set(name ${CMAKE_MATCH_1})
    file(READ "${CMAKE_MATCH_2}" hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND text "const unsigned char ${name}[] = {${bytes}0};\n"
                       "const size_t ${name}_length = sizeof ${name} - 1;\n")
  endforeach()
  file(WRITE "${OUTPUT}.new" "${text}")
  file(RENAME "${OUTPUT}.new" "${OUTPUT}")
  return()
endif()

# The commit is "" in a source tree without git, such as a release archive. The file is written only if it changes.
if(CMAKE_SCRIPT_MODE_FILE AND DEFINED COMMIT)
  set(commit "")
  if(EXISTS ${COMMIT}/.git)
    execute_process(COMMAND git -C ${COMMIT} describe --always --dirty --abbrev=12 "--exclude=*"
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(failed OR NOT commit MATCHES "^[0-9a-f]+(-dirty)?$")
      set(commit "")
    endif()
  endif()
  set(text "/* Made by cmake/statement.cmake. */\n#include \"cli/commit.h\"\n\nconst char lotor_commit[] = \"${commit}\";\n")
  set(old "")
  if(EXISTS "${OUTPUT}")
    file(READ "${OUTPUT}" old)
  endif()
  if(NOT old STREQUAL text)
    file(WRITE "${OUTPUT}" "${text}")
  endif()
  return()
endif()

function(lotor_statement_files out)
  set(folder ${PROJECT_SOURCE_DIR}/src/service/statement)
  set(generated ${PROJECT_BINARY_DIR}/statement_files.c)
  add_custom_command(OUTPUT ${generated}
                     COMMAND ${CMAKE_COMMAND}
                             "-DFILES=lotor_evidence=${folder}/evidence.json|lotor_statement_style=${folder}/statement.css"
                             -DOUTPUT=${generated} -P ${PROJECT_SOURCE_DIR}/cmake/statement.cmake
                     DEPENDS ${folder}/evidence.json ${folder}/statement.css ${PROJECT_SOURCE_DIR}/cmake/statement.cmake
                     COMMENT "Embedding the files of privacy statements" VERBATIM)
  set(${out} ${generated} PARENT_SCOPE)
endfunction()

function(lotor_commit out)
  set(generated ${PROJECT_BINARY_DIR}/commit.c)
  add_custom_target(commit BYPRODUCTS ${generated}
                    COMMAND ${CMAKE_COMMAND} -DCOMMIT=${PROJECT_SOURCE_DIR} -DOUTPUT=${generated}
                            -P ${PROJECT_SOURCE_DIR}/cmake/statement.cmake
                    VERBATIM)
  set(${out} ${generated} PARENT_SCOPE)
endfunction()
