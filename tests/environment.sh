#!/usr/bin/env bash
# A fresh Python environment with some packages:
#
#     tests/environment.sh target/some-venv "pytest>=8" -r requirements.txt
#
# uv fills most of them in a tenth of pip's time. Where uv is missing or fails, pip does it. Modules are compiled when they are first
# imported; most never are. `make tools` installs uv.
set -euo pipefail
venv=$1
shift
tools=$(cd "$(dirname "$0")/.." && pwd)/target/tools/bin
pip() { "$tools/python" -m pip --disable-pip-version-check "$@"; }

# Where packages come from is what pip was told, in its files or in the environment. uv looks at neither.
settings=$(pip config list)
hand_on() {
    local value
    value=$(sed -n "s/^\(:env:\|global\|install\)\.$2='\(.*\)'$/\2/p" <<<"$settings" | head -1)
    test -z "$value" || export "$1=$value"
}
hand_on UV_DEFAULT_INDEX index-url
hand_on UV_INDEX extra-index-url
hand_on UV_FIND_LINKS find-links
hand_on UV_NO_INDEX no-index
hand_on SSL_CERT_FILE cert

"${PYTHON:-python3}" -m venv --clear --without-pip "$venv"
# What comes as sources (PySpark, 300 MB of it packed already) is made a wheel on the way, which need not be packed again.
if ! test -x "$tools/uv" || ! "$tools/uv" pip install --quiet --python "$venv/bin/python" \
    --config-setting=--build-option=--compression=stored "$@"; then
    echo "$venv: uv cannot fill it, so pip does, which takes longer"
    pip --quiet --python "$venv/bin/python" install --no-compile "$@"
fi
