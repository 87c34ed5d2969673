# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the files that a guest needs, in a checkout or an installed SDK.

A kernel is one of Debian's, given by its name in kernels.KERNELS, or an installed one,
given by its release (uname -r). Perfmon's modules for a kernel come from the checkout's
build directory or from an installation, or they are built from source.
"""

from __future__ import annotations

import lzma
import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import format_folder
import format_hints
import host
import kernels
import module_sources
import rootdisk

TREE = Path(__file__).resolve().parents[2]
MACHINE = Path("/")
ARCHS = {"x86_64": "x86_64", "aarch64": "arm64"}
# The directories to which DKMS and `make modules_install` install modules, below
# lib/modules/RELEASE.
INSTALLED = ("updates/dkms", "updates/perfmon")
COMPRESSED = ".xz"
OURS = re.compile(r"(perfmon|pfm_\w+)\.ko(\.xz)?")
# Where Module.symvers may be: from DKMS, from `make install`, and from `make modules
# KDIR=`.
SYMVERS = (
    "/var/lib/dkms/perfmon/kernel-{}-*/Module.symvers",
    f"{TREE.parent}/symvers/{{}}/Module.symvers",
    f"{TREE}/build/modules/{{}}/Module.symvers",
)
VERMAGIC = re.compile(rb"\0vermagic=(\S+) ")
ERRORS = (
    *kernels.ERRORS,
    host.HostError,
    format_folder.FolderError,
    module_sources.BuildError,
)


class SupplyError(Exception):
    """Something is missing; the message says what, and what to do."""


@dataclass(frozen=True)
class Modules:
    """Perfmon's modules for one kernel.

    files: host files, by path below the guest's directory of modules. where: the host
    directory with these files. symvers: the modules' Module.symvers, or None if it is
    missing.
    """

    files: Mapping[Path, Path]
    where: str
    symvers: Path | None


def is_checkout() -> bool:
    """Return whether this is the project's source tree."""
    return (TREE / "Makefile").is_file()


def kernel(arch: str, name: str | None) -> kernels.Kernel:
    """Return the kernel with this name or release.

    If `name` is None, return the running kernel if this is an installed SDK, the
    machine's architecture is `arch`, and the kernel's image is installed; otherwise
    return the default one of Debian's kernels.
    Raises SupplyError, or what kernels.resolve() raises.
    """
    native = ARCHS.get(platform.machine()) == arch
    if name is None:
        own = platform.release()
        if not is_checkout() and native and _is_installed(own):
            return _own(arch, own)
        return kernels.resolve(arch, _default(arch))
    if native and name in rootdisk.images(MACHINE):
        return _own(arch, name)
    try:
        return kernels.resolve(arch, name)
    except kernels.KernelError as error:
        here = ", ".join(sorted(rootdisk.images(MACHINE))) if native else ""
        more = f"; installed on this machine: {here}" if here else ""
        raise SupplyError(f"{error}{more}") from error


def image(chosen: kernels.Kernel) -> Path:
    """Return a kernel's image. Raises SupplyError or what kernels.image() raises."""
    if not _is_own(chosen):
        return kernels.image(chosen)
    path = rootdisk.image(MACHINE, chosen)
    if not os.access(path, os.R_OK):
        raise SupplyError(f"{path} is not readable; run this as root, or use --kernel")
    return path


def kernel_modules(chosen: kernels.Kernel) -> Path:
    """Return the kernel's own directory lib/modules/RELEASE."""
    if _is_own(chosen):
        return rootdisk.modules(MACHINE, chosen)
    return kernels.modules(chosen)


def modules(
    chosen: kernels.Kernel, directory: Path | None, needed: bool = True
) -> Modules:
    """Return perfmon's modules for a kernel, from `directory` if given.

    needed: whether to build the modules if they are not installed.
    Raises what module_sources.built() raises.
    """
    if directory is None and is_checkout() and not _is_own(chosen):
        directory = TREE / "build/kmod" / f"{chosen.arch}-{chosen.series}"
    if directory is None:
        found = _installed(chosen.release)
        if found or not needed:
            return found or Modules({}, "", None)
        directory = module_sources.built(chosen)
    files = {path.relative_to(directory): path for path in directory.rglob("*.ko")}
    symvers = directory / "Module.symvers"
    return Modules(files, str(directory), symvers if symvers.is_file() else None)


def copy_module(source: Path, target: Path) -> None:
    """Copy a module; decompress a compressed one, because insmod cannot do that."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix == COMPRESSED:
        with lzma.open(source) as stream:
            target.write_bytes(stream.read())
    else:
        shutil.copy(source, target)


def formats(
    paths: list[Path], chosen: kernels.Kernel, ours: Modules | None, work: Path
) -> Iterator[Path]:
    """Yield the modules of formats.

    Each path is a module, or a directory with sources, which are built in `work`.
    Raises SupplyError, format_folder.FolderError, or what module_sources.build()
    raises.
    """
    for number, path in enumerate(paths):
        if path.is_dir():
            yield from _built(path.resolve(), chosen, ours, work / str(number))
        else:
            _check(path, chosen)
            yield path


def programs(arch: str) -> tuple[list[Path], Path | None]:
    """Return the programs for every guest, and the directory of their libraries."""
    if is_checkout():
        built = TREE / "build" / arch
        return list(_executables(built)), built
    prefix = TREE.parents[2]
    pfmon = shutil.which("pfmon", path=f"{prefix}/bin:{os.environ.get('PATH', '')}")
    if pfmon is None or ARCHS.get(platform.machine()) != arch:
        return [], None
    return [Path(pfmon)], next(
        iter(prefix.glob("lib/*/libperfmon.so.0")), prefix
    ).parent


def _default(arch: str) -> str:
    """Return the name of the default kernel.

    If that kernel does not exist for `arch`, return the first one that does.
    """
    own = host.kernel() if is_checkout() else host.newest()
    return own if own in kernels.SUPPORTED[arch] else kernels.SUPPORTED[arch][0]


def _own(arch: str, release: str) -> kernels.Kernel:
    return kernels.Kernel(arch, release, release, "", "")


def _is_own(chosen: kernels.Kernel) -> bool:
    return chosen.series == chosen.release


def _is_installed(release: str) -> bool:
    return release in rootdisk.images(MACHINE)


def _installed(release: str) -> Modules | None:
    """Return the installed modules, from DKMS or `make modules_install`."""
    top = MACHINE / "lib/modules" / release
    for place in INSTALLED:
        found = {
            Path(path.name.removesuffix(".xz")): path
            for path in (top / place).rglob("*")
            if OURS.fullmatch(path.name)
        }
        if found:
            return Modules(found, str(top / place), _symvers(release))
    return None


def _symvers(release: str) -> Path | None:
    for pattern in SYMVERS:
        for path in MACHINE.glob(pattern.format(release).lstrip("/")):
            return path
    return None


def _built(
    folder: Path, chosen: kernels.Kernel, ours: Modules | None, work: Path
) -> Iterator[Path]:
    if ours is None or ours.symvers is None:
        where = ours.where if ours else "the guest"
        raise SupplyError(
            f"{folder} cannot be built: {where} has no Module.symvers; "
            "give a built module instead: --format my.ko"
        )
    sources = format_folder.sources(folder)
    for path, content in sources.items():
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_bytes(content)
    symbols = f"KBUILD_EXTRA_SYMBOLS={ours.symvers}"
    flags = f"KCFLAGS=-I{TREE}/sdk/include"
    try:
        module_sources.build(chosen, work, str(folder), symbols, flags)
    except module_sources.BuildError:
        for hint in format_hints.hints(sources):
            print(hint, file=sys.stderr)
        raise
    yield from sorted(work.rglob("*.ko"))


def _check(path: Path, chosen: kernels.Kernel) -> None:
    """Raise SupplyError if a file is not a module for this kernel."""
    try:
        found = VERMAGIC.search(path.read_bytes())
    except OSError as error:
        raise SupplyError(f"{path}: {error.strerror}") from error
    if found is None:
        raise SupplyError(f"{path} is not a kernel module")
    built_for = found[1].decode()
    if built_for != chosen.release:
        raise SupplyError(
            f"{path} was built for {built_for}, but the guest runs {chosen.release}: "
            "choose the kernel with --kernel, or let pfm-vm build the format: "
            f"--format {path.parent}"
        )


def _executables(built: Path) -> Iterator[Path]:
    """Yield the programs in a build directory, except those that run only on hosts.

    The content of a guest must not depend on which tests have been built.
    """
    tests = [*TREE.glob("tests/lib/*.c"), *TREE.glob("tests/tools/*.c")]
    on_hosts = {"option_docs", *(path.stem for path in tests)}
    for directory in (built, built / "tests"):
        if directory.is_dir():
            for path in sorted(directory.iterdir()):
                runs = path.is_file() and os.access(path, os.X_OK)
                library = ".so" in path.suffixes
                if runs and not library and path.name not in on_hosts:
                    yield path
