#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check what has changed since a commit, in about two minutes.

    make quick [SINCE=COMMIT]     default: HEAD, what is not committed yet

What is checked: the style of the changed files; the suites and the programs of
tests/guest that are named as they are, in one guest; and the tests in Python that
belong to them. The end says what was left out: `make check` has it.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path, PurePath

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/vm"))

import programs  # noqa: E402

PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
SERIES = "6.12"
# Sources of the modules and the suites.
KERNEL = ("core/", "pmu/", "formats/", "sdk/include/perfmon/perfmon_fmt", "Kbuild")
# Programs to run if none is named like a changed file.
USUAL = ("overflow", "restart", "default")
# Folders, and the folders of their tests in Python.
TESTED = {
    "parsers/pfmparse": "tests/parsers",
    "tools/pfmon": "tests/tools",
    "tools": "tests/tools",
    "lib": "tests/lib",
    "scripts": "tests/scripts",
    "docs": "tests/style",
}
# Tests in Python that need no machine.
LIGHT = ("tests/parsers", "tests/tools", "tests/lib", "tests/scripts", "tests/style")
# Changes that need the repetitions of `make check-all`.
THOROUGH = re.compile(
    r"(core|pmu|debian)/|tests/guest/(nmi|pmu_nmi|stress|fuzz)/|scripts/vm/"
)
SUITE = re.compile(r'\.name = "(\w+)"')


def changed(since: str) -> list[str]:
    """Return the files that differ from a commit and are still there."""
    differ = ["git", "diff", "--name-only", "-z", since, "--"]
    new = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    names = {
        name
        for command in (differ, new)
        for name in subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    }
    return sorted(name for name in names if name and (ROOT / name).is_file())


def advice(files: Iterable[str]) -> str | None:
    """Name the changes that need `make check-all` before they land."""
    named = sorted({found[0] for found in map(THOROUGH.match, files) if found})
    return f"run make check-all before this lands: {' '.join(named)}" if named else None


def is_kernel(name: str) -> bool:
    """Tell whether modules are built of a file."""
    return name.startswith(KERNEL)


def stems(name: str) -> set[str]:
    """Return the names that tests of a file may have."""
    path = PurePath(name)
    stem = path.stem.removesuffix("_kunit").removeprefix("pfm_fmt_")
    return {stem, *(path.parts[1:2] if name.startswith("formats/") else ())}


def suites(files: Sequence[str]) -> str | None:
    """Return the pattern of the suites that belong to files, None if none do."""
    chosen = [name for name in files if is_kernel(name) or "_kunit" in name]
    if not chosen:
        return None
    found = {
        match[1]
        for name in chosen
        for stem in stems(name)
        for path in (ROOT / "tests/kunit").glob(f"{stem}_kunit.c")
        for match in SUITE.finditer(path.read_text())
    }
    return f"{found.pop()}*" if len(found) == 1 else "*"


def guest_programs(files: Sequence[str]) -> list[str]:
    """Return the programs of one guest that belong to files."""
    guest = programs.Guest("x86_64", SERIES)
    known = [*programs.native(guest), *programs.SIMULATED]
    chosen = [name for name in files if is_kernel(name) or "tests/guest/" in name]
    named = {stem for name in chosen for stem in stems(name)}
    # The simulated PMU is another one.
    found = [name for name in programs.native(guest) if name in named]
    if not found and any(map(is_kernel, chosen)):
        found = [name for name in USUAL if name in known]
    return found


def python_tests(files: Sequence[str]) -> list[str]:
    """Return the tests in Python that belong to files: files, or folders of them."""
    found = set()
    for name in files:
        path = PurePath(name)
        if name.startswith(LIGHT) and path.name.startswith("test_"):
            found.add(name)
            continue
        for folder in map(str, path.parents):
            if folder in TESTED:
                inside = PurePath(TESTED[folder]) / path.parent.relative_to(folder)
                test = inside / f"test_{path.stem}.py"
                exists = (ROOT / test).exists()
                found.add(str(test if exists else inside))
                break
    there = {name for name in found if (ROOT / name).exists()}
    return sorted(
        name for name in there if not there & set(map(str, PurePath(name).parents))
    )


def steps(files: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield what to run: a title and a command."""
    yield "style", ["tests/style/run", *files]
    tests = python_tests(files)
    if any(
        name.startswith(("tests/tools", "tests/lib", "tests/scripts")) for name in tests
    ):
        yield "build", ["make", "-s", "user"]
    if tests:
        yield "tests in Python", [*PYTEST, *tests]
    pattern = suites(files)
    if pattern:
        yield "suites", ["tests/kunit/run", "--", pattern]
    names = guest_programs(files)
    if names:
        yield "modules", ["make", "-s", f"modules-x86_64-{SERIES}", "guest-x86_64"]
        script = "; ".join(f"{name} || failed=1" for name in names)
        run = ["scripts/vm/run", "--icount", f"--kernel={SERIES}", "--", "sh", "-c"]
        yield "guest", [*run, f"{script}; exit ${{failed:-0}}"]


def _run(title: str, command: list[str]) -> bool:
    print(f"== {title}: {shlex.join(command)}", flush=True)
    start = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    end = "ok" if status == 0 else f"FAILED with {status}"
    print(f"== {title}: {end}, {time.monotonic() - start:.0f} s", flush=True)
    return status == 0


def _left_out(files: Sequence[str], ran: Sequence[str]) -> Iterator[str]:
    """Yield what was not checked."""
    kinds = {
        "suites": "the KUnit suites",
        "guest": "programs in a guest",
        "tests in Python": "the tests of pfmparse, pfmon, the libraries and scripts",
    }
    yield from (text for kind, text in kinds.items() if kind not in ran)
    yield "other kernels, two CPUs, NMIs, 32-bit programs"
    yield "the SDK's formats, the Debian packages, the other host"
    if "guest" in ran or "suites" in ran:
        yield "sparse"


def main() -> int:
    """Do what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="make quick",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--since", default="HEAD", metavar="COMMIT")
    parser.add_argument(
        "--advice", action="store_true", help="only say whether check-all is needed"
    )
    arguments = parser.parse_args()
    try:
        files = changed(arguments.since)
    except subprocess.CalledProcessError:
        return 2
    advised = advice(files)
    if arguments.advice:
        print(advised or "", end="\n" if advised else "")
        return 0
    if not files:
        print(
            f"nothing has changed since {arguments.since}; name another: SINCE=HEAD~1"
        )
        return 0
    todo = list(steps(files))
    failed = [title for title, command in todo if not _run(title, command)]
    for text in _left_out(files, [title for title, _ in todo]):
        print(f"left out: {text}")
    if advised:
        print(advised)
    print(
        f"FAILED: {', '.join(failed)}"
        if failed
        else "nothing found; make check has the rest"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
