# wasm.cmake - clients/js as a package: build/clients/js/ with lotor.wasm next to the modules.
#
# The local randomizers are compiled by emscripten from the same C as everything else. Without emcc there is
# no package, and all else is built as ever. LOTOR_WASM is the .wasm's path, or empty.

find_program(LOTOR_EMCC emcc DOC "emscripten's compiler, for the randomizers in browsers")
set(LOTOR_JS ${PROJECT_BINARY_DIR}/clients/js)
set(LOTOR_WASM "")
if(NOT LOTOR_EMCC)
  add_custom_target(wasm COMMAND ${CMAKE_COMMAND} -E echo
                    "lotor.wasm needs emscripten (Debian: emscripten): install it, or use make wasm"
                    COMMAND ${CMAKE_COMMAND} -E false VERBATIM)
  return()
endif()
set(LOTOR_WASM ${LOTOR_JS}/lotor.wasm)

# Not base/memory.c: its libsodium stays outside, and device.c wipes memory itself.
set(wasm_sources clients/js/wasm/device.c
    src/privacy/local/randomize.c src/privacy/local/bit.c src/privacy/local/position.c src/privacy/local/cube.c
    src/privacy/local/steady.c
    src/privacy/noise/exact.c src/privacy/noise/noise.c src/privacy/encode/encode.c
    src/base/message.c src/base/ratio.c src/base/digits.c
    src/base/random/generator.c src/base/random/gaussian.c src/base/random/laplace.c)
list(TRANSFORM wasm_sources PREPEND ${PROJECT_SOURCE_DIR}/)
file(GLOB wasm_headers CONFIGURE_DEPENDS include/lotor/*.h src/base/*.h src/base/random/*.h
     src/privacy/local/*.h src/privacy/noise/*.h src/privacy/encode/*.h)
# The host's one function is undefined on purpose; the package's test checks that there is no other. Memory
# does not grow: a call takes less than 100 KiB, and when there is none left it says so. The stack comes first,
# so that one that is too deep ends at address 0, in a trap.
set(wasm_werror "")
if(LOTOR_WERROR)
  set(wasm_werror -Werror)
endif()
add_custom_command(OUTPUT ${LOTOR_WASM}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${LOTOR_JS}
  COMMAND ${LOTOR_EMCC} -std=c17 -O2 -Wall -Wextra ${wasm_werror} -Wconversion -Wshadow -Wstrict-prototypes
          -ffp-contract=off -fno-math-errno -DNDEBUG -D_GNU_SOURCE "-DLOTOR_VERSION_TEXT=\"${PROJECT_VERSION}\""
          -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include ${wasm_sources}
          --no-entry -sERROR_ON_UNDEFINED_SYMBOLS=0 -sWARN_ON_UNDEFINED_SYMBOLS=0
          -sINITIAL_MEMORY=1048576 -sTOTAL_STACK=65536 -sMALLOC=emmalloc -Wl,--stack-first -o ${LOTOR_WASM}
  DEPENDS ${wasm_sources} ${wasm_headers}
  COMMENT "Compiling the randomizers to WebAssembly" VERBATIM)

file(GLOB js_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/clients/js/src/*.js)
list(APPEND js_files ${PROJECT_SOURCE_DIR}/clients/js/src/index.d.ts ${PROJECT_SOURCE_DIR}/clients/js/package.json
     ${PROJECT_SOURCE_DIR}/LICENSE)
set(js_readme ${PROJECT_SOURCE_DIR}/clients/js/README.md)
set(js_stamp ${PROJECT_BINARY_DIR}/clients/js.stamp)
add_custom_command(OUTPUT ${js_stamp}
  COMMAND ${CMAKE_COMMAND} -E copy ${js_files} ${LOTOR_JS}
  COMMAND ${CMAKE_COMMAND} -DIN=${js_readme} -DOUT=${LOTOR_JS}/README.md -P ${PROJECT_SOURCE_DIR}/cmake/readme.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${js_stamp}
  DEPENDS ${js_files} ${js_readme} ${PROJECT_SOURCE_DIR}/cmake/readme.cmake ${LOTOR_WASM}
  COMMENT "Putting lotor-client together" VERBATIM)
add_custom_target(wasm DEPENDS ${LOTOR_WASM} ${js_stamp})

# The same reports from the C library, for the package's test.
add_executable(js_golden EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/clients/js/test/golden.c)
target_include_directories(js_golden PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(js_golden PRIVATE lotor_static)
