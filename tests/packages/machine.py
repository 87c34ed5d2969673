# SPDX-License-Identifier: MIT OR GPL-2.0
"""Make a clean Debian machine: run commands in its root directory, and boot it.

Compiling under emulation takes minutes, so compilers run on the host's CPU, in the
machine's root directory. Only programs that need the machine's own kernel run in a VM.
In the root directory, `uname -r` prints the release of the machine's kernel.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import archives
import bare_machines
import boot
import rootdisk
import roots

# alice may measure and become root; bob may do neither.
USER, STRANGER = "alice", "bob"
# The folder of the user's copy of the project.
FOLDER = "/home/{}/perfmon"
# Timeout of a guest in seconds, for a busy machine.
TIMEOUT = 1800
ENVIRONMENT = {
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
    "HOME": "/root",
}
# A machine's list of files does not contain these mount points and users' files.
NOT_LISTED = ("dev", "proc", "sys", "run", "tmp", "out", "perfmon", "home")
APT_CONFIG = Path("etc/apt/apt.conf.d/98machine")
# The path of the cache in this file contains the project's name, so a search for files
# that the packages have left behind must skip the file.
APT_KEPT = Path("etc/apt/apt.conf.d/99kept")


class Machine:
    """A clean machine; `tree` is its root directory."""

    def __init__(self, tree: Path) -> None:
        self.tree = tree

    def run(self, script: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a shell script in the machine's root directory; capture the output.

        The script runs as root. Raises AssertionError with the output if the script
        fails.
        """
        shell = ["sh", "-e", "-c", f"exec 2>&1\n{script}"]
        done = roots.run(self.tree, shell, env=ENVIRONMENT, capture=True)
        if check and done.returncode != 0:
            raise AssertionError(f"{script}\nfailed:\n{done.stdout}{done.stderr}")
        return done

    def kernels(self) -> list[str]:
        """Return the releases of the installed kernels."""
        return sorted(rootdisk.images(self.tree))

    def runs_on(self, release: str) -> None:
        """Make `uname -r` in the root directory print this release."""
        shim = self.tree / "usr/local/bin/uname"
        shim.write_text(
            f'#!/bin/sh\n[ "$*" = -r ] && exec echo {release}\nexec /bin/uname "$@"\n'
        )
        shim.chmod(0o755)

    def boot(
        self,
        release: str,
        commands: Mapping[str, str],
        out: Path,
        options: Sequence[str] = (),
    ) -> boot.Boot:
        """Boot a copy of the machine with one of its kernels. See boot.Boot."""
        out.mkdir(parents=True, exist_ok=True)
        # Use only one CPU, because an emulated CPU may crash if another CPU patches
        # code. The machine of the other release has one CPU, too.
        where = ("--root", str(self.tree), "--timeout", str(TIMEOUT), "--smp", "1")
        target = boot.Target("x86_64", release)
        return boot.Boot(target, commands, out, (*where, *options))

    def files(self) -> set[str]:
        """Return the paths of all files in the root directory."""
        found: set[str] = set()
        for place, directories, files in os.walk(self.tree):
            inside = Path(place).relative_to(self.tree)
            if inside == Path():
                directories[:] = [d for d in directories if d not in NOT_LISTED]
            found.update(f"/{inside / name}" for name in [*directories, *files])
        return found


def as_user(name: str, command: str) -> str:
    """Return the command that runs `command` in a new login of this user."""
    folder = FOLDER.format(name)
    return f"su - {name} -c {shlex.quote(f'mkdir -p {folder}; cd {folder}; {command}')}"


def merged(path: str) -> str:
    """Return the path of a package's file on a system with merged /usr."""
    return re.sub(r"^/(bin|sbin|lib\w*)(?=/|$)", r"/usr/\1", path)


# This command prints the list of Machine.files() in a guest.
LIST_FILES = (
    "find / -mindepth 1 -xdev "
    + " ".join(f"-path /{name} -prune -o" for name in NOT_LISTED)
    + " -print"
)


@contextlib.contextmanager
def clean(release: str) -> Iterator[Machine]:
    """Yield a clean machine of a release; remove it afterwards.

    Raises one of roots.ERRORS, or AssertionError if apt cannot fetch its lists.
    """
    root = bare_machines.root(release)
    with roots.copied(root) as tree:
        machine = Machine(tree)
        _configure(tree)
        with archives.kept(machine, root.name, tree / APT_KEPT):
            machine.runs_on(machine.kernels()[0])
            machine.run(_USERS)
            yield machine


_USERS = f"""
for user in {USER} {STRANGER}; do
    useradd --create-home --shell /bin/sh $user
done
echo '{USER} ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/{USER}
"""


def _configure(tree: Path) -> None:
    """Make dpkg skip fsync and the initramfs, and make Python report fatal signals."""
    (tree / APT_CONFIG).write_text(
        textwrap.dedent(
            """\
            Binary::apt::APT::Keep-Downloaded-Packages "true";
            APT::Sandbox::User "root";
            APT::Get::Assume-Yes "true";
            Acquire::Languages "none";
            """
        )
    )
    etc = tree / "etc"
    with (etc / "environment").open("a", encoding="utf-8") as environment:
        environment.write("PYTHONFAULTHANDLER=1\n")
    (etc / "dpkg/dpkg.cfg.d/unsafe-io").write_text("force-unsafe-io\n")
    (etc / "initramfs-tools/update-initramfs.conf").write_text("update_initramfs=no\n")
