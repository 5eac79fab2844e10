PYTHON ?= python3
CONSTRAINTS ?= constraints.txt
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
LIGHT := $(VENV)/.light
CODE := src tests experiments benchmarks examples docs
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

.PHONY: demo test test-nightly coverage lint docs package results bench clean

demo: $(LIGHT)  ## a first look on MOTIF, in about two minutes; writes pages to runs/demo
	$(BIN)/smixup demo --out runs/demo

test: $(INSTALLED)  ## the tests of every day
	$(PYTEST) --durations=10 -m "not nightly"

test-nightly: $(INSTALLED)  ## kills, fuzz, Ray, browsers, simulations and trainings
	$(PYTEST) --durations=10 -m nightly

coverage: $(INSTALLED)  ## the whole test suite, and the lines that it does not reach
	$(PYTEST) --cov --cov-report=term-missing:skip-covered

lint: $(INSTALLED)  ## style, types and spelling
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/codespell

docs: $(INSTALLED)  ## guide, gallery and API reference, as pages in site/; warnings are errors
	$(BIN)/sphinx-build -b html -W --keep-going --quiet docs site

package: $(INSTALLED)  ## wheel and source archive in dist/, checked, and tried outside of the source
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python -m tests.package dist

results: $(INSTALLED)  ## docs/results.md, its tables and README's, from the records of experiments
	$(BIN)/python -m experiments.results

bench: $(INSTALLED)  ## speed, side by side with the ordinary way
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) dist runs site docs/_gallery .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "smixup needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# What users get; it is enough for `make demo`.
$(LIGHT): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	@echo "Installing smixup with torch and PyG into $(VENV); without a cache this takes minutes."
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable .
	touch $@

$(INSTALLED): pyproject.toml $(CONSTRAINTS) | $(BIN)/python
	$(BIN)/python -m pip install --quiet 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --constraint $(CONSTRAINTS) --editable '.[chem,matching,cluster]' --group dev
	touch $@ $(LIGHT)
