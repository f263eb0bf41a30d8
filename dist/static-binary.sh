#!/usr/bin/env bash
# One file that runs on any x86-64 Linux: dist/static-binary.sh OUT
#
# With musl if rustup has its target; musl-gcc compiles what is C, or the zig of the environment whose Python ZIG_PYTHON is.
# Otherwise the C library of this machine is linked in, which works as well but for one thing: names of other machines are looked up
# with that library's own files, so `party join` wants an address where these are missing.
set -euo pipefail
out=$1
cargo=${CARGO:-cargo}
compiler=
# Random numbers come from the kernel itself. Without this a program that is linked statically looks for them in /dev, which not
# every container has.
random='--cfg getrandom_backend="linux_getrandom"'
if command -v musl-gcc >/dev/null; then
  compiler=musl-gcc
elif "${ZIG_PYTHON:-python3}" -c "import ziglang" 2>/dev/null; then
  export ZIG_PYTHON=${ZIG_PYTHON:-python3}
  compiler=$(realpath "$(dirname "$0")/zig-cc.sh")
fi
if test -n "$compiler" && rustup target list --installed 2>/dev/null | grep -qx x86_64-unknown-linux-musl; then
  target=x86_64-unknown-linux-musl
  export CARGO_TARGET_X86_64_UNKNOWN_LINUX_MUSL_RUSTFLAGS=$random
  export CC_x86_64_unknown_linux_musl=$compiler
else
  echo "skipped: musl (rustup target add x86_64-unknown-linux-musl, and musl-tools or ziglang); linking this machine's C library instead"
  target=x86_64-unknown-linux-gnu
  export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C target-feature=+crt-static $random"
fi
"$cargo" build --release --locked -p discretion-cli --target "$target"
mkdir -p "$(dirname "$out")"
cp "${CARGO_TARGET_DIR:-target}/$target/release/discretion" "$out"
strip "$out"
if ldd "$out" 2>/dev/null | grep -q '=>'; then
  echo "error: $out still wants shared libraries"; ldd "$out"; exit 1
fi
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
env -i "$(realpath "$out")" demo --out "$place/demo" >/dev/null 2>&1
test -s "$place/demo/report.html"
echo "$out: $(du -h "$out" | cut -f1), runs the demo without a shared library"
