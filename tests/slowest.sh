#!/usr/bin/env bash
# The ten Rust tests that took longest in the last `make unit`.
echo "The slowest ten of $(cat target/test-times/*.txt | grep -cE '^test .* <[0-9.]+s>$') tests:"
sed -nE 's/^test (.*) \.\.\. ok <([0-9.]+)s>$/\2 s  \1/p' target/test-times/*.txt | sort -rn | head -10
