#!/bin/sh
# r/check.sh BINARY FOLDER: the package built, checked and tested as R does it, and every line of docs/r.md run.
# Nothing is written outside FOLDER.
set -eu
source=$(cd "$(dirname "$0")" && pwd)
binary=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
rm -rf "$2" && mkdir -p "$2/library" "$2/home"
cd "$2"
export DISCRETION_BINARY="$binary" R_LIBS="$PWD/library" LC_ALL=C.UTF-8
# A ledger that belongs to somebody must not meet a test.
unset DISCRETION_LEDGER
export XDG_DATA_HOME="$PWD/home" R_USER_DATA_DIR="$PWD/home/R"

program=$(sed -n 's/^version = "\(.*\)"/\1/p' "$source/../Cargo.toml" | head -1)
package=$(sed -n 's/^Version: //p' "$source/DESCRIPTION")
[ "$program" = "$package" ] || { echo "r/DESCRIPTION has version $package, Cargo.toml $program" >&2; exit 1; }

# R looks up packages while it checks: in an empty repository here, and not in the network.
mkdir -p repository/src/contrib && touch repository/src/contrib/PACKAGES
echo "options(repos = c(CRAN = \"file://$PWD/repository\"))" >profile.R
export R_PROFILE_USER="$PWD/profile.R"

# Manual and vignettes as pages need LaTeX and pandoc; the vignette's code is run by a test.
R CMD build --no-build-vignettes --no-manual "$source" >build.txt 2>&1 || { cat build.txt; exit 1; }
_R_CHECK_FORCE_SUGGESTS_=false R CMD check --no-manual --ignore-vignettes ./discretion_*.tar.gz >check.txt 2>&1 ||
    { cat check.txt discretion.Rcheck/tests/*.Rout.fail 2>/dev/null; exit 1; }
if grep -E '^\* .*\.\.\. (WARNING|NOTE|ERROR)' check.txt; then cat check.txt; exit 1; fi
grep -h 'FAIL ' discretion.Rcheck/tests/testthat.Rout | tail -n 1

R CMD INSTALL --library=library ./discretion_*.tar.gz >install.txt 2>&1 || { cat install.txt; exit 1; }
Rscript "$source/docs.R" "$source/../docs/r.md" "$source/README.md" >docs.txt 2>&1 || { cat docs.txt; exit 1; }
grep 'pieces of code ran' docs.txt
