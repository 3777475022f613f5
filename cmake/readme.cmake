# readme.cmake - cmake -DIN=README.md -DOUT=FILE -P readme.cmake: a README for a package.
#
# A link to another page of the source tree leads nowhere in an installed package, and the project has no public address.
# So [docs/a.md](../../docs/a.md) becomes docs/a.md, and [A](../../docs/a.md#b) becomes A (docs/a.md).
# clients/python/build_backend/lotor_build.py does the same.
file(READ "${IN}" text)
string(REGEX REPLACE "\\[(docs/[^]\n]*)\\]\\(\\.\\./\\.\\./[^)\n]*\\)" "\\1" text "${text}")
string(REGEX REPLACE "\\[([^]\n]*)\\]\\(\\.\\./\\.\\./([^)#\n]*)(#[^)\n]*)?\\)" "\\1 (\\2)" text "${text}")
file(WRITE "${OUT}" "${text}")
