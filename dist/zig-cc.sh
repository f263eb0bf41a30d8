#!/usr/bin/env bash
# The C compiler that maturin's zig is, for musl; static-binary.sh uses it where musl-gcc is missing. ZIG_PYTHON has the package ziglang.
arguments=()
for argument in "$@"; do
  # Rust's name for the machine is not zig's.
  case $argument in --target=*) ;; *) arguments+=("$argument") ;; esac
done
# Checks of undefined behaviour, which zig adds to what is not optimised, want a library that is not linked.
exec "$ZIG_PYTHON" -m ziglang cc -target x86_64-linux-musl -fno-sanitize=undefined "${arguments[@]}"
