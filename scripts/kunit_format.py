#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the KUnit suites of an out-of-tree format.

All files *_kunit.c in the format's directory are built into a User Mode Linux kernel,
together with the core, the simulated PMU and the modules named in the directory's
Makefile. The suites run with KASAN, UBSAN and lockdep. The kernel is built from
Debian's source in the cache (~/.cache/perfmon). This takes some minutes the first time;
later runs build only what has changed. Nothing is written to the format's directory.

The last line is "N passed, N failed, N skipped". The exit status is 0 if tests ran, all
of them passed, and the kernel reported no error; otherwise it is 1, or 2 if the suites
cannot be built.
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
# The directory below drivers/perfmon, and the directory in it for the copied format.
# All formats use these names, so that only changed files are built again.
FOLDER = "formats"
FORMAT = "format"
# Directories in FOLDER, and the sources that are copied into them, in init order.
OURS = {"core": "core", "sim": "pmu/sim"}
HEADERS = Path("include/perfmon")
MAKEFILE = """\
subdir-ccflags-y := -I$(src)/include
obj-y := {}
"""
# The Makefile of each directory in FOLDER, which links the modules into the kernel.
DIRECTORY = """\
ccflags-y := {flags}
include $(src)/{kbuild}
obj-y := $(obj-m) {suites}
obj-m :=
"""
KBUILD = "modules.mk"
# The path of a copied file in messages of the compiler and of KUnit.
COPY = re.compile(rf"[^\s:]*drivers/perfmon/{FOLDER}/{FORMAT}/")


class NoSuite(Exception):
    """The directory has no suite; the message says how to add one."""


def _built_in(
    name: str, files: dict[Path, bytes], suites: list[str], flags: str = ""
) -> dict[Path, bytes]:
    """Return a directory's files, changed to build its modules into the kernel."""
    text = DIRECTORY.format(kbuild=KBUILD, suites=" ".join(suites), flags=flags)
    built = {
        **files,
        Path(KBUILD): files[Path("Kbuild")],
        Path("Makefile"): text.encode(),
    }
    del built[Path("Kbuild")]
    return {name / path: content for path, content in built.items()}


def _files(folder: Path) -> dict[Path, bytes]:
    """Return all files to build: the core, the simulated PMU and the format.

    Raises format_folder.FolderError or NoSuite.
    """
    files = format_folder.sources(folder)
    suites = format_folder.suites(files)
    if not suites:
        raise NoSuite(
            f"{folder} has no suite: add a file *{format_folder.SUITE} that includes "
            "<perfmon/perfmon_fmt_kunit.h>"
        )
    version = (ROOT / "VERSION").read_text().strip()
    flags = f"-DPFM_PROJECT_VERSION='\"{version}\"'"
    makefile = MAKEFILE.format(" ".join(f"{name}/" for name in (*OURS, FORMAT)))
    found = {Path("Makefile"): makefile.encode()}
    for header in (ROOT / "sdk" / HEADERS).glob("*.h"):
        found[HEADERS / header.name] = header.read_bytes()
    for name, where in OURS.items():
        found |= _built_in(name, format_folder.sources(ROOT / where), [], flags)
    return found | _built_in(FORMAT, files, suites)


def _run(folder: Path, extra: list[str]) -> int:
    def show(line: str) -> str:
        return COPY.sub(lambda _: f"{folder}/", line)

    return kunit.run(FOLDER, _files(folder), extra, show)


def main() -> int:
    """Run the suites; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="make kunit",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="folder with the format's Makefile")
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
