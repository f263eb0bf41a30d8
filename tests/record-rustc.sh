#!/bin/bash
# Cargo's RUSTC_WRAPPER, with RECORDS a folder: keeps how each of our crates is compiled, and compiles it. lint.py uses what is kept.
if test -n "$CARGO_PRIMARY_PACKAGE" -a -n "$CARGO_CRATE_NAME"; then
    unit=
    for argument; do case $argument in extra-filename=*) unit=${argument#extra-filename=} ;; esac; done
    mkdir -p "$RECORDS"
    printf '%s\0' "$@" >"$RECORDS/$CARGO_CRATE_NAME$unit.arguments"
    # What cargo says about the crate, and nothing else: an environment may hold secrets.
    env -0 | grep -zE '^(CARGO_(BIN|CRATE|MANIFEST|PKG|PRIMARY)_|OUT_DIR=)' >"$RECORDS/$CARGO_CRATE_NAME$unit.environment"
fi
exec "$@"
