# getrandom goes through the test, so that two worlds have the same random bytes.
target_link_options(${name} PRIVATE -Wl,--wrap=getrandom)
