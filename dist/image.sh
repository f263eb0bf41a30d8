#!/usr/bin/env bash
# A container image that holds the static program and nothing else: dist/image.sh PROGRAM IMAGE.tar VERSION
#
# Made with buildah (apt install buildah). Run it with: podman load -i IMAGE.tar; podman run --rm -v "$PWD:/work" discretion fit study.toml
set -euo pipefail
program=$1 image=$2 version=$3
if ! command -v buildah >/dev/null; then
  echo "skipped: the image needs buildah (apt install buildah)"
  exit 0
fi
export STORAGE_DRIVER=vfs
container=$(buildah from scratch)
mounted=
place=$(mktemp -d)
cleanup() { buildah rm "$container" ${mounted:+"$mounted"} >/dev/null 2>&1 || true; rm -rf "$place"; }
trap cleanup EXIT
# A place for files that are written whole and then renamed.
mkdir -m 1777 "$place/tmp"
buildah copy --quiet "$container" "$program" /discretion >/dev/null
buildah copy --quiet "$container" "$place/tmp" /tmp >/dev/null
buildah config --entrypoint '["/discretion"]' --cmd '["--help"]' --workingdir /work \
  --label org.opencontainers.image.title=discretion --label org.opencontainers.image.version="$version" \
  --label org.opencontainers.image.licenses=Apache-2.0 "$container"
rm -f "$image"
buildah commit --quiet "$container" "oci-archive:$image:discretion:$version" >/dev/null

# Some machines, containers themselves, let nobody start one; there the program runs with the image's files as its only files, and
# /proc, which every container has: the ledger asks it what kind of disk it is on.
mkdir "$place/work"
if command -v podman >/dev/null && podman load --quiet -i "$image" >/dev/null 2>&1 &&
   podman run --rm --network=none -v "$place/work:/work" "discretion:$version" demo --out demo >"$place/said" 2>&1; then
  how="podman run"
  test -s "$place/work/demo/report.html"
else
  mounted=$(buildah from --quiet "oci-archive:$image")
  root=$(buildah mount "$mounted")
  mkdir -p "$root/work" "$root/proc"
  unshare --mount --pid --fork sh -c 'mount -t proc proc "$1/proc" && exec chroot "$1" /discretion demo --out /work/demo' sh "$root" \
    >"$place/said" 2>&1 || { cat "$place/said"; exit 1; }
  how="chroot, because podman cannot run here"
  test -s "$root/work/demo/report.html"
fi
echo "$image: $(du -h "$image" | cut -f1), runs the demo ($how)"
