# SPDX-License-Identifier: MIT OR GPL-2.0
"""The kernels of `make check-debug`: Debian's 6.12 source, configured to detect faults.

Each kernel is built once and stored in the cache with everything that is needed to
build modules for it. A change to the configuration, the source or the compiler makes a
new entry in the cache. Each build also deletes entries that were unused for two weeks.
"""

from __future__ import annotations

import collections
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import cache
import cache_entries
import kernel_source

HERE = Path(__file__).resolve().parent
DEBUG = HERE / "debug.config"
# The configuration files of each kernel. A second file overrides options of the first.
CONFIGS = {"debug": (DEBUG,), "debug-rt": (DEBUG, HERE / "debug-rt.config")}
OPTION = re.compile(r"^(?:# )?(CONFIG_\w+)(?:=.*| is not set)$", re.MULTILINE)
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


def tree(name: str) -> Path:
    """Return the directory of a kernel, `name` in CONFIGS; build it if necessary.

    The directory contains build/, which is KDIR for modules, and lib/modules/RELEASE.
    Raises kernel_source.SourceError if the source is missing, or BuildError.
    """
    source = kernel_source.pristine()
    entry = cache.root() / "kernels" / f"{source.name}-{name}-{_key(source, name)}"
    cache_entries.use(entry, [entry.name])
    if entry.is_dir():
        return entry
    with cache.locked("kernels"):
        if not entry.is_dir():
            with cache.filling(entry) as unfinished:
                _build(source, unfinished, name)
    cache_entries.prune(entry, shutil.rmtree)
    return entry


def kdir(name: str) -> Path:
    """Return the directory to build modules against."""
    return tree(name) / "build"


def image(name: str) -> Path:
    """Return the kernel image."""
    return kdir(name) / "arch/x86/boot/bzImage"


def release(name: str) -> str:
    """Return what `uname -r` prints in this kernel."""
    return (kdir(name) / "include/config/kernel.release").read_text().strip()


def modules(name: str) -> Path:
    """Return lib/modules/RELEASE, which has no modules: all drivers are built in."""
    return tree(name) / "lib/modules" / release(name)


def _key(source: Path, name: str) -> str:
    """Return the digest of everything that the built kernel depends on.

    This includes the source's path, because the build contains it.
    """
    compiler = subprocess.run(
        ["gcc", "--version"], stdout=subprocess.PIPE, check=True
    ).stdout
    words = " ".join((str(source), *TARGETS, *UNNEEDED)).encode()
    configs = (config.read_bytes() for config in CONFIGS[name])
    content = b"\0".join((*configs, compiler, words))
    return hashlib.sha256(content).hexdigest()[:16]


def _build(source: Path, target: Path, name: str) -> None:
    first, *changes = CONFIGS[name]
    build = target / "build"
    build.mkdir()
    make = ["make", "-C", str(source), f"O={build}", ARCH]
    _run([*make, f"KCONFIG_ALLCONFIG={first}", "allnoconfig"])
    if changes:
        _change(build / ".config", changes)
        _run([*make, "olddefconfig"])
    _check_config(build / ".config", CONFIGS[name])
    _run([*make, f"-j{os.cpu_count()}", *TARGETS])
    _run([*make, f"INSTALL_MOD_PATH={target}", "modules_install"])
    for path in _unneeded(build):
        path.unlink()


def _change(made: Path, changes: Sequence[Path]) -> None:
    """Append changes to a configuration. The last line that sets an option applies."""
    with made.open("a") as file:
        file.writelines(change.read_text() for change in changes)


def _check_config(made: Path, configs: Sequence[Path]) -> None:
    """Raise BuildError if an option of these files did not take effect."""
    wanted = {
        option[1]: option[0]
        for config in configs
        for option in OPTION.finditer(config.read_text())
    }
    missing = set(wanted.values()).difference(made.read_text().splitlines())
    if missing:
        names = ", ".join(config.name for config in configs)
        raise BuildError(
            f"these options of {names} have no effect: " + ", ".join(sorted(missing))
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
