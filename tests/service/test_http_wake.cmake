# The test sets how long the threads of the server sleep, and counts how often they run.
target_link_options(${name} PRIVATE -Wl,--wrap=poll,--wrap=MHD_run_wait)
