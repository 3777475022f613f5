/* commit.h - the commit of the source code, which the build writes (cmake/statement.cmake). */
#ifndef LOTOR_CLI_COMMIT_H
#define LOTOR_CLI_COMMIT_H

/* Like "97bcf83a1b2c", with "-dirty" if files were changed; "": not known. */
extern const char lotor_commit[];

#endif
