#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the parts of the build and the tests that cannot run on this machine.

    build_parts.py [PART...]      check these parts (default: all)
    build_parts.py --packages     print the packages that the parts need
    build_parts.py --conclude     print the parts that were left out

Each part is built, run or checked separately. Examples of parts are the modules for one
kernel, the VM for one kernel, and the programs for arm64. A part is left out if its
packages are missing or a download fails. The reason is printed and written to
build/left-out/PART; the part's tests are skipped with this reason. With REQUIRE_ALL=1
in the environment, leaving out a part is an error.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import bare_machines
import firmware
import host
import kernel_source
import kernels
import other_host
import packages
import roots
import sysroot

LEFT_OUT = Path(__file__).resolve().parents[1] / "build/left-out"
QEMU = {"x86_64": "qemu-system-x86", "arm64": "qemu-system-arm"}
DEBIAN = {"x86_64": "amd64", "arm64": "arm64"}
ERRORS = (*kernels.ERRORS, *roots.ERRORS, host.HostError)


@dataclass(frozen=True)
class Part:
    """A part that can be left out: its packages, and a function for its downloads.

    fetch raises one of ERRORS if a download fails.
    """

    packages: tuple[str, ...]
    fetch: Callable[[], object]


def parts() -> dict[str, Part]:
    """Return all parts by name. If make builds a part, its target has the same name."""
    gcc = host.gcc()
    cross = (f"gcc-{gcc}-aarch64-linux-gnu", "libc6-dev-arm64-cross")
    narrow = (f"gcc-{gcc}-multilib", "libc6-dev-i386")
    builders = ("flex", "bison", "libssl-dev")
    # Users other than root need this package to make root file systems.
    users = () if os.geteuid() == 0 else ("uidmap",)
    found = {
        "user-arm64": Part(cross, partial(sysroot.sysroot, "arm64")),
        "user-i386": Part(narrow, partial(sysroot.sysroot, "i386")),
        "kunit": Part((kernel_source.PACKAGE, *builders), _nothing),
        "checkpatch": Part((kernel_source.PACKAGE, "git"), _nothing),
        "sparse": Part(("sparse",), partial(_headers, "x86_64", host.newest())),
        "python-style": Part(("black", "isort", "flake8", "mypy", "git"), _nothing),
        "other-host": Part(("mmdebstrap", "git", *users), other_host.root),
        "secure-boot": Part(("mokutil", "openssl"), firmware.fetch),
        "debuggers": Part(("gdb", "strace"), _nothing),
        "man-pages": Part(("groff", "git"), _nothing),
        "api-docs": Part(("python3-sphinx", "git"), _nothing),
    }
    machine = ("mmdebstrap", "e2fsprogs", "git", QEMU["x86_64"])
    for release in bare_machines.SOURCES:
        found[f"packages-{release}"] = Part(
            machine, partial(bare_machines.root, release)
        )
    for name, kernel in (kernels.KERNELS | kernels.REFUSED).items():
        for arch in kernel.archs:
            compiler = cross if arch == "arm64" else ()
            found[f"modules-{arch}-{name}"] = Part(
                compiler, partial(_headers, arch, name)
            )
            found[f"vm-{arch}-{name}"] = Part(
                (QEMU[arch],), partial(_image, arch, name)
            )
    return found


def left_out(*names: str) -> str | None:
    """Return why one of these parts was left out, None if no part was."""
    for name in names:
        if (LEFT_OUT / name).exists():
            return f"{name} is left out: {(LEFT_OUT / name).read_text().rstrip()}"
    return None


def _nothing() -> None:
    pass


def _headers(arch: str, series: str) -> None:
    kernels.make(kernels.resolve(arch, series), [])


def _image(arch: str, series: str) -> None:
    kernel = kernels.resolve(arch, series)
    kernels.image(kernel)
    packages.unpacked_any("busybox-static", DEBIAN[arch])


def _obstacle(part: Part) -> str | None:
    """Return why a part must be left out, None if it can be built."""
    missing = [name for name in part.packages if not packages.installed_version(name)]
    if missing:
        return f"packages are missing: run 'apt-get install {' '.join(missing)}'"
    try:
        part.fetch()
    except ERRORS as error:
        return str(error)
    return None


def _look_at(names: Iterable[str]) -> bool:
    """Record which of these parts must be left out; return True if all can be built.

    Without names, look at all parts.
    """
    known = parts()
    LEFT_OUT.mkdir(parents=True, exist_ok=True)
    nothing = True
    for name in names or known:
        obstacle = _obstacle(known[name])
        if obstacle:
            (LEFT_OUT / name).write_text(f"{obstacle}\n")
            print(f"left out: {name}: {obstacle}", file=sys.stderr)
            nothing = False
        else:
            (LEFT_OUT / name).unlink(missing_ok=True)
    return nothing


def _conclude() -> None:
    for path in sorted(LEFT_OUT.glob("*")):
        print(f"left out: {path.name}: {path.read_text().rstrip()}")


def _print_packages() -> None:
    print(*sorted({name for part in parts().values() for name in part.packages}))


def main() -> int:
    """Run the requested action; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", metavar="PART")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--packages", action="store_true")
    modes.add_argument("--conclude", action="store_true")
    arguments = parser.parse_args()
    try:
        if arguments.packages:
            _print_packages()
        elif arguments.conclude:
            _conclude()
        elif not _look_at(arguments.parts) and os.environ.get("REQUIRE_ALL"):
            print("REQUIRE_ALL is set: no part may be left out", file=sys.stderr)
            return 1
    except host.HostError as error:
        print(f"build_parts.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
