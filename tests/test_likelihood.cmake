# MPFR adds up the same sums (scripts/deps check installs it).
pkg_check_modules(MPFR REQUIRED IMPORTED_TARGET mpfr)
target_link_libraries(test_likelihood PRIVATE PkgConfig::MPFR)
