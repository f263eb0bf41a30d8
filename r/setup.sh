#!/bin/sh
# Makes sure that there is an R with what the package and its tests need, as far as this machine allows. Ends with 0 if
# there is one, with 1 if not; what is missing is named.
packages="jsonlite testthat knitr generics rmarkdown"
complete() {
    command -v Rscript >/dev/null 2>&1 &&
        Rscript -e 'quit(status = !all(commandArgs(TRUE) %in% rownames(installed.packages())))' $packages >/dev/null 2>&1
}
complete && exit 0
command -v apt-get >/dev/null 2>&1 || { echo "no R with $packages here, and no apt-get to install it with" >&2; exit 1; }
debs="r-base-core $(for package in $packages; do printf 'r-cran-%s ' "$package"; done)"
if [ "$(id -u)" = 0 ]; then
    as_root=
elif sudo -n true 2>/dev/null; then
    as_root="sudo -n"
else
    echo "no R with $packages here, and no right to install it: apt-get install $debs" >&2
    exit 1
fi
install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $debs; }
install >/dev/null 2>&1 || { $as_root apt-get update >/dev/null && install >/dev/null; }
complete || { echo "R could not be installed: apt-get install $debs" >&2; exit 1; }
