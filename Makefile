# make demo    a small build, and the main job on an example table
# make build   the whole program, target/release/discretion; PROFILE=dist for one with large Parquet tables in mind
# make test    everything that is checked before a change lands
# make python  the Python package: built, installed into a fresh environment and tested (a part of make test)
# make r       the R package: built, checked and tested, and docs/r.md run (a part of make test; installs R if it may)
# make python-matrix   the same with every Python that is installed, and with the oldest packages that it promises (long)
# make spark   the estimators on Spark, on two cores of this machine (a part of make test; needs Java 17)
# make serve   the service against its OpenAPI document (part of make test)
# make site    the documentation as a site in target/site, with every link checked
# make audit   every privacy claim against a million runs: docs/audit-table.txt and docs/audit-fixtures.txt (long)
# make package every crate as a registry would get it, built from that alone (docs/releasing.md)
# make msrv    the workspace with the oldest Rust that Cargo.toml promises, if rustup has it
# make kills   the service killed a hundred times under load, twice (long)
# make fuzz    more than a million inputs for everything that is read from outside: fuzz/README.md (long)
# make deny    licences, versions and advisories of dependencies, with cargo-deny
# make bench-kernels          passes over rows, exact draws, CSV, votes: each for two seconds, with criterion
# make bench-spark DATA=DIR    a fit on Spark against the same fit in memory, 4.94 million rows
# make bench-serve            64 clients for a minute, and how long the work of a tick takes
# make bench DATA=DIR          speed and memory against the usual tools, on real tables: docs/benchmarks.md
# make build-times            how long the first build takes, from nothing
# make test-times             how long make demo and then make test take, from a fresh copy of the last commit
# make quality DATA=DIR        accuracy of the program itself over a grid of lambda, on every table (hours)
# make lambda DATA=DIR         how lambda = "auto" was fitted, and the figures of docs/lambda.md and docs/noise.md (an hour)

SHELL := /bin/bash
CARGO ?= cargo
PYTHON ?= python3
# Or dist: longer to build, and faster with large tables of Parquet and Arrow (Cargo.toml).
PROFILE ?= release
BIN = target/$(PROFILE)/discretion
WORK ?= target/bench
# Made before stages run side by side, and never empty: cargo renames a folder of its own over an empty one, and whoever was writing
# into that loses it. The tag is what cargo would have put there; programs that make backups know it.
TAG := Signature: 8a477f597d28d172789f06886806bc55
$(shell test -e target/CACHEDIR.TAG || { mkdir -p target && echo "$(TAG)" >target/CACHEDIR.TAG; })
# Whoever builds the extension, a linter or maturin, builds it for an interpreter that brings its own symbols.
export PYO3_BUILD_EXTENSION_MODULE := 1
# Python keeps what it compiled, whatever this machine prefers: else every program that a test starts compiles its modules again.
unexport PYTHONDONTWRITEBYTECODE
# Clippy is called as the compiler was. Who has a wrapper already keeps it, and clippy begins at the dependencies.
ifndef RUSTC_WRAPPER
RECORDED := RUSTC_WRAPPER=$(CURDIR)/tests/record-rustc.sh RECORDS=$(CURDIR)/target/lint
endif

.PHONY: build-times test-times demo build test lint format clippy unit compile run-programs run-doc examples tools wheel python python-matrix spark audit peer browser serve bench bench-kernels bench-serve bench-spark deny fuzz quality lambda need-data kills package msrv site

# Without Parquet, learners, parties, the service and audits, which the demo does not need and which take longest to build.
# `make build` has everything.
demo:
	$(CARGO) build --profile $(PROFILE) --locked -p discretion-cli --no-default-features
	$(BIN) demo --out demo

# With the features that the whole workspace has, as its tests and the wheel are built: one crate, compiled once.
build:
	$(CARGO) build --profile $(PROFILE) --locked --workspace --bin discretion

# After what is compiled for all, five roads at a time, because each waits more than it computes: for browsers, for Spark, for
# clocks. Stages that share apt or cargo, which do one thing at a time, follow each other. Whatever can use both cores gives way to
# what can use one: the Rust tests, and most of all clippy, which waits for nothing and fills the gaps. Each can be run alone.
test:
	$(MAKE) -j3 format environments compile
	$(MAKE) examples
	$(MAKE) -j3 --output-sync=target run-programs stages-of-the-wheel stages-of-the-program

GIVING_WAY := nice -n 5
.PHONY: stages-of-the-wheel stages-of-the-program doc-site-clippy
stages-of-the-wheel: wheel
	$(MAKE) -j3 --output-sync=target -o build -o wheel spark python doc-site-clippy
doc-site-clippy:
	$(GIVING_WAY) $(MAKE) -j1 -o build run-doc site clippy
stages-of-the-program:
	$(MAKE) -j1 -o build -o examples r peer serve browser

lint: format clippy

format:
	@if $(CARGO) fmt --version >/dev/null 2>&1; then $(CARGO) fmt --all --check; \
	 else test -z "$$CI" && echo "skipped: cargo fmt is not installed (rustup component add rustfmt)"; fi

# After `compile` and `wheel`, with what they compiled; alone it checks all dependencies. Without make's flags, by which cargo would
# look for slots that make keeps for itself.
clippy:
	@if $(CARGO) clippy --version >/dev/null 2>&1; then MAKEFLAGS= CARGO=$(CARGO) nice $(PYTHON) tests/lint.py target/lint; \
	 else test -z "$$CI" && echo "skipped: clippy is not installed (rustup component add clippy)"; fi

# Examples are not built here: clippy checks them, and linking each with everything takes minutes. Nor is the Python extension,
# which has no tests in Rust; --lib would build it.
unit: compile run-programs run-doc

compile:
	MAKEFLAGS= $(RECORDED) $(CARGO) test --release --locked --workspace --tests --no-run

# What browsers look at, and draws that OpenDP's are compared with.
examples:
	$(CARGO) build --release --locked --workspace --example sample_report --example draws

run-programs:
	MAKEFLAGS= CARGO=$(CARGO) $(GIVING_WAY) $(PYTHON) tests/programs.py

run-doc:
	MAKEFLAGS= $(CARGO) test --release --locked --workspace --doc

# `unit` holds a short audit of everything that is shipped, and every fixture that must fail; this is the long one.
AUDIT_TRIALS ?= 1000000
SLOW_AUDIT_TRIALS ?= 300000
SLOW_RUNS := fit matrices density tuning random-stopping joint-step quality-classes quality-joint
# Every mechanism that the program knows, but those.
QUICK_RUNS = $(filter-out $(SLOW_RUNS),$(shell $(BIN) audit --help | tr -d '\n' | grep -o 'possible values: [^]]*' | head -1 | sed 's/.*://; s/,/ /g'))
audit: build
	$(BIN) audit --all --exact >docs/audit-exact.txt
	set -o pipefail; { for m in $(QUICK_RUNS); do $(BIN) audit --mechanism $$m --trials $(AUDIT_TRIALS) || exit 1; echo; done; \
	  for m in $(SLOW_RUNS); do $(BIN) audit --mechanism $$m --trials $(SLOW_AUDIT_TRIALS) || exit 1; echo; done; } | tee docs/audit-table.txt
	set -o pipefail; FIXTURE=all $(CARGO) test --release --locked --workspace --lib every_fixture_is_caught -- --nocapture 2>&1 | grep '^|' | tee docs/audit-fixtures.txt

include site/site.mk
include r/r.mk

# What builds the wheel, and what fills environments. uv only saves time.
TOOLS := target/tools
MATURIN := maturin>=1.9.4,<2
INSTALL := PYTHON=$(PYTHON) tests/environment.sh
tools: $(TOOLS)/installed
$(TOOLS)/installed:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check "$(MATURIN)"
	-$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check "uv>=0.5,<1"
	@touch $@

# The package as people install it.
wheel: $(TOOLS)/installed
	rm -rf target/wheels && MAKEFLAGS= $(RECORDED) $(TOOLS)/bin/maturin build --profile $(PROFILE) --locked --out target/wheels \
	  --interpreter $(TOOLS)/bin/python

# In an environment that has nothing else. One test asks for maturin, as `pip install .` does.
PYTHON_VENV := target/python-venv
python: build wheel
	PYTHON=$(PYTHON) dist/try-wheel.sh target/wheels/*.whl
	$(INSTALL) $(PYTHON_VENV) "$$(ls $(CURDIR)/target/wheels/*.whl)[test]" "$(MATURIN)"
	SCIPY_ARRAY_API=1 DISCRETION_BINARY=$(CURDIR)/$(BIN) $(PYTHON_VENV)/bin/python -m pytest -q -rs --durations=10
	$(PYTHON_VENV)/bin/python -m pytest -q --doctest-modules --pyargs discretion --ignore-glob='*/discretion/*spark.py' --ignore-glob='*/discretion/dask.py'

# Not a part of make test, which has one Python and the newest of the rest.
python-matrix: build wheel
	python/matrix.sh target/wheels/*.whl $(BIN)

# In an environment of its own, because PySpark wants an older pandas. Where Java is missing the tests say so and are skipped; in CI
# they fail.
SPARK_VENV := target/spark-venv
spark: wheel
	$(INSTALL) $(SPARK_VENV) "$$(ls $(CURDIR)/target/wheels/*.whl)[spark,connect,dask]" pytest
	$(SPARK_VENV)/bin/python -m pytest -q -rs --durations=10 tests/spark

bench-spark: spark need-data
	$(SPARK_VENV)/bin/python bench/spark.py $(DATA) $(WORK)

# Our solution against scikit-learn's, on the same rows, and our draws against OpenDP's.
peer: build examples target/peer-venv/installed
	target/peer-venv/bin/python -m pytest -q --durations=10 tests/peer

kills:
	DISCRETION_KILLS=100 $(CARGO) test --release --locked --workspace --test cli killed_ -- --nocapture

# A crate is built from its archive and those of the others, not from this tree. What the archives must hold is looked for: the
# licence, the readme and every proof.
PACKAGES := $(or $(CARGO_TARGET_DIR),target)/package
package:
	rm -rf $(PACKAGES)
	$(CARGO) package --locked --workspace --exclude discretion-fuzz --exclude discretion-papers --exclude discretion-python \
	  --exclude "discretion-*-tests"
	@for crate in $(PACKAGES)/*.crate; do for file in LICENSE README.md; do \
	  tar -tzf $$crate | grep -q "^[^/]*/$$file$$" || { echo "$$crate has no $$file"; exit 1; }; done; done
	@packed=$$(for crate in $(PACKAGES)/*.crate; do tar -tzf $$crate; done | grep -c '/PROOF.md$$'); \
	 there=$$(git ls-files crates | grep -c '/PROOF.md$$'); \
	 test $$packed = $$there || { echo "$$packed of $$there proofs are in the packages"; exit 1; }
	@ls $(PACKAGES)/*.crate

MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv:
	@toolchain=$$(rustup toolchain list 2>/dev/null | grep -o '^$(subst .,\.,$(MSRV))[.-][^ ]*' | head -1); \
	 if test -n "$$toolchain"; then rustup run $$toolchain cargo check --locked --workspace --all-targets --target-dir target/msrv; \
	 else echo "skipped: Rust $(MSRV) is not installed (rustup toolchain install $(MSRV))"; fi

# Made from the kept inputs: on stable always, and by libFuzzer where cargo-fuzz and a nightly compiler are. A few thousand are a part
# of `unit`.
FUZZ_INPUTS ?= 1200000
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := $(notdir $(basename $(wildcard fuzz/fuzz_targets/*.rs)))
fuzz:
	DISCRETION_FUZZ_INPUTS=$(FUZZ_INPUTS) $(CARGO) test --release --locked --workspace --test run -- --nocapture
	@if ! $(CARGO) +nightly fuzz --version >/dev/null 2>&1; then \
	  echo "skipped: libFuzzer (rustup toolchain install nightly; cargo install cargo-fuzz)"; \
	 else cd fuzz && for target in $(FUZZ_TARGETS); do mkdir -p found/$$target && \
	  $(CARGO) +nightly fuzz run --fuzz-dir . --sanitizer none $$target found/$$target corpus/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -max_len=65536 || exit 1; done; fi

DENY := $(CARGO) deny --locked --config deny.toml
deny:
	@$(CARGO) deny --version >/dev/null 2>&1 || { echo "cargo-deny is missing: cargo install cargo-deny"; exit 1; }
	for manifest in Cargo.toml fuzz/Cargo.toml bench/kernels/Cargo.toml; do \
	  $(DENY) --manifest-path $$manifest check licenses bans sources || exit 1; done
	@if $(DENY) fetch db >/dev/null 2>&1; then $(DENY) check advisories; \
	 else test -z "$$CI" && echo "skipped: the database of advisories cannot be fetched"; fi

# What the OpenAPI document says is what the service does.
serve: build target/serve-venv/installed
	target/serve-venv/bin/python -m pytest -q tests/serve

# The report and the service's page in a real Chromium, which is installed if it is missing and this machine allows it. SHOTS=1 for
# pictures, in target/browser/shots.
browser: build examples target/browser-venv/installed
	@tests/browser/chromium.sh
	target/release/examples/sample_report target/browser/sample
	@rm -rf target/browser/demo && $(BIN) demo --out target/browser/demo >target/browser/demo.txt 2>&1 || { cat target/browser/demo.txt; exit 1; }
	REPORT_DIRS=target/browser/demo target/browser-venv/bin/python -m pytest -q -rs --durations=10 tests/browser

# An environment for each kind of work: what it needs is listed in bench/, dist/, site/ or a folder of tests/.
vpath %/requirements.txt tests
target/%-venv/installed: %/requirements.txt $(TOOLS)/installed
	$(INSTALL) $(@D) -r $<
	@touch $@

# Of stages that do not wait for the wheel; filled while the compiler waits for itself.
ENVIRONMENTS := peer serve browser site
.PHONY: environments
environments: tools
	nice $(MAKE) -j1 $(ENVIRONMENTS:%=target/%-venv/installed)

# Measured is what is shipped.
VENV := target/bench-venv
bench bench-serve bench-spark: PROFILE := dist
bench: build $(VENV)/installed need-data
	$(CARGO) build --profile $(PROFILE) --locked --quiet -p discretion --example pass_speed
	$(CARGO) build --profile $(PROFILE) --locked --quiet --workspace --example round_speed
	$(VENV)/bin/python bench/prepare.py $(DATA) $(WORK) --tables adult covtype kdd kdd10
	$(VENV)/bin/python bench/run.py $(WORK) --binary $(BIN) --passes target/$(PROFILE)/examples/pass_speed \
	  --rounds target/$(PROFILE)/examples/round_speed --page docs/benchmarks.md
	$(CARGO) build --release --locked --quiet -p discretion-papers --example classifiers
	$(VENV)/bin/python bench/classifiers.py $(DATA) $(WORK)
	$(TOOLS)/bin/python -m pip --python $(VENV)/bin/python install --quiet --disable-pip-version-check .
	$(VENV)/bin/python bench/python.py $(WORK)/covtype --binary $(BIN)
	$(CARGO) test --release --locked -p discretion-ledger --lib many_events -- --ignored --nocapture

FLAGS ?=
bench-kernels:
	$(CARGO) bench --locked --manifest-path bench/kernels/Cargo.toml --target-dir target/kernels -- $(FLAGS)

bench-serve: build
	$(CARGO) build --profile $(PROFILE) --locked --quiet --workspace --examples
	target/$(PROFILE)/examples/load 60 64 50
	@rm -rf target/bench-serve && $(BIN) demo --out target/bench-serve >/dev/null
	target/$(PROFILE)/examples/tick target/bench-serve

quality: build $(VENV)/installed need-data
	$(VENV)/bin/python bench/prepare.py $(DATA) $(WORK)
	$(VENV)/bin/python bench/quality.py $(WORK) --binary $(BIN) --check-adult
	$(VENV)/bin/python bench/quality.py $(WORK) --binary $(BIN) --auto-table

# Simulated cells are kept in WORK, so that a second run prints at once.
lambda: build $(VENV)/installed need-data
	$(VENV)/bin/python bench/prepare.py $(DATA) $(WORK)
	$(VENV)/bin/python bench/simulate.py $(WORK)
	$(VENV)/bin/python bench/simulate.py $(WORK) --auto
	$(VENV)/bin/python bench/noise.py $(WORK)
	$(VENV)/bin/python bench/noise_program.py $(WORK) --binary $(BIN)
	$(VENV)/bin/python bench/noise_figure.py $(WORK) docs/figures/noise-laws.svg --peer

# From nothing, as a newcomer builds it; ALL=--all for the whole program.
build-times:
	$(PYTHON) bench/build.py target/build-times --cargo $(CARGO) $(ALL)

# Everything, as a newcomer or CI runs it: about twenty minutes.
test-times:
	$(PYTHON) bench/whole.py target/test-times --cargo $(CARGO)

need-data:
	@test -n "$(DATA)" || { echo "say where the tables are: make $(MAKECMDGOALS) DATA=DIR (bench/README.md lists them)"; exit 2; }

include dist/dist.mk
