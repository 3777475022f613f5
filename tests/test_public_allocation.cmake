# Every allocation of the library and of this test comes by support/failing_memory.c; and the test reads
# the headers, to check that none of their functions is left out.
target_link_options(${name} PRIVATE
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=mmap,--wrap=munmap)
target_compile_definitions(${name} PRIVATE LOTOR_HEADERS="${PROJECT_SOURCE_DIR}/include/lotor")
