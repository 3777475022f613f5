# getrandom goes through the test, which can make it fail.
target_link_options(${name} PRIVATE -Wl,--wrap=getrandom)
