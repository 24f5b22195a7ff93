# Everything that a person or a build server runs.  PYTHON chooses the interpreter that the environment is made with.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
FUZZ_SECONDS ?= 180

.PHONY: demo docs man test test-full gpu-test fuzz lint format clean

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev,scons]"
	touch $(READY)

demo: $(READY)
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python examples/demo.py

# Manual pages in build/man/man1, one for each command.
man: $(READY)
	mkdir -p build/man/man1
	$(BIN)/offload-tool manual > build/man/man1/offload-tool.1
	for command in $$($(BIN)/python -c "from offload_tool.cli.main import COMMANDS; print(*COMMANDS)"); do \
	  $(BIN)/offload-tool manual $$command > build/man/man1/offload-tool-$$command.1 || exit 1; done

# The manual as a site in build/site.  The variable silences what the theme's makers say of other products.
docs: $(READY)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

test: $(READY)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not slow"

# The same, and the tests that need many builds or several versions of a tool.
test-full: test
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m slow

# Loads images through the CUDA driver and runs them; without an NVIDIA GPU it says what is missing, and fails.
gpu-test: $(READY)
	$(BIN)/python examples/cuda_driver/run.py

# Fuzzes every reader for FUZZ_SECONDS; inputs that break the contract lie in fuzz/found afterwards.
fuzz: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[fuzz]"
	$(BIN)/python -m fuzz --all --seconds $(FUZZ_SECONDS)

lint: $(READY)
	$(BIN)/python -m ruff check .
	$(BIN)/python -m ruff format --check .
	$(BIN)/python -m mypy

format: $(READY)
	$(BIN)/python -m ruff check --fix .
	$(BIN)/python -m ruff format .

clean:
	rm -rf build dist examples/*/build examples/*/.sconsign.dblite examples/*/*/build examples/*/*/.sconsign.dblite
