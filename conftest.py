"""For all tests: where compiled code is cached, what can be called, how hard to try."""

import hashlib
import os
from pathlib import Path

ROOT = Path(__file__).parent
SOURCES = sorted((ROOT / "src").rglob("*.py"))

# A cached function does not notice that a function it calls has changed in another file. This must
# be set before the package is imported.
if "NUMBA_CACHE_DIR" not in os.environ:
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]
    os.environ["NUMBA_CACHE_DIR"] = str(ROOT / ".numba_cache" / digest)
# Two processes that save to one cache at the same moment can mix up their files.
if "PYTEST_XDIST_WORKER" in os.environ:
    worker = os.environ["PYTEST_XDIST_WORKER"]
    os.environ["NUMBA_CACHE_DIR"] = str(Path(os.environ["NUMBA_CACHE_DIR"]) / worker)

import numba  # noqa: E402
import pytest  # noqa: E402
from hypothesis import HealthCheck, settings  # noqa: E402

COMPILED = not numba.config.DISABLE_JIT

# Once compiled, functions of the core can be called by each other only, not by an example in their
# docstring; these run in the interpreted pass.
collect_ignore_glob = ["src/streamart/core/*", "src/streamart/icvi/*"] if COMPILED else []

settings.register_profile(
    "default",
    deadline=None,  # the first example compiles
    derandomize=True,  # a red run can be run again; a hunt has other examples every time
    max_examples=40 if COMPILED else 6,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile(
    "hunt", parent=settings.get_profile("default"), max_examples=2000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


@pytest.fixture(params=[0, 1, 2] if COMPILED else [0])
def seed(request):
    """Tests hold for any seed; STREAMART_SEED shifts these."""
    return request.param + int(os.environ.get("STREAMART_SEED", "0"))
