# Two commands matter: `make chat` and `make test`. Everything else is a shortcut.
PYTHON ?= python3
VENV   := .venv
PY     := $(VENV)/bin/python
STAMP  := $(VENV)/.installed
ASK    := $(VENV)/.ask
WEB    := $(VENV)/.web
PYTEST_ARGS ?= -n 2 --dist worksteal

.DEFAULT_GOAL := all
.PHONY: all ready chat web ask check eval explain learn bench bench-scale bench-compare audit lint test format lock wheel clean generated

all: test

# The environment: made once, and made again only when a lock file changes. Works offline afterwards. A question needs a
# fifth of the packages and a tenth of the time of all, the page a half; each takes what it needs.
$(PY):
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Xuanka needs Python 3.11 or newer: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV) || { echo "python3-venv is missing: on Debian, apt-get install python3-venv"; exit 2; }

$(VENV)/.%: requirements-%.lock | $(PY)
	@echo "Preparing $(VENV) from $< (once) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@$(PY) -m compileall -q bot advisor knowledge  # also where the environment forbids writing bytecode on import
	@touch $@

$(STAMP): requirements.lock | $(PY)
	@echo "Preparing $(VENV) from requirements.lock (once) ..."
	@$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@$(PY) -m compileall -q bot advisor knowledge
	@touch $(ASK) $(WEB) $@

ready: $(STAMP)  ## everything: all channels, tests and tools

chat: $(ASK)  ## console assistant
	@$(PY) -m bot chat

web: $(WEB)  ## chat page in the browser, on this machine only
	@$(PY) -c 'import threading, webbrowser; from bot.settings import load_settings; s = load_settings(); threading.Timer(4, webbrowser.open, ["http://%s:%d/" % (s.http_host, s.http_port)]).start(); from bot.cli.serve import run_serve; run_serve()'

ask: $(ASK)  ## make ask Q="which GPU for BERT fine-tuning?"
	@$(PY) -m bot ask "$(Q)"

explain: $(ASK)
	@$(PY) -m bot explain "$(Q)"

check: $(STAMP)  ## validate all data, templates, intents, settings
	@$(PY) -m bot check

eval: $(STAMP)  ## score the labelled sets
	@$(PY) -m bot eval tests/evaluation/*.jsonl

learn: $(STAMP)  ## weights of roles and clauses (three minutes); PARTS="needs roles scope": of all (nine), see bot/read/README.md
	@$(PY) -c 'import sklearn' 2>/dev/null || $(PY) -m pip install --quiet --disable-pip-version-check 'scikit-learn==1.9.1' 'scipy==1.17.1'
	@$(PY) -m bot learn $(PARTS) --write

lint: $(STAMP)
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports

format: $(STAMP)
	@$(VENV)/bin/ruff format .
	@$(VENV)/bin/ruff check --fix .

test: lint check  ## lint, data check and every test: what CI runs
	@$(PY) -m pytest $(PYTEST_ARGS)

bench: $(STAMP)  ## every figure, then this tree beside the commit before, with a line in tests/bench/history.jsonl
	@$(PY) -m tests.bench
	@$(PY) -m tests.bench.compare --write

bench-compare: $(STAMP)  ## what takes more than at the commit before (REV=...)
	@$(PY) -m tests.bench.compare $(REV)

bench-scale: $(STAMP)
	@$(PY) -m tests.bench.scale

audit:  ## known vulnerabilities of what the lock file names; needs uv and the package index
	uvx pip-audit --requirement requirements.lock --disable-pip --require-hashes --strict

generated: $(STAMP)  ## rewrite the generated pages
	@$(PY) -m advisor validation --write
	@$(PY) -m knowledge coverage --write
	@$(PY) -m bot reference

wheel: $(STAMP)
	@$(PY) -m pip wheel --quiet --no-deps --wheel-dir dist .

lock:  ## needs uv; versions move only here
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate --group dev --all-extras pyproject.toml -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate -c requirements.lock pyproject.toml -o requirements-ask.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate -c requirements.lock --extra web --extra charts pyproject.toml -o requirements-web.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --no-annotate tests/peers/requirements-peers.in -o tests/peers/requirements-peers.txt

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
