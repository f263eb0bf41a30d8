# The R package, as R checks it, against the program that was built. R is installed if it is missing and this machine allows it; where
# it does not, that is said and the stage is skipped, but not under CI.
.PHONY: r
R_BIN ?= $(BIN)
r: $(if $(filter $(BIN),$(R_BIN)),build)
	@if r/setup.sh; then r/check.sh $(R_BIN) target/r; else test -z "$$CI" && echo "skipped: the R package"; fi
