"""Settings of all tests: the cache of compiled code, tests to skip, and hypothesis profiles."""

import hashlib
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parent
PACKAGE = Path(find_spec("streamart").origin).parent  # also where only a wheel is installed
# The packages with compiled functions, as in the Makefile.
COMPILED_CODE = ("icvi", "validity", "core", "derivation", "baselines")
SOURCES = [PACKAGE / "_jit.py"]
for folder in COMPILED_CODE:
    SOURCES += sorted((PACKAGE / folder).rglob("*.py"))

# A cached function does not notice that a function it calls has changed in another file. This must
# be set before the package is imported.
if "NUMBA_CACHE_DIR" not in os.environ:
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]
    os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".numba_cache" / digest)

import numba  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

COMPILED = not numba.config.DISABLE_JIT

# Compiled functions of the core cannot be called from examples in their docstrings. The interpreted
# pass runs these examples.
if COMPILED:
    collect_ignore_glob = ["src/streamart/core/*", "src/streamart/icvi/*"]
else:  # streams that take the interpreter minutes
    collect_ignore_glob = ["docs/*"]
# `make test-photos` installs these.
if find_spec("dlib") is None or find_spec("onnxruntime") is None:
    collect_ignore_glob += [
        *("src/streamart/photos/dlib_models.py", "src/streamart/photos/mtcnn.py"),
        *("src/streamart/photos/onnx*.py", "tests/test_photos_models.py"),
    ]


def pytest_configure(config):
    """Compile what all processes need before they start; otherwise each would compile it."""
    processes = getattr(config.option, "numprocesses", None)
    if not COMPILED or not processes or "PYTEST_XDIST_WORKER" in os.environ:
        return
    # Split between two processes, so that both take about as long.
    names = ["xb", "pbm", "db", "ch", "wb", "conn", "csil", "baselines", "self-tuning"]
    command = [sys.executable, str(ROOT / "tests" / "warm.py")]
    shares = [subprocess.Popen([*command, *names[at::2]]) for at in range(2)]
    for share in shares:
        if share.wait() != 0:
            raise pytest.UsageError("tests/warm.py failed")


def pytest_collection_modifyitems(items):
    """Examples on pages do not show the warning about how columns are read."""
    for item in items:
        if item.path.suffix == ".md":
            item.add_marker(pytest.mark.filterwarnings("ignore:How the columns of X are read"))


settings.register_profile(
    "default",
    deadline=None,  # the first example compiles
    derandomize=True,  # a failed run can be repeated; a hunt tries new examples every time
    max_examples=30 if COMPILED else 6,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "hunt", parent=settings.get_profile("default"), max_examples=2000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(params=[1 if COMPILED else 0])
def seed(request):
    """A seed. Tests must hold for any: it differs with and without the compiler, and STREAMART_SEED
    shifts it."""
    return request.param + int(os.environ.get("STREAMART_SEED", "0"))
