#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the modules of a tree of links, or copy them from the cache.

    module_cache.py --arch ARCH --kernel KERNEL TREE VARIABLE=...

TREE was made by scripts/link-tree and has links to all sources. The VARIABLEs are
passed to kbuild. The key of a cache entry depends on the sources, the kernel's headers,
the compiler and the variables. Therefore a second checkout of the same sources builds
nothing.

kbuild runs in a workspace in the cache, which all checkouts share. Only sources that
changed are copied into the workspace, so kbuild rebuilds only what depends on them.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import cache
import cache_entries
import kernels
import module_sources

CHECKOUT = Path(__file__).resolve().parents[1]
# Environment variables that change kbuild's results.
FLAGS = re.compile(r"KCFLAGS|KCPPFLAGS|KAFLAGS|KBUILD_\w+|W|C|CF|CHECK|CONFIG_\w+")
# Objects to store with the modules, because `make style` reads from them which files
# call each other.
OBJECTS = ("core/*.o", "pmu/*/*.o", "sdk/conform/kernel/*.o", "unwind/*.o")
# The file in TREE with the key of its built modules.
KEY = ".key"
# The directory of workspaces in the cache, and a workspace's file that lists its
# sources.
WORKSPACES, SOURCES = "modules-built", ".sources"


def _tools(kernel: kernels.Kernel, variables: list[str]) -> str:
    """Return a digest of all that affects the modules, except for the sources."""
    command = kernels.make(kernel, variables)
    compiler = [word for word in command if word.startswith("CC=")] or ["CC=gcc"]
    # If the command runs in a root file system, the command contains the path of that
    # file system. The path changes with the compiler, so the compiler's version need
    # not be added.
    words = [kernel.release, kernel.version, *command, *OBJECTS]
    programs = [compiler[0].removeprefix("CC=")] if kernel.native else []
    programs += ["sparse"] if any(word.startswith("C=") for word in variables) else []
    for program in programs:
        words.append(subprocess.check_output([program, "--version"], text=True))
    words += sorted(f"{n}={v}" for n, v in os.environ.items() if FLAGS.fullmatch(n))
    text = "\0".join(words).replace(str(CHECKOUT), "")
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _key(tools: str, sources: dict[Path, bytes]) -> str:
    """Return a digest of everything that affects the modules."""
    digest = hashlib.sha256(tools.encode())
    for name, content in sources.items():
        digest.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _sources(tree: Path) -> dict[Path, bytes]:
    """Return the sources, by path below the tree."""
    links = (path for path in sorted(tree.rglob("*")) if path.is_symlink())
    return {path.relative_to(tree): path.read_bytes() for path in links}


def _results(tree: Path) -> list[Path]:
    """Return the built files to store, as paths relative to the tree."""
    objects = [path for pattern in OBJECTS for path in tree.glob(pattern)]
    found = [*tree.rglob("*.ko"), *objects, tree / module_sources.SYMVERS]
    return [path.relative_to(tree) for path in found]


def _remove_modules(tree: Path) -> None:
    for path in tree.rglob("*.ko"):
        path.unlink()


def _copy(paths: list[Path], source: Path, target: Path) -> None:
    for path in paths:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, target / path)


def _fill(work: Path, sources: dict[Path, bytes]) -> None:
    """Make a workspace contain exactly these sources; write only changed files."""
    listed = work / SOURCES
    known = listed.read_text().splitlines() if listed.exists() else []
    listed.write_text("\n".join(sorted({*known, *map(str, sources)})))
    for name in {*map(Path, known)} - {*sources}:
        for path in (work / name, (work / name).with_suffix(".o")):
            path.unlink(missing_ok=True)
    for name, content in sources.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        cache.replace(work / name, content)


def _build(
    kernel: kernels.Kernel,
    work: Path,
    sources: dict[Path, bytes],
    variables: list[str],
    entry: Path,
) -> None:
    """Build the modules in a workspace, and copy them to a cache entry.

    Raises what module_sources.build() raises.
    """
    with cache.locked(f"{WORKSPACES}/{work.name}/build"):
        if entry.is_dir():
            return
        _fill(work, sources)
        _remove_modules(work)
        module_sources.build(kernel, work, "modules and test modules", *variables)
        with cache.filling(entry) as target:
            _copy(_results(work), work, target)
    cache_entries.prune(work, shutil.rmtree)
    cache_entries.prune(entry, shutil.rmtree)


def _update(kernel: kernels.Kernel, tree: Path, variables: list[str]) -> None:
    """Put up-to-date modules into the tree.

    Raises what module_sources.build() raises.
    """
    tools, sources = _tools(kernel, variables), _sources(tree)
    key = _key(tools, sources)
    stamp = tree / KEY
    if stamp.exists() and stamp.read_text() == key:
        return
    stamp.unlink(missing_ok=True)
    _remove_modules(tree)
    entry = cache.root() / "test-modules" / f"{tree.name}-{key}"
    cache_entries.use(entry, [tree.name, *variables])
    if not entry.is_dir():
        work = cache.root() / WORKSPACES / f"{tree.name}-{tools}"
        cache_entries.use(work, [tree.name, *variables])
        _build(kernel, work, sources, variables, entry)
    _copy(_results(entry), entry, tree)
    stamp.write_text(key)


def main() -> int:
    """Run the program; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--arch", required=True, choices=list(kernels.SUPPORTED))
    parser.add_argument("--kernel", required=True)
    parser.add_argument("tree", type=Path)
    parser.add_argument("variables", nargs="*", metavar="VARIABLE=...")
    arguments = parser.parse_args()
    try:
        kernel = kernels.resolve(arguments.arch, arguments.kernel)
        _update(kernel, arguments.tree.absolute(), arguments.variables)
    except (module_sources.BuildError, *kernels.ERRORS) as error:
        print(f"module_cache.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
