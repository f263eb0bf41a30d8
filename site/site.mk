# Every page of docs/, the commands' help, the Python API, the proofs and some pages of the demo. SITE_BIN is the program
# that is asked; unless it is another one, it is built first.
.PHONY: site
SITE_VENV := target/site-venv
SITE_BIN ?= $(BIN)
site: $(if $(filter $(BIN),$(SITE_BIN)),build) $(SITE_VENV)/installed
	$(SITE_VENV)/bin/python -m unittest discover --quiet --start-directory site
	$(SITE_VENV)/bin/python site/gather.py target/site-source --binary $(SITE_BIN)
	NO_MKDOCS_2_WARNING=1 $(SITE_VENV)/bin/mkdocs build --quiet --config-file site/mkdocs.yml
	$(SITE_VENV)/bin/python site/check.py target/site
	@echo "open target/site/index.html"
