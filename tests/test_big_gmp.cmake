# GMP and MPFR compute the same numbers a second time. Only this test needs them (scripts/deps check installs them).
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp mpfr)
target_link_libraries(test_big_gmp PRIVATE PkgConfig::GMP)
