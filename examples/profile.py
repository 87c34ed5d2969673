#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sample hotloops in a VM, print its profile, and check it.

By construction, the three functions of hotloops do the same work in the ratio 6:3:1.
Their shares in the profile must be within 3 points of 60, 30 and 10 percent. On a busy
host, the VM takes fewer samples, each of which represents a longer time. The shares are
then less exact, so with fewer than FEW_SAMPLES the limit is 7 points. If a share
differs more, or on any error, the exit status is 1.

`make run` builds the programs and then runs this script.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXPECTED = {"hot_sixty": 60.0, "hot_thirty": 30.0, "hot_ten": 10.0}
TOLERANCE = 3.0
# With fewer samples than this, TOLERANCE_OF_FEW applies. On an idle host, the VM takes
# twice as many.
FEW_SAMPLES = 10_000
TOLERANCE_OF_FEW = 7.0
# Fewer samples than this are not significant.
MIN_SAMPLES = 500
TRIES = 3
TOP = 10
PERIOD_NS = 100_000
ENTRIES = 4096


def say(text: str) -> None:
    """Print a progress message."""
    print(f"==> {text}", file=sys.stderr, flush=True)


def record(kernel: str, out: Path) -> Path:
    """Boot the VM, sample hotloops there, and return the capture's path.

    Raises subprocess.CalledProcessError if the VM or pfmon failed.
    """
    out.mkdir(parents=True, exist_ok=True)
    capture = out / "hotloops.cap"
    capture.unlink(missing_ok=True)
    subprocess.run(
        [
            ROOT / "scripts/vm/run",
            *("--arch", "x86_64", "--kernel", kernel, "--out", out, "--"),
            *("pfmon", "-v", "-e", "cpu-clock", "--smpl-module", "default"),
            f"--long-smpl-periods={PERIOD_NS}",
            f"--smpl-entries={ENTRIES}",
            *("-o", f"/out/{capture.name}", "hotloops"),
        ],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    return capture


def record_enough(kernel: str, out: Path) -> Path:
    """Call record() until there are enough samples, at most TRIES times."""
    capture = record(kernel, out)
    for _ in range(TRIES - 1):
        samples = json.loads(parse("report", "--json", "--by", "tid", capture))["total"]
        if samples >= MIN_SAMPLES:
            break
        say(f"only {samples} samples: this machine is busy; sampling again")
        capture = record(kernel, out)
    return capture


def parse(*args: str | Path) -> str:
    """Run pfmparse and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", "pfmparse", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT / "parsers")},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout


def faults(report: str) -> list[str]:
    """Check the profile in a JSON report; return a line for each error."""
    content = json.loads(report)
    samples = content["total"]
    if samples < MIN_SAMPLES:
        return [f"only {samples} samples: this machine is too busy"]
    found = {row.get("symbol"): float(row["percent"]) for row in content["rows"]}
    near = TOLERANCE_OF_FEW if samples < FEW_SAMPLES else TOLERANCE
    return [
        f"{name} has {found.get(name, 0):.2f} %, not {share:.0f} +- {near:.0f} %"
        for name, share in EXPECTED.items()
        if abs(found.get(name, 0) - share) > near
    ]


def main() -> int:
    """Record, report, check; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument(
        "--kernel", required=True, help="kernel of the VM: 6.1, 6.12, ..."
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=ROOT / "build/run",
        help="directory for the capture and the kernel log (default: build/run)",
    )
    args = parser.parse_args()
    symfs = ("--symfs", ROOT / "build/x86_64")
    try:
        say(f"booting Debian's {args.kernel} kernel and sampling hotloops in it")
        capture = record_enough(args.kernel, args.out)
        say("resolving symbols and reporting")
        print(parse("report", "--top", str(TOP), *symfs, capture))
        wrong = faults(parse("report", "--json", *symfs, capture))
    except subprocess.CalledProcessError as error:
        print(f"profile: {error}", file=sys.stderr)
        return 1
    for line in wrong:
        print(f"profile: {line}", file=sys.stderr)
    if not wrong:
        say("the shares are correct: 60, 30 and 10 percent")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
