#!/usr/bin/env bash
# The tests of the Python package with every Python that is installed, each with the oldest and the newest of what it stands on.
#   python/matrix.sh WHEEL PROGRAM [arguments of pytest]
# VERSIONS="3.10 3.13" AGES=oldest has it do a part.
set -euo pipefail
wheel=$(realpath "$1") program=$(realpath "$2"); shift 2
place=${MATRIX:-target/python-matrix}
mkdir -p "$place"
cat >"$place/oldest.txt" <<'PINS'
scikit-learn==1.6.*
numpy==1.26.*; python_version < "3.13"
numpy==2.1.*; python_version >= "3.13"
pandas==2.2.*
pyarrow==15.*; python_version < "3.13"
pyarrow==18.*; python_version >= "3.13"
PINS
: >"$place/newest.txt"
# A shim of pyenv is there for every version, and runs only those that are switched on; the others are in its folder.
find_python() {
  local candidate
  for candidate in "$(command -v "python$1" || true)" "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1".*/bin/"python$1"; do
    if "$candidate" -c "" 2>/dev/null; then echo "$candidate"; return; fi
  done
}
failed=() tried=0
for version in ${VERSIONS:-3.10 3.11 3.12 3.13}; do
  python=$(find_python "$version")
  if test -z "$python"; then
    echo "skipped: python$version is not installed"
    continue
  fi
  for age in ${AGES:-oldest newest}; do
    venv=$place/$version-$age
    rm -rf "$venv" && "$python" -m venv "$venv"
    # An older release that is built, before a newer one that this machine would have to compile.
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --prefer-binary -c "$place/$age.txt" "$wheel[test]"
    "$venv/bin/python" -c 'import sys, sklearn, numpy, pandas
print(f"Python {sys.version.split()[0]}, scikit-learn {sklearn.__version__}, numpy {numpy.__version__}, pandas {pandas.__version__}")'
    tried=$((tried + 1))
    SCIPY_ARRAY_API=1 DISCRETION_BINARY=$program "$venv/bin/python" -m pytest -q "$@" || failed+=("$version-$age")
  done
done
test "$tried" -gt 0
if test ${#failed[@]} -gt 0; then echo "failed: ${failed[*]}"; exit 1; fi
