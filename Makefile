# Golden Retriever. `make` lists the targets.
VENV   := .venv
GOLDEN := $(VENV)/bin/golden
LAB    := $(VENV)/bin/golden-lab
MKDOCS := NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs
MARKS  ?=
DATA   ?=

.DEFAULT_GOAL := help
.PHONY: help run test check format docs generate results baseline setup setup-test setup-all clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: setup ## Set everything up, read the example documents on first use, serve the chat and the API
	@$(GOLDEN) serve --starter examples

test: setup-test ## Set everything up and run the tests
	@$(VENV)/bin/pytest -n auto --dist loadfile --no-loadscope-reorder $(if $(MARKS),-m "$(MARKS)")

check: setup-test ## Lint, types, import rules, generated docs, docs site
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/mypy
	@$(VENV)/bin/lint-imports --no-cache
	@$(VENV)/bin/python scripts/generate_docs.py --check
	@$(MKDOCS) build --strict --quiet

format: setup-test ## Format the code and apply the linter's safe mends
	@$(VENV)/bin/ruff check --fix .
	@$(VENV)/bin/ruff format .

docs: setup-test ## Build the docs site in build/site
	@$(MKDOCS) build --strict

generate: setup-test ## Write the generated parts of the docs again: the graph and the table of scores
	@$(VENV)/bin/python scripts/generate_docs.py

results: setup-test ## Measure the embedded engine on public data: make results DATA=folder (about 40 minutes; resumes)
	@test -n "$(DATA)" || { echo "make results needs DATA=FOLDER, the folder with one folder a data set" >&2; exit 2; }
	@$(LAB) all --engine embedded --data "$(DATA)" --out docs/results --no-traces
	@$(VENV)/bin/python scripts/generate_docs.py

baseline: setup ## Measure the examples' cases from an empty data folder: what CI is held against
	@folder=$$(mktemp -d) && export GOLDEN_DATA_DIR=$$folder && \
	$(GOLDEN) jargon import examples/dictionary.csv --contexts examples/contexts.csv && \
	$(GOLDEN) ingest examples/documents && \
	$(GOLDEN) eval cases examples/quiz.jsonl --out docs/results; \
	status=$$?; rm -rf $$folder; exit $$status

setup: ## Make the virtual environment with what is needed to run
	@sh scripts/setup.sh run

setup-test: ## The same with what is needed to test
	@sh scripts/setup.sh test

setup-all: ## The same with PyTorch and sentence-transformers (large)
	@sh scripts/setup.sh all

clean: ## Remove the virtual environment and the caches; documents and dictionary (.golden) stay
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache build dist
