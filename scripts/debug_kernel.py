# SPDX-License-Identifier: MIT OR GPL-2.0
"""The kernel of `make check-debug`: Debian's 6.12 source, configured to detect faults.

The kernel is built once, from debug.config, and stored in the cache with everything
that is needed to build modules for it. A change to the configuration, the source or the
compiler makes a new entry in the cache. Each build also deletes entries that were
unused for two weeks.
"""

from __future__ import annotations

import collections
import hashlib
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import cache
import cache_entries
import kernel_source

HERE = Path(__file__).resolve().parent
CONFIG = HERE / "debug.config"
ARCH = "ARCH=x86_64"
TARGETS = ("bzImage", "modules")
# Seconds between progress messages.
INTERVAL = 30
KEPT_LINES = 30
# Directories with programs that are needed to build modules.
TOOLS = ("scripts", "tools")
UNNEEDED = ("*.o", "*.a", "vmlinux*", ".vmlinux*", ".tmp_vmlinux*")


class BuildError(Exception):
    """The kernel could not be built; the text has the last lines of make's output."""


def tree() -> Path:
    """Return the directory of the built kernel.

    The directory contains build/, which is KDIR for modules, and lib/modules/RELEASE.
    Raises kernel_source.SourceError if the source is missing, or BuildError.
    """
    source = kernel_source.pristine()
    entry = cache.root() / "kernels" / f"{source.name}-debug-{_key(source)}"
    cache_entries.use(entry, [entry.name])
    if entry.is_dir():
        return entry
    with cache.locked("kernels"):
        if not entry.is_dir():
            with cache.filling(entry) as unfinished:
                _build(source, unfinished)
    cache_entries.prune(entry, shutil.rmtree)
    return entry


def kdir() -> Path:
    """Return the directory to build modules against."""
    return tree() / "build"


def image() -> Path:
    """Return the kernel image."""
    return kdir() / "arch/x86/boot/bzImage"


def release() -> str:
    """Return what `uname -r` prints in this kernel."""
    return (kdir() / "include/config/kernel.release").read_text().strip()


def modules() -> Path:
    """Return lib/modules/RELEASE, which has no modules: all drivers are built in."""
    return tree() / "lib/modules" / release()


def _key(source: Path) -> str:
    """Return the digest of everything that the built kernel depends on.

    This includes the source's path, because the build contains it.
    """
    compiler = subprocess.run(
        ["gcc", "--version"], stdout=subprocess.PIPE, check=True
    ).stdout
    words = " ".join((str(source), *TARGETS, *UNNEEDED)).encode()
    content = b"\0".join((CONFIG.read_bytes(), compiler, words))
    return hashlib.sha256(content).hexdigest()[:16]


def _build(source: Path, target: Path) -> None:
    build = target / "build"
    build.mkdir()
    make = ["make", "-C", str(source), f"O={build}", ARCH]
    _run([*make, f"KCONFIG_ALLCONFIG={CONFIG}", "allnoconfig"])
    _check_config(build / ".config")
    _run([*make, f"-j{os.cpu_count()}", *TARGETS])
    _run([*make, f"INSTALL_MOD_PATH={target}", "modules_install"])
    for path in _unneeded(build):
        path.unlink()


def _check_config(config: Path) -> None:
    """Raise BuildError if an option of debug.config did not take effect."""
    wanted = {
        line for line in CONFIG.read_text().splitlines() if line.startswith("CONFIG_")
    }
    missing = wanted.difference(config.read_text().splitlines())
    if missing:
        raise BuildError(
            f"these options of {CONFIG.name} have no effect: "
            + ", ".join(sorted(missing))
        )


def _unneeded(build: Path) -> Iterator[Path]:
    """Yield the files that building modules does not need."""
    for pattern in UNNEEDED:
        for path in list(build.rglob(pattern)):
            if path.relative_to(build).parts[0] not in TOOLS and path.is_file():
                yield path


def _run(command: list[str]) -> None:
    """Run make and print its progress from time to time. Raises BuildError."""
    last: collections.deque[str] = collections.deque(maxlen=KEPT_LINES)
    start = shown = time.monotonic()
    compiled = 0
    with subprocess.Popen(
        ["nice", *command],
        env=kernel_source.build_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            last.append(line)
            compiled += line.startswith("  CC ")
            now = time.monotonic()
            if now - shown >= INTERVAL:
                shown = now
                _say(
                    f"building the debug kernel: {now - start:.0f} s, {compiled} files"
                )
    if process.returncode != 0:
        raise BuildError("the debug kernel cannot be built:\n" + "".join(last))


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
