#!/usr/bin/env bash
# The Python package's sources, and all that they are built from: dist/source.sh FOLDER VERSION
#
# Makes discretion-VERSION.tar.gz (an sdist) and discretion-VERSION-vendor.tar.gz. Unpack the second one inside the first, and it builds
# on a machine that cannot reach any registry. That is tried here, without a network where the machine can take it away.
set -euo pipefail
folder=$(realpath "$1") version=$2
cargo=${CARGO:-cargo}
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"$MATURIN" sdist --out "$folder"
tar -xzf "$folder/discretion-$version.tar.gz" -C "$place"
cd "$place/discretion-$version"
mkdir .cargo
# The sdist leaves out crates that the package does not need, so its lock gets shorter; no version may change with that.
cp Cargo.lock "$place/whole.lock"
# Not --quiet, which leaves out the configuration too.
"$cargo" vendor vendor >.cargo/config.toml 2>"$place/vendor.txt" || { cat "$place/vendor.txt"; exit 1; }
grep -q vendored-sources .cargo/config.toml
versions() { sed -n '/^name = /{N;s/\n/ /p}' "$1" | sort -u; }
changed=$(comm -13 <(versions "$place/whole.lock") <(versions Cargo.lock))
test -z "$changed" || { echo "not the versions of Cargo.lock: $changed"; exit 1; }
tar -czf "$folder/discretion-$version-vendor.tar.gz" --sort=name --owner=0 --group=0 vendor .cargo Cargo.lock
echo "$folder/discretion-$version-vendor.tar.gz: $(du -h "$folder/discretion-$version-vendor.tar.gz" | cut -f1)"

alone=()
unshare --net true 2>/dev/null && alone=(unshare --net)
mkdir "$place/home"
# Not optimised: whether everything is there is seen as well, in a third of the time.
CARGO_PROFILE_DEV_DEBUG=0 CARGO_HOME=$place/home CARGO_TARGET_DIR=$place/target "${alone[@]}" \
  "$MATURIN" build --profile dev --locked --offline --out "$place/wheels"
ls "$place"/wheels/*.whl >/dev/null
echo "the sdist builds offline${alone[0]:+, with no network at all}"
