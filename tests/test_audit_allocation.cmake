# Every allocation of the library and of this test comes by support/failing_memory.c.
target_link_options(${name} PRIVATE
  -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=mmap,--wrap=munmap)
# The chart of lotor audit belongs to the command.
target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src/cli/audit_chart.c)
