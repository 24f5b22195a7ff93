# Everything that a person or a build server runs.  PYTHON chooses the interpreter that the environment is made with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-full lint format clean

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev,scons]"
	touch $(READY)

demo: $(READY)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python examples/demo.py

test: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"

# The same, and the tests that need many builds or several versions of a tool.
test-full: test
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m slow

lint: $(READY)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

format: $(READY)
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

clean:
	rm -rf build dist examples/*/build examples/*/.sconsign.dblite examples/*/*/build examples/*/*/.sconsign.dblite
