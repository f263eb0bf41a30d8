# make demo    builds the program and runs the whole job on an invented table
# make test    everything that is checked before a change lands; each part can be run alone:
#              fmt clippy unit doc python r spark peer serve browser site
# make build   the program as it is shipped, target/release/discretion
#
# Longer work, not a part of make test:
# make audit   every privacy claim against a million runs: docs/audit-table.txt and docs/audit-fixtures.txt
# make fuzz    more than a million inputs for everything that is read from outside: fuzz/README.md
# make kills   the service killed a hundred times under load, twice
# make package every crate as a registry would get it, built from that alone (docs/releasing.md)
# make msrv    the workspace with the oldest Rust that Cargo.toml promises, if rustup has it
# make deny    licences, versions, advisories and unused dependencies, with cargo-deny and cargo-machete
# make python-matrix   the Python tests with every Python that is installed, and with the oldest packages
# make release-check   whether this checkout can be released
# make dist    everything that people can install without a compiler, in target/publish
#
# Measurements (DATA is the folder that bench/README.md describes):
# make bench DATA=DIR     speed and memory against the usual tools, on real tables: docs/benchmarks.md
# make bench-kernels      passes over rows, exact draws, CSV, votes, with criterion
# make bench-spark DATA=DIR    a fit on Spark against the same fit in memory, 4.94 million rows
# make bench-serve        64 clients for a minute, and how long the work of a tick takes
# make quality DATA=DIR   accuracy of the program over a grid of lambda, on every table (hours)
# make lambda DATA=DIR    how lambda = "auto" was fitted, and the figures of docs/lambda.md and docs/noise.md (an hour)
# make papers DATA=DIR    the papers' tables and figures, ours beside theirs (bench/papers)

SHELL := /bin/bash
CARGO ?= cargo
PYTHON ?= python3
# What tests and the demo run. Built for short compiling: Cargo.toml says how.
QUICK := target/quick/discretion
# What is shipped and measured.
RELEASE := target/release/discretion
WORK ?= target/bench
# The extension is built for an interpreter that brings its own symbols, whoever builds it.
export PYO3_BUILD_EXTENSION_MODULE := 1
export DISCRETION_BINARY ?= $(CURDIR)/$(QUICK)
# Python keeps what it compiled: tests start many programs.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo build quick test fmt clippy unit doc examples python r spark peer serve browser site wheel tools \
  audit fuzz kills package release-check msrv deny python-matrix bench bench-kernels bench-spark bench-serve quality lambda papers need-data

demo: quick
	$(QUICK) demo --out demo

build:
	$(CARGO) build --release --locked --bin discretion

quick:
	$(CARGO) build --profile quick --locked --bin discretion

test:
	$(MAKE) fmt clippy unit doc
	$(MAKE) wheel
	$(MAKE) -j2 --output-sync=target python r spark peer serve browser site

fmt:
	$(CARGO) fmt --all --check

clippy:
	$(CARGO) clippy --profile quick --locked --workspace --all-targets -- -D warnings

unit:
	$(CARGO) test --profile quick --locked --workspace --lib --bins --tests

doc:
	$(CARGO) test --profile quick --locked --workspace --doc

examples: quick
	$(CARGO) build --profile quick --locked --workspace --example sample_report --example draws

# What builds the wheel, and what fills environments: tests/environment.sh.
TOOLS := target/tools
MATURIN := maturin>=1.9.4,<2
INSTALL := PYTHON=$(PYTHON) tests/environment.sh
tools: $(TOOLS)/installed
$(TOOLS)/installed:
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check "$(MATURIN)" "uv>=0.5,<1"
	@touch $@

# An environment for each kind of work: what it needs is listed in bench/, dist/, site/ or a folder of tests/.
vpath %/requirements.txt tests
target/%-venv/installed: %/requirements.txt $(TOOLS)/installed
	$(INSTALL) $(@D) -r $<
	@touch $@

wheel: $(TOOLS)/installed
	rm -rf target/wheels
	$(TOOLS)/bin/maturin build --profile quick --locked --out target/wheels --interpreter $(TOOLS)/bin/python

# In an environment that has nothing else. One test asks for maturin, as `pip install .` does.
PYTHON_VENV := target/python-venv
python: quick wheel
	PYTHON=$(PYTHON) dist/try-wheel.sh target/wheels/*.whl
	$(INSTALL) $(PYTHON_VENV) "$$(ls $(CURDIR)/target/wheels/*.whl)[test]" "$(MATURIN)"
	SCIPY_ARRAY_API=1 $(PYTHON_VENV)/bin/python -m pytest -q -rs --durations=10
	$(PYTHON_VENV)/bin/python -m pytest -q --doctest-modules --pyargs discretion --ignore-glob='*/discretion/*spark.py' --ignore-glob='*/discretion/dask.py'

# Where Java is missing the tests say so and are skipped; in CI they fail. An environment of its own, because PySpark wants an older pandas.
SPARK_VENV := target/spark-venv
spark: wheel
	$(INSTALL) $(SPARK_VENV) "$$(ls $(CURDIR)/target/wheels/*.whl)[spark,connect,dask]" pytest
	$(SPARK_VENV)/bin/python -m pytest -q -rs --durations=10 tests/spark

# As R checks it. Where R is missing and this machine does not allow it to be installed, that is said; in CI it fails.
r: quick
	@if r/setup.sh; then r/check.sh $(DISCRETION_BINARY) target/r; else test -z "$$CI" && echo "skipped: the R package"; fi

# Our solution against scikit-learn's, statsmodels' and others', on the same rows, and our draws against OpenDP's.
# And whether intervals of a small table hold the effects of ordinary regression (bench/coverage.py --short).
peer: quick examples target/peer-venv/installed
	target/peer-venv/bin/python -m pytest -q -rs --durations=10 tests/peer

# What the OpenAPI document says is what the service does.
serve: quick target/serve-venv/installed
	target/serve-venv/bin/python -m pytest -q tests/serve

# The report and the service's page in a real Chromium, which is installed if it is missing and this machine allows it. SHOTS=1 for
# pictures, in target/browser/shots.
browser: quick examples target/browser-venv/installed
	@tests/browser/chromium.sh
	target/quick/examples/sample_report target/browser/sample
	rm -rf target/browser/demo && $(QUICK) demo --out target/browser/demo
	REPORT_DIRS=target/browser/demo target/browser-venv/bin/python -m pytest -q -rs --durations=10 tests/browser

# Every page of docs/, the commands' help, the Python API, the proofs and some pages of the demo, with every link checked.
SITE_VENV := target/site-venv
site: quick $(SITE_VENV)/installed
	$(SITE_VENV)/bin/python -m unittest discover --quiet --start-directory site
	$(SITE_VENV)/bin/python site/gather.py target/site-source --binary $(QUICK)
	NO_MKDOCS_2_WARNING=1 $(SITE_VENV)/bin/mkdocs build --quiet --config-file site/mkdocs.yml
	$(SITE_VENV)/bin/python site/check.py target/site
	@echo "open target/site/index.html"

# `unit` holds a short audit of everything that is shipped, and every fixture that must fail; this is the long one.
AUDIT_TRIALS ?= 1000000
SLOW_AUDIT_TRIALS ?= 300000
SLOW_RUNS := fit matrices density tuning random-stopping joint-step quality-classes quality-joint
# Every mechanism that the program knows, but those.
QUICK_RUNS = $(filter-out $(SLOW_RUNS),$(shell $(RELEASE) audit --help | tr -d '\n' | grep -o 'possible values: [^]]*' | head -1 | sed 's/.*://; s/,/ /g'))
audit: build
	$(RELEASE) audit --all --exact >docs/audit-exact.txt
	set -o pipefail; { for m in $(QUICK_RUNS); do $(RELEASE) audit --mechanism $$m --trials $(AUDIT_TRIALS) || exit 1; echo; done; \
	  for m in $(SLOW_RUNS); do $(RELEASE) audit --mechanism $$m --trials $(SLOW_AUDIT_TRIALS) || exit 1; echo; done; } | tee docs/audit-table.txt
	set -o pipefail; FIXTURE=all $(CARGO) test --profile quick --locked -p discretion-audit --lib every_fixture_is_caught -- --nocapture 2>&1 | grep '^|' | tee docs/audit-fixtures.txt

# Made from the kept inputs: on stable always, and by libFuzzer where cargo-fuzz and a nightly compiler are.
FUZZ_INPUTS ?= 1200000
FUZZ_SECONDS ?= 60
FUZZ_TARGETS := $(notdir $(basename $(wildcard fuzz/fuzz_targets/*.rs)))
fuzz:
	DISCRETION_FUZZ_INPUTS=$(FUZZ_INPUTS) $(CARGO) test --profile quick --locked -p discretion-fuzz --tests -- --nocapture
	@if ! $(CARGO) +nightly fuzz --version >/dev/null 2>&1; then \
	  echo "skipped: libFuzzer (rustup toolchain install nightly; cargo install cargo-fuzz)"; \
	 else cd fuzz && for target in $(FUZZ_TARGETS); do mkdir -p found/$$target && \
	  $(CARGO) +nightly fuzz run --fuzz-dir . --sanitizer none $$target found/$$target corpus/$$target -- \
	    -max_total_time=$(FUZZ_SECONDS) -max_len=65536 || exit 1; done; fi

kills:
	DISCRETION_KILLS=100 $(CARGO) test --profile quick --locked --workspace --test cli killed_ -- --nocapture

# A crate is built from its archive and those of the others, not from this tree; each must hold licence, readme and proofs.
package:
	CARGO=$(CARGO) dist/package.sh

release-check:
	dist/release_check.sh

MSRV := $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
msrv:
	@toolchain=$$(rustup toolchain list 2>/dev/null | grep -o '^$(subst .,\.,$(MSRV))[.-][^ ]*' | head -1); \
	 if test -n "$$toolchain"; then rustup run $$toolchain cargo check --locked --workspace --all-targets --target-dir target/msrv; \
	 else echo "skipped: Rust $(MSRV) is not installed (rustup toolchain install $(MSRV))"; fi

DENY := $(CARGO) deny --locked --config deny.toml
deny:
	@$(CARGO) deny --version >/dev/null 2>&1 || { echo "cargo-deny is missing: cargo install cargo-deny"; exit 1; }
	for manifest in Cargo.toml fuzz/Cargo.toml bench/kernels/Cargo.toml bench/papers/Cargo.toml; do \
	  $(DENY) --manifest-path $$manifest check licenses bans sources || exit 1; done
	@if $(DENY) fetch db >/dev/null 2>&1; then $(DENY) check advisories; \
	 else test -z "$$CI" && echo "skipped: the database of advisories cannot be fetched"; fi
	@$(CARGO) machete --version >/dev/null 2>&1 || { echo "cargo-machete is missing: cargo install cargo-machete"; exit 1; }
	$(CARGO) machete

python-matrix: quick wheel
	python/matrix.sh target/wheels/*.whl $(DISCRETION_BINARY)

VENV := target/bench-venv
bench: build $(VENV)/installed need-data
	$(CARGO) build --release --locked --quiet -p discretion --example pass_speed
	$(CARGO) build --release --locked --quiet -p discretion-party --example round_speed
	$(CARGO) build --release --locked --quiet --manifest-path bench/papers/Cargo.toml --target-dir target/papers --example classifiers
	$(VENV)/bin/python bench/prepare.py $(DATA) $(WORK) --tables adult covtype kdd kdd10
	$(VENV)/bin/python bench/run.py $(WORK) --binary $(RELEASE) --passes target/release/examples/pass_speed \
	  --rounds target/release/examples/round_speed --page docs/benchmarks.md
	$(VENV)/bin/python bench/classifiers.py $(DATA) $(WORK) --ours target/papers/release/examples/classifiers
	$(TOOLS)/bin/python -m pip --python $(VENV)/bin/python install --quiet --disable-pip-version-check .
	$(VENV)/bin/python bench/python.py $(WORK)/covtype --binary $(RELEASE)
	$(CARGO) test --release --locked -p discretion-ledger --lib many_events -- --ignored --nocapture

FLAGS ?=
bench-kernels:
	$(CARGO) bench --locked --manifest-path bench/kernels/Cargo.toml --target-dir target/kernels -- $(FLAGS)

bench-spark: $(TOOLS)/installed need-data
	$(TOOLS)/bin/maturin build --release --locked --out target/release-wheels --interpreter $(TOOLS)/bin/python
	$(INSTALL) $(SPARK_VENV) "$$(ls $(CURDIR)/target/release-wheels/*.whl)[spark,connect,dask]" pytest
	$(SPARK_VENV)/bin/python bench/spark.py $(DATA) $(WORK)

bench-serve: build
	$(CARGO) build --release --locked --quiet -p discretion-serve --examples
	target/release/examples/load 60 64 50
	@rm -rf target/bench-serve && $(RELEASE) demo --out target/bench-serve >/dev/null
	target/release/examples/tick target/bench-serve

quality: build $(VENV)/installed need-data
	$(VENV)/bin/python bench/prepare.py $(DATA) $(WORK)
	$(VENV)/bin/python bench/quality.py $(WORK) --binary $(RELEASE) --check-adult
	$(VENV)/bin/python bench/quality.py $(WORK) --binary $(RELEASE) --auto-table

# Simulated cells are kept in WORK, so that a second run prints at once.
lambda: build $(VENV)/installed need-data
	$(VENV)/bin/python bench/prepare.py $(DATA) $(WORK)
	$(VENV)/bin/python bench/simulate.py $(WORK)
	$(VENV)/bin/python bench/simulate.py $(WORK) --auto
	$(VENV)/bin/python bench/noise.py $(WORK)
	$(VENV)/bin/python bench/noise_program.py $(WORK) --binary $(RELEASE)
	$(VENV)/bin/python bench/noise_figure.py $(WORK) docs/figures/noise-laws.svg --peer

PAPERS = $(CARGO) run --release --locked --manifest-path bench/papers/Cargo.toml --target-dir target/papers --
papers: need-data
	for paper in tuning intervals voting parties; do $(PAPERS) $$paper --data $(DATA) || exit 1; done

need-data:
	@test -n "$(DATA)" || { echo "say where the tables are: make $(MAKECMDGOALS) DATA=DIR (bench/README.md lists them)"; exit 2; }

include dist/dist.mk
