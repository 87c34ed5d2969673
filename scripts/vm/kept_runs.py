# SPDX-License-Identifier: MIT OR GPL-2.0
"""Keep what guests have sent, to replay it instead of booting the same guest again.

The clock of a guest that counts instructions does not depend on the host's clock or
load. With the same kernel, files and QEMU, another run would test the same again. The
environment variable PERFMON_KEPT_RUN requests that such runs are kept and replayed: it
is the path of a file, which receives the path of the kept run. A caller that finds a
fault in a run deletes it (forget).
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import cache
import cache_entries
import packages
import qemu

VARIABLE = "PERFMON_KEPT_RUN"
# Packages with the firmware that QEMU loads without being told.
FIRMWARE = ("seabios", "qemu-system-data")


@contextlib.contextmanager
def claimed(
    machine: qemu.Machine, initramfs: Path, command: Sequence[str]
) -> Iterator[Path | None]:
    """Yield the directory for a guest's run; it exists if such a run was kept.

    Yield None if the run must not be kept. No other process can claim the directory
    meanwhile. A new run replaces a kept run of the same command in other files.
    """
    told = os.environ.get(VARIABLE)
    if not told or not machine.icount or machine.disk or machine.firmware:
        yield None
        return
    kept = cache.root() / "runs" / f"run-{_digest(machine, initramfs)}"
    with cache.locked(f"locks/{kept.name}"):
        Path(told).write_text(str(kept))
        purpose = os.fsencode("\0".join([machine.image.name, *command]))
        cache_entries.use(kept, [hashlib.sha256(purpose).hexdigest()])
        yield kept


def replay(kept: Path, accept: Callable[[str, bytes], object]) -> None:
    """Pass the data of each channel of a kept run to `accept`."""
    for name in qemu.CHANNELS:
        accept(name, (kept / name).read_bytes())


def keep(kept: Path, sent: Mapping[str, bytes]) -> None:
    """Keep the data of a run, by channel. If that fails, print a message."""
    try:
        with cache.filling(kept) as made:
            for name in qemu.CHANNELS:
                (made / name).write_bytes(sent.get(name, b""))
        cache_entries.prune(kept, shutil.rmtree)
    except OSError as error:
        print(f"the guest's run is not kept: {error}", file=sys.stderr)


def forget(kept: Path) -> None:
    """Delete a kept run when no other process replays it."""
    with cache.locked(f"locks/{kept.name}"):
        gone = Path(tempfile.mkdtemp(prefix=".gone-", dir=kept.parent))
        if kept.is_dir():
            kept.rename(gone / kept.name)
        shutil.rmtree(gone)


def _digest(machine: qemu.Machine, initramfs: Path) -> str:
    """Return a digest of everything that affects a run."""
    anywhere = dataclasses.replace(machine, image=Path("image"))
    names = {name: name for name in qemu.CHANNELS}
    words = qemu.command(anywhere, Path("initramfs"), names)
    versions = [subprocess.check_output([words[0], "--version"])]
    versions += [str(packages.installed_version(name)).encode() for name in FIRMWARE]
    contents = [machine.image.read_bytes(), initramfs.read_bytes()]
    digest = hashlib.sha256(os.fsencode("\0".join(words)))
    for part in (*versions, *contents):
        digest.update(hashlib.sha256(part).digest())
    return digest.hexdigest()[:16]
