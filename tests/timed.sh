#!/usr/bin/env bash
# Runs a test program for cargo and notes how long each test took, for `tests/slowest.sh`.
#
# The test harness tells times only where unstable options are allowed, which this variable does for the program that runs and not
# for what is compiled.
case "$1" in
  */deps/*) ;;
  *) exec "$@" ;;
esac
# Cargo runs tests in the folder of their crate.
times=$(dirname "$0")/../target/test-times
mkdir -p "$times"
set -o pipefail
RUSTC_BOOTSTRAP=1 "$@" -Z unstable-options --report-time 2>&1 | tee "$times/$(basename "$1").txt"
