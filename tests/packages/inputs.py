# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the inputs of the package tests, and record the inputs with which they passed.

The inputs are the sources of the packages, these tests, and the versions of the
machines' packages. Only lintian's test depends on the complete sources. The tests on
machines check how the packages are built, installed, used and removed, also by users
with Debian's default permissions. They depend on the modules' file names and includes,
but not on other code of the modules, which `make vm` tests.
"""

from __future__ import annotations

import re
from pathlib import Path

import bare_machines
import packages
import passed
from boot import ROOT

# Tests and helpers that the package tests depend on. The packages contain no other
# tests.
TESTS = (
    *("tests/packages/", "tests/vm/boot.py", "tests/vm/programs.py"),
    *("tests/style/pages.py", "tests/conftest.py", "tests/checks/passed.py"),
)
# Packages that the machines install during the tests, and the package whose program
# runs the machines.
INSTALLED = (
    *("dkms", "gcc", "debhelper", "lintian", "python3-numpy"),
    *("linux-headers-cloud-amd64", "linux-image-cloud-amd64"),
)
EMULATOR = "qemu-system-x86"
# The modules' code, and the lines in it that name other files.
MODULES = r"(core|pmu|unwind|formats)/.*\.[ch]"
NAMING = re.compile(rb"^\s*#\s*include\b.*", re.MULTILINE)
# Pages that no test reads.
PAGES = r".*\.\d|CHANGELOG\.md|docs/(?!install\.md$|tutorial\.md$).*"
# Files of which the tests use only the NAMING lines. LINTIAN uses the complete files.
NAMED = re.compile(f"{MODULES}|{PAGES}")
LINTIAN = "test_lintian_accepts_built_packages"


def named_by(test: str) -> re.Pattern[str]:
    """Return a pattern of the files of which a test uses only the NAMING lines."""
    return re.compile("(?!)") if test == LINTIAN else NAMED


def relevant(name: str, content: bytes, named: re.Pattern[str]) -> bytes:
    """Return the part of a file that tests depend on."""
    if named.fullmatch(name):
        return b"\n".join(NAMING.findall(content))
    return content


def machines() -> str:
    """Return the versions of the machines' packages. Raises one of roots.ERRORS."""
    found = [str(packages.installed_version(EMULATOR))]
    for release, source in bare_machines.SOURCES.items():
        offer = packages.Offer(packages.native(), source)
        offered = packages.offered(offer, list(INSTALLED))
        found.append(f"{bare_machines.root(release).name}{offered}")
    return "\0".join(found)


def record(on: str, named: re.Pattern[str]) -> Path:
    """Return the file that exists if the tests passed with the present inputs.

    on: the versions of the machines' packages, as machines() returns them.
    """

    def content(name: str) -> bytes:
        return relevant(name, (ROOT / name).read_bytes(), named)

    on = f"{named.pattern}\0{on}"
    return passed.record("packages", on, ("tests/",), TESTS, content)
