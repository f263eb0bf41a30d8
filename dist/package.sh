#!/usr/bin/env bash
# Packs every crate that is published, builds it from its archive alone, and looks for its licence, its readme and every proof.
set -euo pipefail
cd "$(dirname "$0")/.."
packages=${CARGO_TARGET_DIR:-target}/package
rm -rf "$packages"
"${CARGO:-cargo}" package --locked --workspace --exclude discretion-fuzz --exclude discretion-python
for crate in "$packages"/*.crate; do
  for file in LICENSE README.md; do
    tar -tzf "$crate" | grep -q "^[^/]*/$file$" || { echo "$crate has no $file"; exit 1; }
  done
done
packed=$(for crate in "$packages"/*.crate; do tar -tzf "$crate"; done | grep -c '/PROOF.md$')
there=$(git ls-files crates | grep -c '/PROOF.md$')
test "$packed" = "$there" || { echo "$packed of $there proofs are in the packages"; exit 1; }
ls "$packages"/*.crate
