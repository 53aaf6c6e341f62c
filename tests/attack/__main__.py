"""``python -m attack [learning|files|kills|sharing]``.

Runs attacks for a long time, and prints the seeds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from . import files, kills, learning, sharing

ATTACKS = {
    "learning": (learning.attack, 2_000),
    "files": (files.attack, 20_000),
    "kills": (kills.attack, 20),
    "sharing": (sharing.attack, 40),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m attack", description=__doc__)
    parser.add_argument("attacks", nargs="*", choices=[[], *ATTACKS], metavar="ATTACK")
    parser.add_argument(
        "--seed", type=int, default=int(time.time()), help="seed of the first trial"
    )
    parser.add_argument("--trials", type=int, help="number of trials of each attack")
    asked = parser.parse_args()
    failed = False
    for name in asked.attacks or ATTACKS:
        attack, usual = ATTACKS[name]
        trials = asked.trials or usual
        print(f"{name}: {trials:,} trials from seed {asked.seed}", flush=True)
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            tried, failures = attack(asked.seed, trials, Path(folder))
        print("  " + ", ".join(f"{what} {count:,}" for what, count in tried.items()))
        print(f"  {len(failures)} failures in {time.monotonic() - begun:.0f} s", flush=True)
        for failure in failures:
            print(f"  {failure}")
        failed |= bool(failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
