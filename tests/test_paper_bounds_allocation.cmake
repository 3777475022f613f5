# Every allocation of the library and of this test comes by support/failing_memory.c.
target_link_options(${name} PRIVATE
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=mmap,--wrap=munmap)
