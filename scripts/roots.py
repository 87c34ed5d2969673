#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Make root file systems of Debian releases in the cache, and run commands in them.

    root = roots.root("trixie", ["build-essential", "kmod"])   # made if necessary
    roots.run(root, ["make", "-C", str(tree)], cwd=tree, check=True)
    with roots.copied(root) as copy:                            # may be changed
        roots.run(copy, ["apt-get", "update"])
    os.execvp(*roots.exec_arguments(root, [...]))         # replaces this process

    roots.py [--with PACKAGE,...] [--copy] RELEASE [COMMAND...]

A root file system contains the essential packages, apt with its sources, and the
requested packages. If an existing root file system has these packages and others, it is
used instead of a new one. A command in a root file system can write to the project's
tree and to the cache, which have the same paths as on the host. The command also sees
the host's /dev, /sys and name servers. When the command ends, its child processes are
killed. Root file systems are shared, so they must not be changed: a command that
changes one must run in a copy, which is removed at the end. Without COMMAND, roots.py
prints the directory of the root file system; otherwise it exits with the command's
status. A user other than root needs subordinate IDs (/etc/subuid).

A new root file system is made when apt offers another version of a requested package.
Package lists are updated after a week. When a root file system has been made, the one
that it replaces is removed, and so are those that have not been used for two weeks.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import cache
import cache_entries
import debian
import packages

TREE = Path(__file__).resolve().parents[1]
# Packages of every root file system. apt needs the keys to trust its sources.
ALWAYS = ("debian-archive-keyring",)
# The PATH in a root file system, with the directories of administration programs, which
# a user's PATH may lack.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The number of last lines of mmdebstrap's output that are shown on failure.
SHOWN_LINES = 15
# A shell script that runs a command in a root file system. Arguments: the root file
# system, the directory in which to start, the paths to bind, an empty argument, and the
# command. The root file system is made a mount point, because otherwise the command
# could not use `unshare --mount`, which changes the mount propagation of /. If the
# root file system's resolv.conf is a link, it is replaced by a file. Otherwise
# mount(8), which runs outside the root file system, would follow the link to a file of
# the host.
ENTER = """
root=$1 cwd=$2
shift 2
mount --bind "$root" "$root"
while [ -n "$1" ]; do
    mkdir -p "$root$1"
    mount --rbind "$1" "$root$1"
    shift
done
shift
mount -t proc proc "$root/proc"
if [ -e /etc/resolv.conf ]; then
    [ ! -L "$root/etc/resolv.conf" ] || rm "$root/etc/resolv.conf"
    : >>"$root/etc/resolv.conf"
    mount --bind "$(readlink -f /etc/resolv.conf)" "$root/etc/resolv.conf"
fi
exec chroot "$root" /bin/sh -c 'cd "$0" && exec "$@"' "$cwd" "$@"
"""


class RootError(Exception):
    """A root file system cannot be made; the message says why, and what to do."""


# All exceptions that the functions in this module raise.
ERRORS = (RootError, debian.ReleaseError, packages.PackageError)


def root(release: str, wanted: Iterable[str] = (), bare: bool = False) -> Path:
    """Return a release's root file system with these packages; make it if necessary.

    The root file system may have more packages than these, unless `bare` is set.
    Raises RootError if it cannot be made, and exceptions of debian.sources().
    """
    names = sorted({*wanted, *ALWAYS})
    entry = _entry(release, names)
    larger = None if entry.is_dir() or bare else _larger(entry, release, names)
    if larger:
        return larger
    cache_entries.use(entry, names)
    if not entry.is_dir():
        with cache.locked(f"root-{release}"):
            if not entry.is_dir():
                with cache.filling(entry) as tree:
                    _make(tree, release, names)
        cache_entries.prune(entry, _remove)
    return entry


def _entry(release: str, names: list[str]) -> Path:
    """Return the path for a root file system with these packages, as apt offers them.

    The root file system need not exist. Its path depends on the packages' versions.
    """
    offered = packages.offered(packages.Offer(packages.native(), release), names)
    key = hashlib.sha256(repr(offered).encode()).hexdigest()[:16]
    return cache.root() / "roots" / f"{release}-{key}"


def _larger(entry: Path, release: str, names: list[str]) -> Path | None:
    """Return an existing root file system with these packages and more, or None."""
    for more in cache_entries.names_beside(entry):
        if not set(names) < set(more):
            continue
        # If apt no longer offers a package of this entry, look at the next entry.
        with contextlib.suppress(packages.PackageError):
            larger = _entry(release, more)
            if larger.is_dir():
                cache_entries.use(larger, more)
                return larger
    return None


def run(
    tree: Path,
    command: Sequence[str],
    cwd: Path = Path("/"),
    env: dict[str, str] | None = None,
    check: bool = False,
    capture: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run a command in a root file system; `env` sets all variables except PATH."""
    return subprocess.run(
        exec_arguments(tree, command, cwd)[1],
        env={"PATH": PATH, **(os.environ if env is None else env), "PATH": PATH},
        stdin=subprocess.DEVNULL,
        capture_output=capture,
        text=True,
        check=check,
    )


def exec_arguments(
    tree: Path, command: Sequence[str], cwd: Path = Path("/")
) -> tuple[str, list[str]]:
    """Return the program and arguments that run a command in a root file system."""
    places = [str(TREE), str(cache.root()), "/dev", "/sys"]
    namespaces = ["--mount", "--pid", "--fork", "--kill-child"]
    script = ["sh", "-e", "-c", ENTER, "sh", str(tree), str(cwd), *places, ""]
    arguments = [*_as_root(), *namespaces, *script, *command]
    return arguments[0], arguments


@contextlib.contextmanager
def copied(tree: Path) -> Iterator[Path]:
    """Yield a copy of a root file system that may be changed; remove it at the end."""
    above = Path(tempfile.mkdtemp(prefix=".copy-", dir=tree.parent))
    above.chmod(0o755)
    copy = above / tree.name
    overlaid = False
    try:
        overlaid = _overlay(tree, above, copy)
        if not overlaid:
            cp = ["cp", "-a", "--reflink=auto", str(tree), str(copy)]
            subprocess.run([*_as_root(), *cp], check=True)
        yield copy
    finally:
        if overlaid:
            subprocess.run(["umount", "--lazy", str(copy)], check=False)
        _remove(above)


def _overlay(tree: Path, above: Path, copy: Path) -> bool:
    """Mount a writable overlay over a root file system; return False on failure."""
    if os.geteuid() != 0:
        return False
    layers = {"lowerdir": tree, "upperdir": above / "upper", "workdir": above / "work"}
    for directory in (layers["upperdir"], layers["workdir"], copy):
        directory.mkdir()
        directory.chmod(tree.stat().st_mode)
    options = ",".join(f"{name}={directory}" for name, directory in layers.items())
    mount = ["mount", "-t", "overlay", "overlay", "-o", options, str(copy)]
    if subprocess.run(mount, capture_output=True, check=False).returncode == 0:
        return True
    copy.rmdir()
    return False


def _remove(tree: Path) -> None:
    subprocess.run([*_as_root(), "rm", "-rf", "--", str(tree)], check=False)


def _as_root() -> list[str]:
    """Return the prefix that runs a command as root, or as root of a user namespace."""
    if os.geteuid() == 0:
        return ["unshare"]
    return ["unshare", "--map-root-user", "--map-auto"]


def _make(tree: Path, release: str, names: list[str]) -> None:
    """Make a root file system in an empty directory."""
    program = shutil.which("mmdebstrap")
    if program is None:
        raise RootError("mmdebstrap is missing: run 'apt-get install mmdebstrap'")
    listed = "\n".join(debian.sources(release)) + "\n"
    print(
        f"making a root file system of {release} (a minute or two): "
        f"{' '.join(names)}",
        file=sys.stderr,
        flush=True,
    )
    with tempfile.TemporaryDirectory() as work:
        archive = Path(work) / "root.tar"
        made = subprocess.run(
            [
                *(program, "--variant=minbase", f"--include={','.join(names)}"),
                *(debian.base(release), str(archive), "-"),
            ],
            input=listed,
            env={**os.environ, "PATH": PATH},
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode != 0:
            told = "\n".join(made.stderr.splitlines()[-SHOWN_LINES:])
            what = f"a root file system of {release}"
            raise RootError(f"mmdebstrap could not make {what}:\n{told}")
        unpack = ["tar", "-x", "-p", "-f", str(archive), "-C", str(tree)]
        subprocess.run([*_as_root(), *unpack, "--exclude=./dev/*"], check=True)


def main() -> int:
    """Run the program; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("release", help="bookworm, trixie, trixie-backports, sid")
    parser.add_argument("--with", dest="packages", metavar="PACKAGE,...", default="")
    parser.add_argument("--copy", action="store_true", help="run in a copy")
    parser.add_argument("command", nargs="...", help="command to run there")
    arguments = parser.parse_args()
    wanted = [name for name in arguments.packages.split(",") if name]
    try:
        tree = root(arguments.release, wanted)
    except ERRORS as error:
        print(f"roots.py: {error}", file=sys.stderr)
        return 1
    if not arguments.command:
        print(tree)
        return 0
    inside = Path.cwd().is_relative_to(TREE)
    cwd = Path.cwd() if inside else Path("/")
    with copied(tree) if arguments.copy else contextlib.nullcontext(tree) as place:
        status = run(place, arguments.command, cwd).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
