# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the guest's root file system: busybox, modules, programs and the command."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cpio
import kernels
import libraries
import packages
import supply

HERE = Path(__file__).resolve().parent

# The kernel's own modules that each guest needs; their dependencies are added.
DRIVERS = ("virtio_pci", "virtio_console")
# Modules for a guest with a disk.
DISK_DRIVERS = ("virtio_blk", "ext4")
# Modules for a guest that UEFI firmware boots, to access EFI variables.
FIRMWARE_DRIVERS = ("efivarfs",)
# Perfmon's modules, in loading order.
LOADED = ("perfmon.ko", "pfm_pmu_perf.ko", "pfm_fmt_default.ko")
# A module of perfmon that the modules of --format may use.
USED = "pfm_unwind.ko"
# The package of the guest's shell.
BUSYBOX = "busybox-static"
# The first line of the guest's /init. scripts/vm/init does not have this line, so that
# it cannot be run on a host by mistake.
INTERPRETER = b"#!/bin/busybox sh\n"
# The directory of formats in the directory of perfmon's other modules.
FORMATS = "formats"
DIRECTORIES = (
    *("proc", "sys", "dev", "run", "tmp", "out", "root"),
    *("bin", "sbin", "usr/bin", "usr/sbin"),
)
ACCOUNTS = {
    "/etc/passwd": b"root::0:0:root:/root:/bin/sh\nnobody::65534:65534::/:/bin/sh\n",
    "/etc/group": b"root::0:\nnogroup::65534:\n",
}


class ContentError(Exception):
    """A file for the guest is missing; the message says which one, and what to do."""


@dataclass(frozen=True)
class Content:
    """The content of a guest.

    own_modules: the kernel's own directory lib/modules/RELEASE.
    modules: perfmon's modules, None for a guest without them.
    load: whether the guest loads the core, the PMU and the default format.
    formats: modules of formats, which are loaded last.
    programs: programs to put into /perfmon/bin.
    search: directory that is searched first for the programs' libraries.
    libraries: directory with shared libraries for the guest, or None.
    added: pairs of host path and absolute guest path.
    command: argument vector to run.
    collect: whether the guest sends the files in its directory $OUT.
    disk: whether the command runs in the root file system on the guest's disk. There,
        it finds the files in `added` that are below /perfmon, but not `programs`.
    firmware: whether UEFI firmware boots the guest, which then has EFI variables.
    end_mark: bytes that the guest sends after the output and after the files.
    """

    kernel: kernels.Kernel
    own_modules: Path
    modules: supply.Modules | None
    load: bool
    formats: Sequence[Path]
    programs: Sequence[Path]
    search: Path | None
    libraries: Path | None
    added: Sequence[tuple[Path, str]]
    command: Sequence[str]
    collect: bool
    disk: bool
    firmware: bool
    end_mark: bytes


def write(content: Content, target: Path) -> None:
    """Write the archive of a guest's root file system to `target`.

    Raises ContentError, kernels.KernelError, packages.PackageError,
    libraries.LibraryError or OSError.
    """
    with open(target, "wb") as stream:
        archive = cpio.Archive(stream)
        _add_system(archive, content.kernel.arch)
        drivers, loaded = _add_modules(archive, content)
        _add_programs(archive, content)
        _add_command(archive, content, drivers, loaded)
        archive.finish()


def busybox(arch: str) -> Path:
    """Return the path of the guest's shell. Raises packages.PackageError."""
    debian = "arm64" if arch == "arm64" else "amd64"
    if debian == packages.native() and packages.installed_version(BUSYBOX):
        return Path("/bin/busybox")
    tree = packages.unpacked_any(BUSYBOX, debian)
    # busybox is in bin or, since Debian 13, in usr/bin.
    return next(tree.rglob("bin/busybox"))


def _add_system(archive: cpio.Archive, arch: str) -> None:
    for directory in DIRECTORIES:
        archive.add_directory(f"/{directory}")
    archive.add_character_device("/dev/console", 5, 1)
    archive.add_file("/bin/busybox", busybox(arch))
    for path, lines in ACCOUNTS.items():
        archive.add_bytes(path, lines)
    archive.add_bytes("/init", INTERPRETER + (HERE / "init").read_bytes(), 0o755)


def _add_modules(
    archive: cpio.Archive, content: Content
) -> tuple[list[str], list[str]]:
    """Add the modules and their indexes.

    Return the kernel's drivers to load, and the guest paths of perfmon's modules to
    load.
    """
    release = content.kernel.release
    extra = f"/lib/modules/{release}/extra"
    ours = dict(content.modules.files) if content.modules else {}
    loaded = _choose_loaded(ours, content) if content.load else []
    for source in content.formats:
        module = Path(FORMATS) / source.name
        ours[module] = source
        loaded.append(module)
    with tempfile.TemporaryDirectory(prefix="perfmon-modules.") as name:
        stage = Path(name) / "lib/modules" / release
        wanted = [*DRIVERS]
        wanted += DISK_DRIVERS if content.disk else ()
        wanted += FIRMWARE_DRIVERS if content.firmware else ()
        drivers = _stage_drivers(content.own_modules, wanted, stage)
        for module, source in ours.items():
            supply.copy_module(source, stage / "extra" / module)
        kernels.depmod(Path(name), release)
        for index in stage.glob("modules.*.bin"):
            index.unlink()
        archive.add_tree(f"/lib/modules/{release}", stage)
    return drivers, [f"{extra}/{module}" for module in loaded]


def _choose_loaded(ours: Iterable[Path], content: Content) -> list[Path]:
    by_name = {module.name: module for module in ours}
    missing = [name for name in LOADED if name not in by_name]
    if missing:
        where = content.modules.where if content.modules else "/lib/modules"
        raise ContentError(
            f"missing below {where}: {', '.join(missing)}. Build the "
            f"modules for {content.kernel.arch} {content.kernel.series}, give their "
            "directory with --modules-dir, or run with --no-modules"
        )
    used = [USED] if content.formats and USED in by_name else []
    return [by_name[name] for name in (*LOADED, *used)]


def _stage_drivers(source: Path, wanted: Sequence[str], stage: Path) -> list[str]:
    """Copy the drivers that the guest needs, and the lists that depmod reads.

    Return the drivers that are modules. The others must be built into the kernel; not
    all packages list built-in drivers, so this is not checked.
    """
    stage.mkdir(parents=True)
    for name in ("modules.builtin", "modules.order"):
        if (source / name).exists():
            shutil.copy(source / name, stage / name)
    with open(source / "modules.dep", encoding="ascii") as lines:
        pairs = (line.partition(":")[::2] for line in lines)
        needed = {_name(path): (path, *rest.split()) for path, rest in pairs}
    drivers = [name for name in wanted if name in needed]
    for relative in {path for name in drivers for path in needed[name]}:
        _stage(source / relative, stage / relative)
    return drivers


def _name(module: str) -> str:
    """Return the name of the module in a file, which may be compressed."""
    return Path(module).name.partition(".")[0]


def _stage(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def _add_programs(archive: cpio.Archive, content: Content) -> None:
    programs = [] if content.disk else content.programs
    for program in programs:
        archive.add_file(f"/perfmon/bin/{program.name}", program)
    for source, path in content.added:
        archive.add_tree(path, source)
    if content.kernel.arch == "x86_64" and not content.disk:
        search = content.libraries or content.search
        executables = [*programs, *_added_programs(content.added)]
        for path, source in libraries.needed(executables, search).items():
            archive.add_file(path, source)
    if content.libraries:
        archive.add_tree("/lib", content.libraries)


def _added_programs(added: Sequence[tuple[Path, str]]) -> Iterator[Path]:
    for source, _ in added:
        inside = source.rglob("*") if source.is_dir() else [source]
        yield from (path for path in inside if _is_executable(path))


def _is_executable(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def _add_command(
    archive: cpio.Archive,
    content: Content,
    drivers: Sequence[str],
    loaded: Sequence[str],
) -> None:
    quoted = " ".join(shlex.quote(argument) for argument in content.command)
    script = f"#!/bin/sh\nexec {quoted}\n"
    archive.add_bytes("/perfmon/command", os.fsencode(script), 0o755)
    setup = (
        f"DRIVERS={shlex.quote(' '.join(drivers))}\n"
        f"LOAD={shlex.quote(' '.join(loaded))}\n"
        f"COLLECT={int(content.collect)}\n"
        f"DISK={int(content.disk)}\n"
    )
    archive.add_bytes("/perfmon/setup", setup.encode())
    archive.add_bytes("/perfmon/end-mark", content.end_mark)
