# Everything from a fresh checkout: `make demo` runs the main job, `make test` the tests.

PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)/python
# One process a core, each of which takes tests from the other when it has none left.
PYTEST := $(RUN) -m pytest --numprocesses auto --dist worksteal
# What is imported is compiled then, and kept even where a container says otherwise; pip would compile all.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: help demo test test-slow test-device test-matrix lint types docs sanitize check bench bench-short clean

help:
	@echo "make demo   install into $(VENV) and run MAML on letters of scripts it has never seen"
	@echo "make test   install into $(VENV) and run the tests, but for the slow ones"
	@echo "make test-slow    the slow tests"
	@echo "make test-device  most tests on a device that is a GPU to PyTorch"
	@echo "make test-matrix  the numerical tests as on other processors, Pythons and releases of PyTorch (hours)"
	@echo "make check  all tests, lint, types, docs and sanitizers; continuous integration runs a third of the slow ones"
	@echo "make bench  the benchmark tables (installs the libraries compared with)"
	@echo "make bench-short  a selection of them in ten minutes, compared with the last release"

# The demo needs less than the checks; where their tools are installed, it runs with these.
$(VENV)/installed: EXTRAS := test,lint,docs
$(VENV)/examples: EXTRAS := examples
$(VENV)/installed $(VENV)/examples: pyproject.toml setup.py constraints.txt $(wildcard src/torchopt/native/csrc/* src/torchopt/formula/*.py)
	@echo "Installing TorchOpt, PyTorch and what [$(EXTRAS)] needs into $(VENV), compiling the kernels"
	$(PYTHON) -m venv $(VENV)
	$(RUN) -m pip uninstall -qq --yes torchopt  # published code, or this package before it had its own name
	$(RUN) -m pip install --quiet --no-compile --constraint constraints.txt --editable ".[$(EXTRAS)]"
	@touch $@

demo: $(or $(wildcard $(VENV)/installed),$(VENV)/examples)
	@echo "A network learns to learn: MAML finds weights from which three steps of gradient descent, on"
	@echo "one example of each of five letters, suffice to read a script that it has never seen."
	$(RUN) -m examples maml --meta-batch 6 --iterations 400 --outer-lr 5e-3 \
		--scratch-steps 20 --test-tasks 100 --threads 2

test: $(VENV)/installed
	$(PYTEST) -m "not slow"

# A quarter of the cases of each test: the device changes what all have in common. `test-matrix` runs all.
test-device: $(VENV)/installed
	TORCHOPT_TEST_DEVICE=pretend TORCHOPT_TEST_SHARE=0.25 $(PYTEST) -m "not slow and not compiled and not processes and not browser" \
		$(addprefix tests/, autodiff diff meta multilevel optim solver test_default_device.py test_faults_of_a_gpu.py) \
		--ignore-glob "*/test_wrong_*.py" $(addprefix --ignore tests/, $(addsuffix .py, \
		diff/test_checkpoints meta/test_check_meta_grad multilevel/test_engine_errors \
		$(addprefix solver/test_, bounds constrained more_garbow_hillstrom quasi_newton) \
		$(addprefix solver/test_, sets_of_solvers solver_scaling trials)))

test-matrix: $(VENV)/installed
	$(RUN) tools/test_matrix.py

lint: $(VENV)/installed
	$(RUN) -m ruff check .
	$(RUN) -m ruff format --check .
	$(RUN) -m check_jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(RUN) -m check_jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/[!c]*.yml
	$(RUN) -m check_jsonschema --builtin-schema vendor.github-issue-config .github/ISSUE_TEMPLATE/config.yml
	$(RUN) -m check_jsonschema --builtin-schema vendor.readthedocs .readthedocs.yaml
	$(RUN) -m check_jsonschema --builtin-schema vendor.citation-file-format CITATION.cff

types: $(VENV)/installed
	$(RUN) -m mypy
	$(RUN) -m pyright --pythonpath $(RUN)

docs: $(VENV)/installed
	$(RUN) -m sphinx -E -a --fail-on-warning --keep-going -q -b html docs docs/_build/html

sanitize: $(VENV)/installed
	bash tools/sanitize.sh $(RUN)

test-slow: $(VENV)/installed
	$(PYTEST) -m slow tests  # no example in a docstring is slow

# The slow tests open the pages that `docs` has built, instead of building them once more.
check: test
	$(MAKE) --jobs 2 lint types docs sanitize
	TORCHOPT_PAGES=docs/_build/html $(MAKE) test-slow test-device

bench: $(VENV)/installed
	$(RUN) -m benchmarks.peers install
	$(RUN) -m benchmarks.maml_step --threads 1
	$(RUN) -m benchmarks.memory --threads 1
	$(RUN) -m benchmarks.optimizer --threads 1
	$(RUN) -m benchmarks.pytree --threads 1
	$(RUN) -m benchmarks.implicit --threads 1
	$(RUN) -m benchmarks.distributed
	$(RUN) -m benchmarks.multilevel --threads 1

bench-short: $(VENV)/installed
	$(RUN) -m benchmarks.trend --threads 1

clean:
	rm -rf $(VENV) docs/_build build dist
