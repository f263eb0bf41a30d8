#!/bin/sh
# Makes sure that there is a Chromium, as far as this machine allows. Where it does not, the tests say that they were
# skipped; under CI they fail instead, because there a missing browser is a mistake.
for name in "${CHROMIUM:-chromium}" chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && exit 0
done
command -v apt-get >/dev/null 2>&1 || { echo "no Chromium here, and no apt-get to install it with" >&2; exit 0; }
if [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "no Chromium here, and no right to install it: apt-get install chromium" >&2
    exit 0
fi
install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium fonts-dejavu-core; }
install >/dev/null 2>&1 || { $as_root apt-get update >/dev/null && install >/dev/null; } || echo "Chromium could not be installed" >&2
exit 0
