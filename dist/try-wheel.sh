#!/usr/bin/env bash
# Installs a wheel as people do who have no Rust: an empty environment, and no cargo or rustc to be found. Then fits with it.
set -euo pipefail
wheel=$(realpath "$1")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
"${PYTHON:-python3}" -m venv "$place/venv"
cd "$place"
without_rust() { env -u CARGO_HOME -u RUSTUP_HOME PATH="$place/venv/bin:/usr/bin:/bin" "$@"; }
if without_rust which cargo rustc; then
  echo "skipped: this machine has cargo in /usr/bin, so a wheel cannot be tried without it"
  test -z "${CI:-}"
  exit
fi
without_rust python -m pip install --quiet --disable-pip-version-check --no-compile --only-binary :all: "$wheel"
without_rust python - <<'PY'
import numpy
import discretion

rows = numpy.random.default_rng(1).random((2000, 2))
labels = rows[:, 0] > rows[:, 1]
model = discretion.LogisticRegression(epsilon=1.0, bounds=(0, 1), classes=(False, True)).fit(rows, labels)
assert model.score(rows, labels) > 0.8, model.score(rows, labels)
print("the wheel installs without Rust, and fits")
PY
