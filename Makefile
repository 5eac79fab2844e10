PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.PHONY: demo test lint bench clean

demo: $(INSTALLED)  ## train and compare on MOTIF, then open runs/demo/report.html
	$(BIN)/smixup demo --out runs/demo

test: $(INSTALLED)  ## the whole test suite
	$(BIN)/python -m pytest -n 2

lint: $(INSTALLED)  ## style and types
	$(BIN)/ruff check src tests examples
	$(BIN)/ruff format --check src tests examples
	$(BIN)/mypy

bench: $(INSTALLED)  ## speed, side by side with the ordinary way
	$(BIN)/smixup bench

clean:
	rm -rf $(VENV) runs .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(INSTALLED): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "smixup needs Python 3.11 or newer: make PYTHON=python3.11")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@
