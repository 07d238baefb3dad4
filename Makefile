# make demo     set up .venv and run the demonstration
# make test     set up .venv and run the linter, the type checker and all tests
# make bench    set up .venv and run the benchmarks
# make clean    remove what the commands above made
#
# Another interpreter gets an environment of its own:  make test PYTHON=python3.13  uses .venv-3.13

PYTHON ?= python3

ifeq ($(PYTHON),python3)
VENV := .venv
else
VENV := .venv-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
endif

IN := $(VENV)/bin/python

.PHONY: demo test bench clean

demo: $(VENV)/stamp
	$(IN) examples/demo.py

test: $(VENV)/stamp
	$(IN) -m ruff check .
	$(IN) -m mypy
	$(IN) -m pytest -q -n auto

bench: $(VENV)/stamp
	$(IN) -m benchmarks

# The stamp says that the environment holds what pyproject.toml asks for.
$(VENV)/stamp: pyproject.toml
	test -x $(IN) || $(PYTHON) -m venv $(VENV)
	$(IN) -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

clean:
	rm -rf .venv .venv-* build *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
