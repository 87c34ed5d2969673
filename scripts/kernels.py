#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""The kernels of the tests: Debian's, of the version of the installed headers.

Modules are built against the headers packages; the matching kernel images are fetched
into the cache and never installed. One more kernel, "debug", is built from source.
Used as a command, one line is printed:

    kernels.py --arch ARCH --kernel SERIES {kdir|image|release|modules}

kdir     the directory to build modules against (KDIR=)
image    the kernel image to boot
release  what `uname -r` prints in that kernel
modules  the image's own modules, the directory lib/modules/RELEASE
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import debug_kernel
import kernel_source
import packages

HEADERS = Path("/usr/src")
KBUILD = Path("/usr/lib")
SUPPORTED = {"x86_64": ("6.1", "6.12"), "arm64": ("6.1",)}
# Built from source, for x86_64 only.
DEBUG = "debug"
METAPACKAGE = {
    "6.1": "linux-headers-cloud-amd64",
    "6.12": "linux-headers-6.12-cloud-amd64",
}


class KernelError(Exception):
    """The kernel asked for cannot be had; the text says what to do about it."""


# All that the functions of this module raise.
ERRORS = (
    KernelError,
    debug_kernel.BuildError,
    kernel_source.SourceError,
    packages.PackageError,
)


@dataclass(frozen=True)
class Kernel:
    """One kernel: architecture, series, `uname -r`, version of its packages."""

    arch: str
    series: str
    release: str
    version: str


def resolve(arch: str, series: str) -> Kernel:
    """Return the kernel that belongs to the installed headers.

    Raises KernelError if the combination is not supported or headers are missing;
    for the debug kernel, what debug_kernel.tree() raises.
    """
    if (arch, series) == ("x86_64", DEBUG):
        return Kernel(arch, series, debug_kernel.release(), "")
    if arch not in SUPPORTED:
        known = ", ".join(SUPPORTED)
        raise KernelError(f"unknown architecture {arch}; choose one of: {known}")
    if series not in SUPPORTED[arch]:
        known = ", ".join(SUPPORTED[arch])
        raise KernelError(f"no kernel {series} for {arch}; choose one of: {known}")
    if arch == "arm64":
        base, version = _installed_headers(series, "-common")
        return Kernel(arch, series, f"{base}-cloud-arm64", version)
    base, version = _installed_headers(series, "-cloud-amd64")
    return Kernel(arch, series, f"{base}-cloud-amd64", version)


def kdir(kernel: Kernel) -> Path:
    """Return the directory that modules of this kernel are built against.

    Raises packages.PackageError if the headers must be fetched and cannot be.
    """
    if kernel.series == DEBUG:
        return debug_kernel.kdir()
    name = f"linux-headers-{kernel.release}"
    if kernel.arch == "x86_64":
        return HEADERS / name
    tree = packages.unpacked(
        name, packages.Offer("arm64"), kernel.version, _link_kbuild
    )
    return tree / "usr/src" / name


def image(kernel: Kernel) -> Path:
    """Return the path of the kernel image.

    Raises packages.PackageError if it must be fetched and cannot be.
    """
    if kernel.series == DEBUG:
        return debug_kernel.image()
    return _image_tree(kernel) / "boot" / f"vmlinuz-{kernel.release}"


def modules(kernel: Kernel) -> Path:
    """Return the kernel's own directory lib/modules/RELEASE.

    Raises packages.PackageError if it must be fetched and cannot be.
    """
    if kernel.series == DEBUG:
        return debug_kernel.modules()
    return _image_tree(kernel) / "lib/modules" / kernel.release


def depmod(tree: Path, release: str) -> None:
    """Write modules.dep, modules.alias, ... for the modules below tree/lib/modules.

    Raises KernelError if depmod is missing or fails.
    """
    program = shutil.which("depmod", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if program is None:
        raise KernelError("depmod is missing; install it: apt-get install kmod")
    done = subprocess.run(
        [program, "-b", str(tree), release], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise KernelError(f"depmod failed: {done.stderr.strip()}")


def _installed_headers(series: str, flavour: str) -> tuple[str, str]:
    """Return (release without the flavour, package version) of the newest headers."""
    prefix = "linux-headers-"
    found = HEADERS.glob(f"{prefix}{series}.*{flavour}")
    for path in sorted(found, key=lambda path: _version_key(path.name), reverse=True):
        version = packages.installed_version(path.name)
        if version is not None:
            return path.name.removeprefix(prefix).removesuffix(flavour), version
    raise KernelError(
        f"the headers of kernel {series} are not installed; "
        f"install them: apt-get install {METAPACKAGE[series]}"
    )


def _version_key(name: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", name)]


def _image_tree(kernel: Kernel) -> Path:
    arch = "arm64" if kernel.arch == "arm64" else "amd64"

    def finish(tree: Path) -> None:
        depmod(tree, kernel.release)

    name = f"linux-image-{kernel.release}"
    return packages.unpacked(name, packages.Offer(arch), kernel.version, finish)


def _link_kbuild(tree: Path) -> None:
    """Let unpacked headers find the native build programs of the same series."""
    for headers in (tree / "usr/src").iterdir():
        name = (headers / "scripts").readlink().parent.name
        if not (KBUILD / name).is_dir():
            raise KernelError(f"{name} is missing; install it: apt-get install {name}")
        (tree / "usr/lib").mkdir(exist_ok=True)
        (tree / "usr/lib" / name).symlink_to(KBUILD / name)


def main() -> int:
    """Print what was asked for; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--arch", default="x86_64", help="x86_64 or arm64")
    parser.add_argument("--kernel", default="6.1", help="6.1, 6.12 or debug")
    parser.add_argument("what", choices=["kdir", "image", "release", "modules"])
    arguments = parser.parse_args()
    try:
        kernel = resolve(arguments.arch, arguments.kernel)
        if arguments.what == "kdir":
            print(kdir(kernel))
        elif arguments.what == "image":
            print(image(kernel))
        elif arguments.what == "modules":
            print(modules(kernel))
        else:
            print(kernel.release)
    except ERRORS as error:
        print(f"kernels.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
