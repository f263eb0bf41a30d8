# make dist    everything that people can install without a compiler, in target/publish (long; see docs/releasing.md)
#
# Each part can be made alone: make dist-wheel, dist-binary, dist-image, dist-source, dist-sums. What this machine cannot make is
# named and left out.

DIST := target/publish
DIST_VENV := target/dist-venv
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
DIST_NAME = discretion-$(VERSION)

.PHONY: dist dist-wheel dist-binary dist-image dist-source dist-sums

dist:
	rm -rf $(DIST) && mkdir -p $(DIST)
	$(MAKE) dist-wheel
	$(MAKE) dist-binary
	$(MAKE) dist-image
	$(MAKE) dist-source
	$(MAKE) dist-sums

# zig links against an old C library, so that one wheel runs on every Linux since 2014. maturin asks the first python of the path
# for it.
dist-wheel: $(DIST_VENV)/installed
	PATH="$(CURDIR)/$(DIST_VENV)/bin:$$PATH" maturin build --release --locked --zig --target x86_64-unknown-linux-gnu --compatibility manylinux2014 --out $(DIST)
	$(DIST_VENV)/bin/auditwheel show $(DIST)/*.whl | tee $(DIST)/auditwheel.txt
	grep -q 'manylinux_2_17_x86_64' $(DIST)/auditwheel.txt
	PYTHON=$(PYTHON) dist/try-wheel.sh $(DIST)/*.whl

dist-binary: $(DIST_VENV)/installed
	CARGO=$(CARGO) ZIG_PYTHON=$(CURDIR)/$(DIST_VENV)/bin/python dist/static-binary.sh $(DIST)/$(DIST_NAME)-x86_64-linux

dist-image:
	dist/image.sh $(DIST)/$(DIST_NAME)-x86_64-linux $(DIST)/$(DIST_NAME)-image.tar $(VERSION)

dist-source: $(DIST_VENV)/installed
	CARGO=$(CARGO) MATURIN=$(CURDIR)/$(DIST_VENV)/bin/maturin dist/source.sh $(DIST) $(VERSION)

dist-sums:
	$(PYTHON) dist/sbom.py >$(DIST)/$(DIST_NAME).cdx.json
	rm -f $(DIST)/auditwheel.txt
	cd $(DIST) && sha256sum $$(ls | grep -v SHA256SUMS) | tee SHA256SUMS
