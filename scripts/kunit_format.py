#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the KUnit suites of a format outside the tree.

All *_kunit.c in the format's folder are built into a User Mode Linux kernel, with the
core, the simulated PMU and the modules that the folder's Makefile names, and run with
KASAN, UBSAN and lockdep. The kernel is built from Debian's source in the cache
(~/.cache/perfmon): some minutes the first time, then only what has changed. Nothing is
written into the folder.

The last line is "N passed, N failed, N skipped". The exit status is 0 if tests were
executed, none failed or crashed, and the kernel found nothing wrong on the way; 1 if
not; 2 if they cannot be built here at all.
"""

from __future__ import annotations

import argparse
import re
import signal
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE / "vm")]

import command_line  # noqa: E402
import format_folder  # noqa: E402
import kunit  # noqa: E402

ROOT = HERE.parent
# One for all formats: what differs is built again.
WORKSPACE = "formats"
FORMAT = "format"
# Directories of drivers/perfmon, in the order of their init: what they have of ours.
OURS = {"core": "core", "sim": "pmu/sim"}
HEADERS = "include/perfmon"
# Of drivers/perfmon.
MAKEFILE = """\
subdir-ccflags-y := -I$(srctree)/drivers/perfmon/include
obj-$(CONFIG_PERFMON_KUNIT) += {}
"""
# Of a directory of it: its modules are built in.
DIRECTORY = """\
ccflags-y := {flags}
include $(src)/{kbuild}
obj-y := $(obj-m) {suites}
obj-m :=
"""
KBUILD = "modules.mk"
# What the compiler and KUnit call the folder's copy.
COPY = re.compile(rf"[^\s:]*drivers/perfmon/{FORMAT}/")


class NoSuite(Exception):
    """There is nothing to run; the text says how there would be."""


def _built_in(
    files: dict[Path, bytes], suites: list[str], flags: str = ""
) -> dict[Path, bytes]:
    """Return the files of a directory whose modules are built in."""
    kbuild = files[Path("Kbuild")]
    names = " ".join(suites)
    makefile = DIRECTORY.format(kbuild=KBUILD, suites=names, flags=flags)
    rest = {path: text for path, text in files.items() if path != Path("Kbuild")}
    return {**rest, Path(KBUILD): kbuild, Path("Makefile"): makefile.encode()}


def _run(folder: Path, extra: list[str]) -> int:
    files = format_folder.sources(folder)
    suites = format_folder.suites(files)
    if not suites:
        raise NoSuite(
            f"{folder} has no suite: a file *{format_folder.SUITE} that includes "
            "<perfmon/perfmon_fmt_kunit.h>"
        )
    version = (ROOT / "VERSION").read_text().strip()
    flags = f"-DPFM_PROJECT_VERSION='\"{version}\"'"
    parts = {
        name: _built_in(format_folder.sources(ROOT / where), [], flags)
        for name, where in OURS.items()
    }
    parts[FORMAT] = _built_in(files, suites)
    headers = sorted((ROOT / "sdk" / HEADERS).glob("*.h"))

    def populate(drivers: Path) -> None:
        kunit.update(drivers / HEADERS, {Path(h.name): h.read_bytes() for h in headers})
        for name, content in parts.items():
            kunit.update(drivers / name, content)

    def show(line: str) -> str:
        return COPY.sub(lambda _: f"{folder}/", line)

    makefile = MAKEFILE.format(" ".join(f"{name}/" for name in parts))
    return kunit.run(WORKSPACE, makefile, populate, extra, show)


def main() -> int:
    """Run the suites; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="make kunit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="where the format's Makefile is")
    parser.add_argument(
        "extra",
        nargs="*",
        metavar="ARGUMENT",
        help="arguments of kunit.py run, for instance a glob of suites",
    )
    arguments = parser.parse_args()
    command_line.exit_on(signal.SIGTERM, signal.SIGINT)
    try:
        return _run(arguments.folder.resolve(), arguments.extra)
    except (format_folder.FolderError, NoSuite, *kunit.ERRORS) as error:
        print(f"make kunit: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
