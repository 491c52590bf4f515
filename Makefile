# make chat    set everything up, then talk           make chat ARGS="--attention"
# make test    set everything up, then run the tests  make test PYTEST_ARGS="-k beam"
# make check   every gate: format, lint, types, layers, tests with coverage
# make docs    what is written by the program itself: tables of options, manual page, pictures (some minutes)
# make train   set everything up, then train          make train ARGS="mine.tsv --minutes 30"
#
# Everything lives in .venv; remove that folder to start afresh. Installation talks on stderr alone, so
# that stdout holds replies and results.
.POSIX:

# The interpreter .venv is made with.
PYTHON ?= python3
# Where torch alone is taken from: the URL that PyTorch's installation page shows for a build.
TORCH_INDEX ?=
# Passed on to chatbot, and to pytest.
ARGS ?=
PYTEST_ARGS ?=

BIN = .venv/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check
# The range of torch that pyproject.toml allows.
TORCH = $$($(BIN)/python -c 'import tomllib; print(*[d for d in tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"] if d.startswith("torch")])')

.PHONY: chat train test check docs format-check lint types layers format clean

chat: .venv/installed
	@$(BIN)/chatbot chat $(ARGS)

train: .venv/installed
	@$(BIN)/chatbot train $(ARGS)

# On a build server (CI set) the slow tests run too.
test: .venv/installed-dev
	@$(BIN)/python -m pytest $${CI:+-m "not gpu"} $(PYTEST_ARGS)

check: format-check lint types layers
	@$(BIN)/python -m pytest --cov $${CI:+-m "not gpu"} $(PYTEST_ARGS)

docs: .venv/installed-dev
	@for maker in docs/make_*.py; do $(BIN)/python $$maker || exit; done

format-check: .venv/installed-dev
	@$(BIN)/ruff format --check .

lint: .venv/installed-dev
	@$(BIN)/ruff check .

types: .venv/installed-dev
	@$(BIN)/mypy

layers: .venv/installed-dev
	@$(BIN)/lint-imports

format: .venv/installed-dev
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .coverage htmlcov build dist

# A stamp is written last: an install that was broken off is done again. stdin belongs to the question
# that may be waiting on it.
.venv/installed: pyproject.toml
	@{ $(BIN)/python -m pip --version >/dev/null 2>&1 || { \
	    $(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || { \
	      echo "Error: $(PYTHON): Python 3.11, 3.12 or 3.13 is needed; name one, as in: make chat PYTHON=python3.12"; \
	      exit 1; } && \
	    echo "Making .venv with $(PYTHON) ..." && $(PYTHON) -m venv .venv; } && \
	  echo "Installing chatbot and what it needs into .venv (once; torch is large) ..." && \
	  { test -z "$(TORCH_INDEX)" || $(PIP) install --index-url "$(TORCH_INDEX)" "$(TORCH)"; } && \
	  $(PIP) install --editable . && \
	  touch $@; } </dev/null >&2

.venv/installed-dev: .venv/installed
	@{ echo "Installing the tools of the tests into .venv (once) ..." && \
	  $(PIP) install --editable '.[dev]' && \
	  touch $@; } </dev/null >&2
