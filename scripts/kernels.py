#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""The kernels of the tests: Debian's, from several releases.

If headers of a kernel are installed, that version of the kernel is used; otherwise the
newest version that the kernel's Debian release offers. Missing headers and all kernel
images are fetched into the cache and never installed. Modules for a kernel of another
release are built in a root file system of that release, with its compiler. Two more
kernels, "debug" and "debug-rt", are built from source. As a command:

    kernels.py [--arch ARCH] [--kernel KERNEL] kdir|image|release|modules
    kernels.py [--arch ARCH] [--kernel KERNEL] make ARGUMENT...

kdir     print the directory to build modules against (KDIR=)
image    print the kernel image to boot
release  print what `uname -r` prints in that kernel
modules  print the directory lib/modules/RELEASE with the image's own modules
make     run make in kdir, with the root file system and compiler for the modules
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import cache
import debian
import debug_kernel
import kernel_source
import packages
import roots

HEADERS = Path("/usr/src")
PREFIX = "linux-headers-"


@dataclass(frozen=True)
class Series:
    """The versions of one of Debian's kernel packages.

    release: Debian's release. version: prefix of the kernels' versions; "" selects the
    newest kernel. flavour: Debian's configuration, such as "cloud".
    """

    release: str
    version: str
    archs: tuple[str, ...] = ("x86_64",)
    flavour: str = "cloud"

    def suffix(self, arch: str) -> str:
        """Return the last part of the kernels' `uname -r`."""
        return f"-{self.flavour}-{DEBIAN_ARCH[arch]}"


KERNELS = {
    "6.1": Series("bookworm", "6.1.", ("x86_64", "arm64")),
    "6.12": Series("bookworm", "6.12.", ("x86_64", "arm64")),
    "6.12-deb13": Series("trixie", "6.12."),
    "7.3": Series("trixie-backports", "7.3."),
    "6.12-rt": Series("bookworm", "6.12.", flavour="rt"),
}
# The kernels of `make check-newest`.
NEWEST = {
    "backports": Series("trixie-backports", ""),
    "sid": Series("sid", ""),
}
# A kernel for which the build of the modules must fail; tests check that.
REFUSED = {"6.1-rt": Series("bookworm", "6.1.", flavour="rt")}
SUPPORTED = {
    arch: tuple(name for name, series in KERNELS.items() if arch in series.archs)
    for arch in ("x86_64", "arm64")
}
_ALL = KERNELS | NEWEST | REFUSED
# The kernels that are built from source, for x86_64 only.
DEBUG, DEBUG_RT = debug_kernel.CONFIGS
DEBIAN_ARCH = {"x86_64": "amd64", "arm64": "arm64"}
# The last part of the name of each flavour's common headers.
COMMON = {"cloud": "common", "rt": "common-rt"}
# From this version on, the image and its modules are in separate packages.
SPLIT = [6, 19]
# Packages for building modules in a root file system. For arm64, a cross compiler is
# added.
BUILD_PACKAGES = ("build-essential", "libelf-dev")
CROSS = "aarch64-linux-gnu"
GCC = {"bookworm": "gcc-12", "trixie": "gcc-14"}


class KernelError(Exception):
    """The requested kernel is not available; the message says what to do."""


# All exceptions that the functions of this module raise.
ERRORS = (
    KernelError,
    debug_kernel.BuildError,
    kernel_source.SourceError,
    *roots.ERRORS,
)


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    series: the kernel's name, as in KERNELS. release: `uname -r`. version: the version
    of the packages. debian: Debian's release. installed: whether the kernel's headers
    are installed.
    """

    arch: str
    series: str
    release: str
    version: str
    debian: str
    installed: bool = False

    @property
    def native(self) -> bool:
        """Whether the modules are built on the host itself."""
        return debian.base(self.debian) == debian.host()

    def offer(self, arch: str) -> packages.Offer:
        """Return where this kernel's packages of an architecture come from."""
        own = self.debian == debian.host()
        return packages.Offer(arch, "" if own else self.debian)


def is_debug(name: str) -> bool:
    """Tell whether a kernel is built from source to detect faults."""
    return name in debug_kernel.CONFIGS


def resolve(arch: str, name: str) -> Kernel:
    """Return the kernel of this name.

    Raises KernelError if no such kernel is available. For a debug kernel, raises what
    debug_kernel.tree() raises.
    """
    if arch == "x86_64" and is_debug(name):
        return Kernel(arch, name, debug_kernel.release(name), "", debian.host())
    if arch not in SUPPORTED:
        known = ", ".join(SUPPORTED)
        raise KernelError(f"unknown architecture '{arch}'; choose one of: {known}")
    series = _ALL.get(name)
    if series is None or arch not in series.archs:
        known = ", ".join(SUPPORTED[arch])
        raise KernelError(f"no kernel '{name}' for {arch}; choose one of: {known}")
    return (
        _installed(arch, name, series)
        or _offered(arch, name, series)
        or _cached(arch, name, series)
    )


def kdir(kernel: Kernel) -> Path:
    """Return the directory that modules of this kernel are built against.

    Raises packages.PackageError if the headers cannot be fetched.
    """
    if is_debug(kernel.series):
        return debug_kernel.kdir(kernel.series)
    name = f"{PREFIX}{kernel.release}"
    if kernel.installed and kernel.arch == "x86_64":
        return HEADERS / name
    arch = DEBIAN_ARCH[kernel.arch]
    ours = kernel.offer(packages.native())
    series = _ALL[kernel.series]
    base = kernel.release.removesuffix(series.suffix(kernel.arch))
    parts = [
        (name, kernel.offer(arch), kernel.version),
        (f"{PREFIX}{base}-{COMMON[series.flavour]}", ours, kernel.version),
    ]

    def finish(tree: Path) -> None:
        headers = tree / "usr/src" / name
        kbuild = (headers / "scripts").readlink().parent.name
        packages.extract(tree, kbuild, ours, kernel.version)
        _make_relative(headers / "Makefile")

    tree = packages.combined(_headers(kernel.release, kernel.version), parts, finish)
    return tree / "usr/src" / name


def image(kernel: Kernel) -> Path:
    """Return the path of the kernel image.

    Raises packages.PackageError if it cannot be fetched.
    """
    if is_debug(kernel.series):
        return debug_kernel.image(kernel.series)
    tree = _image_tree(kernel)
    if _is_split(kernel):
        return tree / "usr/lib/modules" / kernel.release / "vmlinuz"
    return tree / "boot" / f"vmlinuz-{kernel.release}"


def modules(kernel: Kernel) -> Path:
    """Return the kernel's own directory lib/modules/RELEASE.

    Raises packages.PackageError if it cannot be fetched.
    """
    if is_debug(kernel.series):
        return debug_kernel.modules(kernel.series)
    return _modules_top(_image_tree(kernel)) / "lib/modules" / kernel.release


def make(kernel: Kernel, arguments: list[str]) -> list[str]:
    """Return the command that runs make in kdir(kernel).

    Raises KernelError if the compiler is missing; also what kdir() and roots.root()
    raise.
    """
    command = ["make", "-C", str(kdir(kernel)), *_cross(kernel), *arguments]
    if kernel.native:
        return command
    wanted = list(BUILD_PACKAGES)
    if kernel.arch == "arm64":
        wanted.append(f"{GCC[kernel.debian]}-{CROSS}")
    root = roots.root(debian.base(kernel.debian), wanted)
    return roots.exec_arguments(root, command)[1]


def depmod(tree: Path, release: str) -> None:
    """Write modules.dep, modules.alias, ... for the modules below tree/lib/modules.

    Raises KernelError if depmod is missing or fails.
    """
    program = shutil.which("depmod", path="/usr/sbin:/sbin:/usr/bin:/bin")
    if program is None:
        raise KernelError("depmod is missing: run 'apt-get install kmod'")
    done = subprocess.run(
        [program, "-b", str(tree), release], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise KernelError(f"depmod failed: {done.stderr.strip()}")


def _cross(kernel: Kernel) -> list[str]:
    """Return the make variables that select the cross compiler."""
    if kernel.arch != "arm64":
        return []
    gcc = GCC[kernel.debian]
    compiler = f"{CROSS}-{gcc}"
    if kernel.native and shutil.which(compiler) is None:
        raise KernelError(f"{compiler} is missing: run 'apt-get install {gcc}-{CROSS}'")
    return ["ARCH=arm64", f"CROSS_COMPILE={CROSS}-", f"CC={compiler}"]


def _installed(arch: str, name: str, series: Series) -> Kernel | None:
    """Return the kernel of the newest installed headers, or None.

    For arm64, the installed x86_64 headers decide, because the versions are the same.
    """
    if debian.host() != debian.base(series.release) or not series.version:
        return None
    suffix = series.suffix("x86_64")
    found = HEADERS.glob(f"{PREFIX}{series.version}*{suffix}")
    for path in sorted(found, key=lambda path: _version_key(path.name), reverse=True):
        version = packages.installed_version(path.name)
        if version is not None:
            base = path.name.removeprefix(PREFIX).removesuffix(suffix)
            release = base + series.suffix(arch)
            return Kernel(arch, name, release, version, series.release, True)
    return None


def _offered(arch: str, name: str, series: Series) -> Kernel | None:
    """Return the newest kernel that its Debian release offers, or None."""
    offer = Kernel(arch, name, "", "", series.release).offer(DEBIAN_ARCH[arch])
    known = packages.names(offer, PREFIX + series.version)
    releases = [name.removeprefix(PREFIX) for name in known]
    # Skip the metapackages, which depend on the newest kernel of a series.
    full = re.compile(rf"\d+\.\d+\.\d+[^-]*(-\d+)?{series.suffix(arch)}")
    newest = max(filter(full.fullmatch, releases), key=_version_key, default=None)
    if newest is None:
        return None
    package = PREFIX + newest
    version = packages.offered(offer, [package])[package]
    return Kernel(arch, name, newest, version, series.release)


def _cached(arch: str, name: str, series: Series) -> Kernel:
    """Return the newest kernel whose headers are in the cache.

    Raises KernelError if the cache has no such headers.
    """
    found = _headers(f"{series.version}*{series.suffix(arch)}", "*")
    entries = found.parent.glob(found.name) if series.version else ()
    newest = max((entry.name for entry in entries), key=_version_key, default=None)
    if newest is None:
        raise KernelError(
            f"{series.release} offers no kernel {series.version}* for {arch}, or its "
            "package lists cannot be fetched; check the network and apt's sources"
        )
    release, version = newest.split("_")
    return Kernel(arch, name, release, version.replace("%3a", ":"), series.release)


def _headers(release: str, version: str) -> Path:
    """Return the path of a kernel's unpacked headers in the cache."""
    return cache.root() / "headers" / f"{release}_{version.replace(':', '%3a')}"


def _make_relative(makefile: Path) -> None:
    """Make a Makefile of unpacked headers find the common headers beside it."""
    text = makefile.read_text()
    here = "$(dir $(realpath $(lastword $(MAKEFILE_LIST)))).."
    text = text.replace(str(HEADERS), "$(headers)")
    makefile.write_text(f"headers := {here}\n{text}")


def _version_key(name: str) -> list[int]:
    """Return the numbers in a kernel's version, without those in its flavour."""
    version = re.split(r"-(?:cloud|rt)-", name)[0]
    return [int(number) for number in re.findall(r"\d+", version)]


def _image_tree(kernel: Kernel) -> Path:
    """Return the directory with the kernel's image and its modules."""
    offer = kernel.offer(DEBIAN_ARCH[kernel.arch])

    def finish(tree: Path) -> None:
        if _is_split(kernel):
            name = f"linux-modules-{kernel.release}"
            packages.extract(tree, name, offer, kernel.version)
        depmod(_modules_top(tree), kernel.release)

    what = "binary" if _is_split(kernel) else "image"
    name = f"linux-{what}-{kernel.release}"
    return packages.unpacked(name, offer, kernel.version, finish)


def _is_split(kernel: Kernel) -> bool:
    return _version_key(kernel.release)[:2] >= SPLIT


def _modules_top(tree: Path) -> Path:
    """Return the directory that contains lib/modules."""
    return tree if (tree / "lib/modules").is_dir() else tree / "usr"


def main() -> int:
    """Run the requested action; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ", ".join((*_ALL, *debug_kernel.CONFIGS))
    parser.add_argument("--arch", default="x86_64", help="x86_64 or arm64")
    parser.add_argument("--kernel", default="6.1", help=names)
    what = ["kdir", "image", "release", "modules", "make"]
    parser.add_argument("what", choices=what)
    parser.add_argument("arguments", nargs="...", help="arguments of make")
    arguments = parser.parse_args()
    try:
        kernel = resolve(arguments.arch, arguments.kernel)
        if arguments.what == "make":
            command = make(kernel, arguments.arguments)
            os.execvp(command[0], command)
        printed = {"kdir": kdir, "image": image, "modules": modules}
        print(printed.get(arguments.what, lambda kernel: kernel.release)(kernel))
    except ERRORS as error:
        print(f"kernels.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
