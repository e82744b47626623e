# Every target but help, lock and clean does all set-up first; set-up is quick when nothing changed.
.DEFAULT_GOAL := help
SHELL := /bin/sh

VENV := .venv
BIN := $(VENV)/bin
JOBS ?= 2
ARGS ?=
UP_ARGS ?=

# Without bytecode each process compiles all modules when it starts, and the tests start hundreds.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup setup-run run build demo test test-hard test-compose test-wire soak check format docs bench lock clean

help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | while IFS="$$(printf '\t')" read -r name text; do printf '  make %-14s %s\n' "$$name" "$$text"; done

setup: ## make .venv with the locked dependencies of tests and checks, and the envfarm command
	@PYTHON='$(PYTHON)' sh .ci/setup dev

setup-run: ## the same with what running envfarm needs alone
	@PYTHON='$(PYTHON)' sh .ci/setup run

run: setup-run ## build the environments of seeds/, serve them, print how to connect (UP_ARGS goes to envfarm up)
	@$(BIN)/envfarm up $(UP_ARGS) || { code=$$?; [ $$code -ne 1 ] || echo "make: options of envfarm up go into UP_ARGS, as in: make run UP_ARGS='--port 9800'" >&2; exit $$code; }

build: setup-run ## build the environments of seeds/ and their task packs
	@$(BIN)/envfarm build $(ARGS)

demo: setup-run ## play the built-in agents over every task and print a table
	@$(BIN)/envfarm demo $(ARGS)

test: setup ## run all tests that need no service (ARGS goes to pytest)
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --ignore=tests/compose --ignore=tests/wire $(ARGS)

HARD = tests/durability tests/interaction/test_api_fuzz.py tests/interaction/test_rpc_fuzz.py

test-hard: setup ## run what takes long: every seed, 200 kills of each process, thousands of made-up requests
	@$(BIN)/python -m pytest -n $(JOBS) --dist worksteal --ignore=tests/compose --ignore=tests/wire --timeout=1200 -m every_domain $(ARGS)
	@ENVFARM_KILLS=200 ENVFARM_FUZZ_EXAMPLES=300 $(BIN)/python -m pytest -n $(JOBS) --timeout=7200 -s -m '' $(HARD) $(ARGS)

test-compose: setup ## bring docker-compose.yml up on a real engine and play a task through it
	@$(BIN)/python -m pytest tests/compose $(ARGS)

test-wire: setup ## run the tests that need other programs: clients, conformance, a browser
	@$(BIN)/python tests/wire/programs.py || { code=$$?; [ $$code -eq 77 ] && exit 0; exit $$code; }; $(BIN)/python -m pytest -n $(JOBS) --dist worksteal tests/wire $(ARGS)

soak: setup ## 200,000 calls of clients that behave badly; prints what the farm holds on to (ARGS=20000 for fewer)
	@$(BIN)/python -m tests.soak.soak $(ARGS)

check: setup ## format, lint, types, layering, container files, known vulnerabilities
	@echo 'check: ruff format'; $(BIN)/ruff format --check --quiet .
	@echo 'check: ruff'; $(BIN)/ruff check --quiet .
	@echo 'check: mypy --strict'; $(BIN)/mypy
	@echo 'check: layering'; $(BIN)/lint-imports --no-cache
	@echo 'check: Dockerfile'; $(BIN)/hadolint Dockerfile
	@echo 'check: docker-compose.yml'; $(BIN)/check-jsonschema --quiet --builtin-schema vendor.compose-spec docker-compose.yml tests/compose/host-network.yml
	@$(BIN)/python .ci/audit.py requirements.lock requirements-extras.lock

format: setup ## format and fix what can be fixed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: setup ## write the pages, tables and the schema that follow from the code
	@$(BIN)/python tests/docs/commands_page.py
	@$(BIN)/python tests/docs/language_page.py
	@PYTHONPATH=. $(BIN)/python tests/docs/catalog_page.py
	@PYTHONPATH=. $(BIN)/python tests/docs/author_page.py
	@$(BIN)/python -m synth.seed.schema > seeds/seed.schema.json

bench: setup ## measure, write bench/out/
	@$(BIN)/python -m bench $(ARGS)

COMPILE = UV_CUSTOM_COMPILE_COMMAND='make lock' $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url

lock: setup ## resolve the dependencies again (ARGS=--upgrade takes newer releases)
	@echo 'lock: requirements.lock'; $(COMPILE) $(ARGS) pyproject.toml -o requirements.lock
	@echo 'lock: requirements-image.lock'; $(COMPILE) $(ARGS) pyproject.toml --extra postgres --extra otel -c requirements.lock -o requirements-image.lock
	@echo 'lock: requirements-extras.lock'; $(COMPILE) $(ARGS) pyproject.toml --all-extras -c requirements.lock -o requirements-extras.lock
	@echo 'lock: requirements-build.lock'; $(COMPILE) $(ARGS) --group build -o requirements-build.lock
	@echo 'lock: requirements-dev.lock'; $(COMPILE) $(ARGS) pyproject.toml --group dev -c requirements-extras.lock -c requirements-build.lock -o requirements-dev.lock

clean: ## remove .venv, what was built, and every cache
	rm -rf $(VENV) .envfarm build dist bench/out .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
