#!/usr/bin/env bash
# A fresh Python environment with some packages:
#
#     tests/environment.sh target/some-venv "pytest>=8" -r requirements.txt
#
# uv fills it in a tenth of pip's time. Where uv is missing or fails (it knows fewer ways to a private index) pip does it. Modules
# are compiled when they are first imported; most never are. `make tools` installs uv.
set -euo pipefail
venv=$1
shift
tools=$(cd "$(dirname "$0")/.." && pwd)/target/tools/bin
"${PYTHON:-python3}" -m venv --clear --without-pip "$venv"
pip() { "$tools/python" -m pip --quiet --disable-pip-version-check "$@"; }

by_uv() {
    # It does not look at what pip was told.
    local index=${PIP_INDEX_URL:-$(pip config get global.index-url 2>/dev/null)}
    env ${index:+UV_DEFAULT_INDEX="$index"} ${PIP_EXTRA_INDEX_URL:+UV_INDEX="$PIP_EXTRA_INDEX_URL"} \
        ${PIP_FIND_LINKS:+UV_FIND_LINKS="${PIP_FIND_LINKS// /,}"} ${PIP_CERT:+SSL_CERT_FILE="$PIP_CERT"} \
        "$tools/uv" pip install --quiet --python "$venv/bin/python" "$@"
}

if ! test -x "$tools/uv" || ! by_uv "$@"; then
    echo "$venv: without uv, pip takes some minutes"
    pip --python "$venv/bin/python" install --no-compile "$@"
fi
