#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test whether the modules build, load and pass their tests on Debian's newest kernels.

    newest.py [KERNEL...]

The default is all of kernels.NEWEST. Needs `make guest-x86_64`. One line reports the
result for each kernel; all output is in build/newest/KERNEL. The exit status is 1 if a
supported kernel fails.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts/vm")]

import boot  # noqa: E402
import kernels  # noqa: E402
import programs  # noqa: E402

ARCH = "x86_64"


class Failure(Exception):
    """The test of a kernel failed; the text names the step that failed."""


def _build(name: str, log: Path) -> None:
    goal = f"test-modules-{ARCH}-{name}"
    with open(log, "wb") as stream:
        made = subprocess.run(
            ["make", "-s", goal],
            cwd=ROOT,
            stdout=stream,
            stderr=subprocess.STDOUT,
            check=False,
        )
    said = log.read_text(errors="replace").splitlines()
    errors = [line for line in said if "error" in line.lower()]
    if made.returncode != 0:
        raise Failure(f"modules do not build: {(errors or said)[0]}")
    warnings = sum("warning:" in line for line in said)
    if warnings:
        raise Failure(f"modules build with {warnings} warnings")


def _pass(name: str, out: Path) -> str:
    """Run the usual tests; return a text that tells how many passed."""
    names = programs.usual(boot.Target(ARCH, name))
    commands = {"keep_events": "keep_events", **{each: each for each in names}}
    guest = boot.Boot(boot.Target(ARCH, name), commands, out, ["--parallel"])
    failed, passed, skipped = [], 0, 0
    for program in names:
        for test in programs.names_in(program):
            outcome = guest.outcome(program, test)
            skipped += bool(outcome and outcome.skipped)
            passed += bool(outcome and outcome.passed and not outcome.skipped)
            if not (outcome and outcome.passed):
                failed.append(f"{program} {test}")
    status = guest.status()
    if not passed:
        raise Failure("modules do not load, or the guest does not boot")
    if failed:
        raise Failure(f"{passed} tests pass; these do not: {', '.join(failed)}")
    if status != 0:
        raise Failure(f"{passed} tests pass, but scripts/vm/run exits with {status}")
    return f"{passed} tests pass, {skipped} are skipped"


def _try(name: str) -> bool:
    """Report the result for a kernel; return False if a supported one failed."""
    out = ROOT / "build/newest" / name
    out.mkdir(parents=True, exist_ok=True)
    try:
        kernel = kernels.resolve(ARCH, name)
    except kernels.ERRORS as error:
        print(f"{name}: not tried: {error}", flush=True)
        return True
    known = {kernels.resolve(ARCH, each).release for each in kernels.SUPPORTED[ARCH]}
    print(f"{name}: trying {kernel.release}", file=sys.stderr, flush=True)
    try:
        _build(name, out / "make.log")
        result = f"modules build and load, {_pass(name, out)}"
    except Failure as failure:
        print(f"{name}: {kernel.release}: {failure}; see {out}", flush=True)
        return kernel.release not in known
    print(f"{name}: {kernel.release}: {result}", flush=True)
    return True


def main() -> int:
    """Test all kernels; return the exit status."""
    return 0 if all([_try(name) for name in sys.argv[1:] or kernels.NEWEST]) else 1


if __name__ == "__main__":
    sys.exit(main())
