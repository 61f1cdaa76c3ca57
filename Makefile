# make run | test | test-all | lint | demo | clean        (see README.md)
#
# test leaves out what is slow; test-all runs it too, as .ci/run does
#
# PYTHON=...     the Python to build .venv with (3.11 or newer); found by itself otherwise
# PIP_ARGS=...   passed to every `pip install`, e.g. to name an index with the CPU build of PyTorch
# PORT=8501      first port that `make run` tries
# JOBS=3         parallel test processes; on two cores three, because tests often wait
# PYTEST_ARGS=   passed to pytest, e.g. PYTEST_ARGS="-k retrieval"

PYTHON ?=
PIP_ARGS ?=
PORT ?= 8501
JOBS ?= 3
PYTEST_ARGS ?=

# One thread per process: on small networks more threads cost time as soon as a core is shared.
export OMP_NUM_THREADS ?= 1
export PYTHONUNBUFFERED = 1
# Without bytecode every process of the tests compiles the package and its tests anew: most of its start.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run test test-all lint demo clean alive

help:
	@sed -n '1,10p' Makefile | sed 's/^# \{0,1\}//'

run: .venv/ready-package alive
	@.venv/bin/python -m rivae.app.serve --port $(PORT)

# Every check runs, so that one report shows everything; any one that fails fails the target.
LINT = failed=0; \
	.venv/bin/python -m ruff check . || failed=1; \
	.venv/bin/python -m ruff format --quiet --check . || failed=1; \
	.venv/bin/python -m mypy || failed=1; \
	.venv/bin/python tools/arrows.py || failed=1; \
	if [ $$failed = 1 ]; then echo "lint: FAILED"; else echo "lint: ok"; fi

lint: .venv/ready-test alive
	@$(LINT); exit $$failed

# Lint runs next to the first tests, which often wait; what it found comes after theirs. Files of the
# tests are in memory where it has room: to keep what a failed one left, run pytest itself. The first
# time one process compiles what all of them import, while lint has the other core.
TEST = memory=$$(sh tools/memory-folder.sh); [ -z "$$memory" ] || export TMPDIR="$$memory"; \
	trap 'rm -rf "$$memory"' EXIT; trap 'exit 130' INT TERM; \
	report=$$(mktemp); export RIVAE_LEFT_OUT=$$(mktemp); \
	{ $(LINT); exit $$failed; } >$$report 2>&1 & lint=$$!; \
	[ -d .pytest_cache ] || .venv/bin/python -m pytest --collect-only -q $(PYTEST_ARGS) >/dev/null 2>&1; \
	failed=0; .venv/bin/python -m pytest -n $(JOBS) --dist loadgroup $(PYTEST_ARGS) || failed=1; \
	wait $$lint || failed=1; cat $$report; \
	left=$$(cat $$RIVAE_LEFT_OUT); rm -f $$report $$RIVAE_LEFT_OUT

test: .venv/ready-test alive
	@export RIVAE_TESTS=quick; $(TEST); \
	echo "$${left:-0} slow tests were left out: make test-all runs them"; \
	exit $$failed

test-all: .venv/ready-test alive
	@$(TEST); \
	exit $$failed

demo: .venv/ready-package alive
	@.venv/bin/python -m rivae.cli.demo

clean:
	rm -rf .venv .pytest_cache .mypy_cache .ruff_cache .import_linter_cache build ./*.egg-info

# An environment whose Python was removed or upgraded away.
alive: .venv/created
	@.venv/bin/python -c '' 2>/dev/null || \
	{ echo "the Python behind .venv is gone: run 'make clean' and try again" >&2; exit 1; }

# A .venv that somebody made by hand is used as it is when it works.
.venv/created:
	@if ! { sh tools/find-python.sh .venv/bin/python && .venv/bin/python -m pip --version; } \
		>/dev/null 2>&1; then \
		python=$$(sh tools/find-python.sh "$(PYTHON)") || exit 1; \
		echo "making .venv with $$("$$python" --version)"; \
		"$$python" -m venv --clear .venv || exit 1; \
	fi
	@touch $@

# The stamps make a second run instant; a changed requirements file installs again.
.venv/ready-run: .venv/created requirements.txt
	@echo "installing what requirements.txt names (PyTorch is large: minutes on a slow line)"
	@.venv/bin/python -m pip install --quiet $(PIP_ARGS) -r requirements.txt
	@touch $@

# `rivae` and `import rivae` from any folder; the files stay here, and nothing is downloaded: the
# setuptools that this needs came with PyTorch.
.venv/ready-package: .venv/ready-run pyproject.toml
	@.venv/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@.venv/bin/python -m compileall -q rivae  # as of a package that is copied: the first page waits for none
	@touch $@

.venv/ready-test: .venv/ready-package
	@.venv/bin/python -m pip install --quiet $(PIP_ARGS) --no-build-isolation --editable '.[dev]'
	@touch $@
