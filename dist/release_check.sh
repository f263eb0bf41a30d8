#!/usr/bin/env bash
# Whether this checkout can be released: dist/release_check.sh [VERSION]
#
# One version is written in Cargo.toml, CITATION.cff, CHANGELOG.md and r/DESCRIPTION, every crate of ours asks for exactly that, Cargo.lock
# follows, and nothing is changed that is not committed. VERSION is what a tag says; it must be the same. Everything that is wrong is told,
# not only the first. It writes nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
wrong=0
say() { echo "$*"; wrong=1; }

version=$(sed -n '/^\[workspace\.package\]/,/^\[/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "Cargo.toml: no version X.Y.Z in [workspace.package]"; exit 1; }
if [[ $# -gt 0 && $1 != "$version" ]]; then say "the tag says $1, Cargo.toml $version"; fi

while read -r crate other; do
  [[ $other == "$version" ]] || say "Cargo.toml: $crate is asked for as =$other; write =$version"
done < <(sed -n 's/^\(discretion[a-z-]*\) = {.* version = "=\([^"]*\)".*/\1 \2/p' Cargo.toml)

# The Python package takes its version from Cargo.toml.
grep -q '^dynamic = \["version"\]' pyproject.toml || say 'pyproject.toml: the version must come from Cargo.toml: dynamic = ["version"]'

cited=$(sed -n 's/^version: *"\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' CITATION.cff)
[[ $cited == "$version" ]] || say "CITATION.cff: version is $cited; write $version"
grep -q '^date-released: ' CITATION.cff || say "CITATION.cff: write date-released: YYYY-MM-DD"

r=$(sed -n 's/^Version: *//p' r/DESCRIPTION)
[[ $r == "$version" ]] || say "r/DESCRIPTION: Version is $r; write $version"

newest=$(sed -n 's/^## //p' CHANGELOG.md | head -1)
[[ $newest =~ ^"$version"\ \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$ ]] ||
  say "CHANGELOG.md: the newest section is \"$newest\"; it must be \"$version (YYYY-MM-DD)\", with the day of the release"

locked=$(awk '$1 == "name" {name = $3} $1 == "version" && name ~ /^"discretion/ {print $3}' Cargo.lock | tr -d '"' | sort -u)
[[ $locked == "$version" ]] || say "Cargo.lock: our crates are of version $(echo $locked); run cargo update --workspace --offline"

[[ -z $(git status --porcelain) ]] || say "the tree is not clean: commit, or remove what git status names"
if git rev-parse -q --verify "refs/tags/v$version" >/dev/null &&
   [[ $(git rev-parse "v$version^{commit}") != $(git rev-parse HEAD) ]]; then
  say "the tag v$version is on another commit"
fi

[[ $wrong == 0 ]] && echo "version $version, everywhere, and the tree is clean"
exit $wrong
