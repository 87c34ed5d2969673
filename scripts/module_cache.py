#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the modules of a tree of links, or copy them from the cache.

    module_cache.py --arch ARCH --kernel KERNEL TREE VARIABLE=...

TREE was made by scripts/link-tree, so it has all sources; kbuild gets the VARIABLEs.
The key of a cache entry covers the content of the sources, the kernel's headers, the
compiler and the variables, so a second checkout of the same sources builds nothing.
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
# Objects to keep: `make style` reads which file calls which.
OBJECTS = ("core/*.o", "pmu/perf/*.o", "sdk/conform/kernel/*.o")
# The file of a tree that holds the key of its built modules.
KEY = ".key"


def _key(kernel: kernels.Kernel, tree: Path, variables: list[str]) -> str:
    """Return a digest of everything that the modules depend on."""
    command = kernels.make(kernel, variables)
    compiler = [word for word in command if word.startswith("CC=")] or ["CC=gcc"]
    # The command contains the root's path, which changes with the root's compiler.
    words = [kernel.release, kernel.version, *command, *OBJECTS]
    programs = [compiler[0].removeprefix("CC=")] if kernel.native else []
    programs += ["sparse"] if any(word.startswith("C=") for word in variables) else []
    for program in programs:
        words.append(subprocess.check_output([program, "--version"], text=True))
    words += sorted(f"{n}={v}" for n, v in os.environ.items() if FLAGS.fullmatch(n))
    digest = hashlib.sha256("\0".join(words).replace(str(CHECKOUT), "").encode())
    for path in sorted(tree.rglob("*")):
        if path.is_symlink():
            content = path.read_bytes()
            name = str(path.relative_to(tree))
            digest.update(f"\0{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _results(tree: Path) -> list[Path]:
    """Return the built files that are kept, by path below the tree."""
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


def _update(kernel: kernels.Kernel, tree: Path, variables: list[str]) -> None:
    """Make the tree contain up-to-date modules.

    Raises what module_sources.build() raises.
    """
    key = _key(kernel, tree, variables)
    stamp = tree / KEY
    if stamp.exists() and stamp.read_text() == key:
        return
    stamp.unlink(missing_ok=True)
    entry = cache.root() / "test-modules" / f"{tree.name}-{key}"
    cache_entries.use(entry, [tree.name, *variables])
    if not entry.is_dir():
        _remove_modules(tree)
        module_sources.build(kernel, tree, "modules and test modules", *variables)
        # The sources may have changed during the build.
        if _key(kernel, tree, variables) != key:
            return
        with cache.locked(f"test-modules-{tree.name}"):
            if not entry.is_dir():
                with cache.filling(entry) as target:
                    _copy(_results(tree), tree, target)
        cache_entries.prune(entry, shutil.rmtree)
    else:
        _remove_modules(tree)
        _copy(_results(entry), entry, tree)
    stamp.write_text(key)


def main() -> int:
    """Update the tree; return the exit status."""
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
