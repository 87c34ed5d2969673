#!/usr/bin/python3
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Root file systems of Debian's releases in the cache, and commands that run in them.

    root = roots.root("trixie", ["build-essential", "kmod"])   # made if necessary
    roots.run(root, ["make", "-C", str(tree)], cwd=tree, check=True)
    with roots.copied(root) as copy:                            # may be changed
        roots.run(copy, ["apt-get", "update"])
    os.execvp(*roots.exec_arguments(root, [...]))         # replaces this process

    roots.py [--with PACKAGE,...] [--copy] RELEASE [COMMAND...]

A root file system, or root for short, contains the essential packages, apt with its
sources, and the requested packages. An existing root with more packages is used, too. A
command in a root can write to the project's tree and the cache, which have the same
paths as on the host. It also sees the host's /dev, /sys and name servers. When the
command ends, its child processes are killed. Roots are shared and must not be changed.
A command that changes a root must run in a copy, which is removed at the end. Without
COMMAND, roots.py prints the root's directory; otherwise it exits with the command's
status. A user other than root needs subordinate IDs (/etc/subuid).

A new root is made when apt offers another version of a requested package. Package lists
are updated after a week. When a root has been made, the root that it replaces is
removed, and so are roots that were unused for two weeks.
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
# Packages of every root: apt needs the keys to trust its sources.
ALWAYS = ("debian-archive-keyring",)
# Includes the directories of administration programs, which a user's PATH may lack.
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# The number of mmdebstrap's last lines that a failure shows.
SHOWN_LINES = 15
# Arguments: the root, the directory to start in, the paths to bind, an empty argument,
# and the command. The root is made a mount point: otherwise the command could not
# create namespaces. A link resolv.conf is replaced by a file: outside the root, the
# link would lead to a file of the host.
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
    """A root cannot be made; the text says why and what to do about it."""


# All exceptions that the functions of this module raise.
ERRORS = (RootError, debian.ReleaseError, packages.PackageError)


def root(release: str, wanted: Iterable[str] = (), bare: bool = False) -> Path:
    """Return the root of a release with these packages; make it if necessary.

    Unless `bare`, the root may have more packages. Raises RootError if the root cannot
    be made, or what debian.sources() raises.
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
    """Return the path of a root with the package versions that apt offers now."""
    offered = packages.offered(packages.Offer(packages.native(), release), names)
    key = hashlib.sha256(repr(offered).encode()).hexdigest()[:16]
    return cache.root() / "roots" / f"{release}-{key}"


def _larger(entry: Path, release: str, names: list[str]) -> Path | None:
    """Return an existing root that has these packages and more, or None."""
    for more in cache_entries.names_beside(entry):
        if not set(names) < set(more):
            continue
        # If apt no longer offers a package of this root, look at the next one.
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
    """Run a command in a root, with this environment, except for PATH."""
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
    """Return the program and arguments that run a command in a root."""
    places = [str(TREE), str(cache.root()), "/dev", "/sys"]
    namespaces = ["--mount", "--pid", "--fork", "--kill-child"]
    script = ["sh", "-e", "-c", ENTER, "sh", str(tree), str(cwd), *places, ""]
    arguments = [*_as_root(), *namespaces, *script, *command]
    return arguments[0], arguments


@contextlib.contextmanager
def copied(tree: Path) -> Iterator[Path]:
    """Yield a copy of a root, which may be changed; remove the copy at the end."""
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
    """Mount a writable overlay over a root; return whether this succeeded."""
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
    """Return a command prefix for root's rights; users get a user namespace."""
    if os.geteuid() == 0:
        return ["unshare"]
    return ["unshare", "--map-root-user", "--map-auto"]


def _make(tree: Path, release: str, names: list[str]) -> None:
    """Make a root in an empty directory."""
    program = shutil.which("mmdebstrap")
    if program is None:
        raise RootError("mmdebstrap is missing; install it: apt-get install mmdebstrap")
    listed = "\n".join(debian.sources(release)) + "\n"
    print(
        f"making a root of {release} (a minute or two): {' '.join(names)}",
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
            raise RootError(f"mmdebstrap could not make a root of {release}:\n{told}")
        unpack = ["tar", "-x", "-p", "-f", str(archive), "-C", str(tree)]
        subprocess.run([*_as_root(), *unpack, "--exclude=./dev/*"], check=True)


def main() -> int:
    """Run the requested action; return the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("release", help="bookworm, trixie, trixie-backports, sid")
    parser.add_argument("--with", dest="packages", metavar="PACKAGE,...", default="")
    parser.add_argument("--copy", action="store_true", help="run in a copy")
    parser.add_argument("command", nargs="...", help="command to run in the root")
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
