#!/bin/sh
# The evidence in privacy statements is what the checks of this program give: a few of them are run again.
# make check-long runs all of them.
set -eu
lotor=$1
"$(dirname "$0")/../../scripts/evidence" "$lotor" --check
