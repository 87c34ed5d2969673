#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check the changes since a commit, in about two minutes.

    make quick [SINCE=COMMIT]   default: HEAD (uncommitted changes)

These checks run: the style of the changed files; the KUnit suites named after a changed
file; the programs of tests/guest named after a changed file, all in one guest; and the
Python tests of the changed files. At the end, the command lists the checks that did not
run. `make check` runs all checks.
"""

from __future__ import annotations

import argparse
import os
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
GUEST = programs.Guest("x86_64", "6.12")
# The sources of the modules and the suites.
KERNEL = (
    *("core/", "pmu/", "unwind/", "formats/"),
    *("sdk/include/", "examples/format_", "Kbuild"),
)
SUITES = "tests/kunit/"
# The sources of guest programs and of their shared code.
PROGRAMS = "tests/guest/"
NAMED = re.compile(
    r"(?:core|unwind|tests/guest/(?:interface|formats|stress))/(\w+)\.[ch]"
)
FORMAT = re.compile(r"formats/(\w+)/")
# The programs to run if no program is named after a changed file.
USUAL = ("overflow", "restart", "histogram")
# This test checks that the mutants (deliberate faults that tests must find) still apply
# to the sources.
MUTANTS = "tests/style/test_mutants.py"
# Folders of sources, and the files or folders with their Python tests.
TESTED = {
    "parsers/pfmparse": "tests/parsers",
    "tools/pfmon": "tests/tools",
    "tools": "tests/tools",
    "lib": "tests/lib",
    "scripts": "tests/scripts",
    "docs": "tests/style",
    # Sources that mutants change.
    **dict.fromkeys(("core", "unwind", "formats"), MUTANTS),
    **dict.fromkeys(("sdk/include", "tests/mutants"), MUTANTS),
}
# Python tests that need no virtual machine.
LIGHT = ("tests/parsers", "tests/tools", "tests/lib", "tests/scripts", "tests/style")
NEED_TOOLS = ("tests/tools", "tests/lib", "tests/scripts")
# Changes that need the repetitions of `make check-all`.
THOROUGH = re.compile(
    r"(core|pmu|debian)/|tests/guest/(nmi|pmu_nmi|stress|fuzz)/|scripts/vm/"
)
SUITE = re.compile(r'struct kunit_suite \w+ = \{[^}]*\.name = "(\w+)"')


def changed(since: str) -> list[str]:
    """Return the files that differ from a commit, including removed files."""
    differ = ["git", "diff", "--name-only", "--no-renames", "-z", since, "--"]
    new = ["git", "ls-files", "-z", "--others", "--exclude-standard"]
    names = {
        name
        for command in (differ, new)
        for name in subprocess.check_output(command, cwd=ROOT, text=True).split("\0")
    }
    return sorted(filter(None, names))


def advice(files: Iterable[str]) -> str | None:
    """Return a message about changes that need `make check-all`, or None."""
    named = sorted({found[0] for found in map(THOROUGH.match, files) if found})
    return f"run make check-all before this lands: {' '.join(named)}" if named else None


def names_of_tests(name: str) -> set[str]:
    """Return the possible names of a file's suites and guest programs."""
    found = (pattern.match(name) for pattern in (NAMED, FORMAT))
    return {match[1] for match in found if match}


def suites(files: Iterable[str]) -> str | None:
    """Return a pattern that matches the suites of these files, or None."""
    chosen = [name for name in files if name.startswith((*KERNEL, SUITES))]
    if not chosen:
        return None
    paths = {ROOT / name for name in chosen if name.endswith("_kunit.c")}
    for name in chosen:
        for stem in names_of_tests(name):
            paths.add(ROOT / SUITES / f"{stem}_kunit.c")
    found = [
        match[1]
        for path in paths
        if path.is_file()
        for match in SUITE.finditer(path.read_text())
    ]
    shared = [n for n in chosen if not n.endswith("_kunit.c") and not names_of_tests(n)]
    return "*" if shared else f"{os.path.commonprefix(found)}*"


def guest_programs(files: Iterable[str]) -> list[str]:
    """Return the guest programs for these files, in the order in which they run."""
    chosen = [name for name in files if name.startswith((*KERNEL, PROGRAMS))]
    named = {stem for name in chosen for stem in names_of_tests(name)}
    found = [name for name in programs.usual(GUEST) if name in named]
    return found or (list(USUAL) if chosen else [])


def python_tests(files: Iterable[str]) -> list[str]:
    """Return the files and folders with the Python tests of these files."""
    found = {test for name in files for test in _tests_of(PurePath(name))}
    return sorted(str(path) for path in found if not found & set(path.parents))


def _tests_of(path: PurePath) -> Iterator[PurePath]:
    """Yield a file's tests: those named after it, or the nearest test folder."""
    for folder in map(PurePath, LIGHT):
        if folder in path.parents:
            is_test = path.name.startswith("test_") and (ROOT / path).exists()
            yield path if is_test else folder
    for parent in path.parents:
        if str(parent) in TESTED:
            inside = TESTED[str(parent)] / path.parent.relative_to(parent)
            named = PurePath(TESTED[str(parent)]) / f"test_{path.stem}.py"
            candidates = (inside / named.name, named, inside, *inside.parents)
            yield next(each for each in candidates if (ROOT / each).exists())
            return


def steps(files: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the steps to run, each as a title and a command."""
    there = [name for name in files if (ROOT / name).is_file()]
    if there:
        yield "style", ["tests/style/run", *there]
    tests = python_tests(files)
    if any(name.startswith(NEED_TOOLS) for name in tests):
        yield "build", ["make", "-s", "user"]
    if tests:
        yield "tests in Python", [*PYTEST, *tests]
    pattern = suites(files)
    if pattern:
        yield "suites", ["tests/kunit/run", "--", pattern]
    names = guest_programs(files)
    if names:
        yield "modules", ["make", "-s", f"test-modules-{GUEST}", "guest-x86_64"]
        yield "guest", _guest(names)


def _guest(names: Sequence[str]) -> list[str]:
    """Return the command that runs programs in a guest."""
    parallel = any(name in programs.TWO_CPUS for name in names)
    lines = [f"{name} || failed=1" for name in names]
    option = "--parallel" if parallel else "--icount"
    script = "; ".join([*(["keep_events"] if parallel else []), *lines])
    run = ["scripts/vm/run", option, f"--kernel={GUEST.series}", "--", "sh", "-c"]
    return [*run, f"{script}; exit ${{failed:-0}}"]


def _run(title: str, command: list[str]) -> bool:
    print(f"== {title}: {shlex.join(command)}", flush=True)
    start = time.monotonic()
    status = subprocess.run(command, cwd=ROOT, check=False).returncode
    end = "ok" if status == 0 else f"FAILED with {status}"
    print(f"== {title}: {end}, {time.monotonic() - start:.0f} s", flush=True)
    return status == 0


def _left_out(files: Sequence[str], ran: Sequence[str]) -> Iterator[str]:
    """Yield the checks that did not run."""
    for name in files:
        if [title for title, _ in steps([name])] in ([], ["style"]):
            yield f"everything but the style of {name}"
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
    """Run the requested checks; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="make quick",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--since", default="HEAD", metavar="COMMIT")
    parser.add_argument(
        "--advice", action="store_true", help="only print whether check-all is needed"
    )
    arguments = parser.parse_args()
    try:
        files = changed(arguments.since)
    except subprocess.CalledProcessError as error:
        # Git has already printed an error, for example that HEAD does not exist yet.
        return 0 if arguments.advice else error.returncode
    advised = advice(files)
    if arguments.advice:
        print(advised or "", end="\n" if advised else "")
        return 0
    if not files:
        print(f"nothing has changed since {arguments.since}; try SINCE=HEAD~1")
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
        else "all of these passed; make check runs the rest"
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
