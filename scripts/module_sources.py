# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build perfmon's modules from source, for kernels for which none are installed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import cache
import kernel_source
import kernels

TREE = Path(__file__).resolve().parents[1]
# The sources of the modules; the list must match KMOD_DIRS of the Makefile.
HEADERS = "sdk/include/perfmon"
PATHS = (
    *("Kbuild", "VERSION", "scripts/modules.mk", HEADERS),
    *("core", "pmu", "unwind", "formats"),
)
SYMVERS = "Module.symvers"
# Do not generate BTF, which needs the kernel's vmlinux: the packages with headers do
# not contain it.
NO_BTF = "CONFIG_DEBUG_INFO_BTF_MODULES="
# The directory of an installed kernel's headers.
KDIR = "/lib/modules/{}/build"


class BuildError(Exception):
    """Modules cannot be built; the message says why."""


def files() -> Iterator[Path]:
    """Yield the paths of the sources, relative to the tree."""
    for name in PATHS:
        path = TREE / name
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        yield from (file.relative_to(TREE) for file in found if file.is_file())


def built(kernel: kernels.Kernel) -> Path:
    """Return a directory with a kernel's modules and their Module.symvers.

    Raises BuildError, or what kernels.make() raises.
    """
    sources = list(files())
    digest = hashlib.sha256(b"\0".join((TREE / path).read_bytes() for path in sources))
    entry = cache.root() / "modules" / f"{kernel.release}-{digest.hexdigest()[:16]}"
    if not entry.is_dir():
        with cache.locked("modules"):
            if not entry.is_dir():
                with cache.filling(entry) as target, workspace() as work:
                    _copy(sources, work)
                    build(kernel, work, "perfmon's modules")
                    _keep(work, target)
    return entry


def workspace() -> tempfile.TemporaryDirectory[str]:
    """Return a temporary directory that is visible in root file systems, too."""
    return tempfile.TemporaryDirectory(prefix=".build.", dir=cache.root())


def build(kernel: kernels.Kernel, work: Path | str, what: str, *words: str) -> None:
    """Run kbuild in a directory, with `words` as further arguments.

    Raises BuildError, or what kernels.make() raises.
    """
    print(f"building {what} for {kernel.release}", file=sys.stderr, flush=True)
    arguments = ["-s", f"-j{os.cpu_count()}", f"M={work}", NO_BTF, *words, "modules"]
    done = subprocess.run(
        _make(kernel, arguments),
        # In a root file system, two concurrent makes would otherwise use the same pipe
        # in /tmp.
        env={**kernel_source.build_environment(), "TMPDIR": str(work)},
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        check=False,
    )
    if done.returncode != 0:
        raise BuildError(f"{what} cannot be built for {kernel.release}; see above")


def _make(kernel: kernels.Kernel, arguments: list[str]) -> list[str]:
    if kernel.series != kernel.release:
        return kernels.make(kernel, arguments)
    headers = KDIR.format(kernel.release)
    if not Path(headers).is_dir():
        raise BuildError(
            f"no module can be built for {kernel.release}, because its headers are "
            f"missing: run 'apt-get install linux-headers-{kernel.release}'"
        )
    return ["make", "-C", headers, *arguments]


def _copy(sources: list[Path], work: str) -> None:
    for path in sources:
        target = work / path
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(TREE / path, target)


def _keep(work: str, target: Path) -> None:
    for path in (*Path(work).rglob("*.ko"), Path(work) / SYMVERS):
        shutil.copyfile(path, target / path.name)
