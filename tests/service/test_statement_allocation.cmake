# All allocations of the library, of jansson and of this test go through support/failing_memory.c.
target_link_options(${name} PRIVATE
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=mmap,--wrap=munmap)
