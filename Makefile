# Thin: each target is one line to the tool that does the work. Windows without make: see README.md.
ifeq ($(OS),Windows_NT)
PYTHON ?= py
BIN := .venv/Scripts
else
PYTHON ?= python3
BIN := .venv/bin
endif

.PHONY: site test environment quarto figures verify perf lint lock clean

site: environment        ## run every notebook, render the website into _site/
	$(BIN)/benchbook build
	$(BIN)/benchbook render

test: environment        ## all tests, a process per core, at most four
	$(BIN)/python -m pytest -n auto --maxprocesses 4 --dist loadfile

environment:             ## virtual environment from requirements.lock, when missing or outdated
	@$(PYTHON) tools/environment.py

quarto:                  ## try again to bring the real Quarto into the environment
	@$(PYTHON) tools/environment.py --quarto

figures: environment     ## figures and tables of every chapter, as files under report/files/
	$(BIN)/benchbook build

verify: environment      ## re-run every chapter and compare each number with its record
	$(BIN)/benchbook verify

perf: environment        ## speed and memory against the peers, onto a page of the site
	$(BIN)/python perf/page.py

lint: environment        ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

lock: environment        ## new exact versions for requirements.lock (needs uv)
	$(BIN)/python tools/lock.py

clean:                   ## remove what the commands made; the environment stays
	$(PYTHON) tools/environment.py --clean
