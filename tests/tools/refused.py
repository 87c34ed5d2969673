# SPDX-License-Identifier: MIT OR GPL-2.0
"""Set up contexts with a kernel that refuses them."""

from __future__ import annotations

import subprocess
from pathlib import Path

from pfmon import ERROR


def complaint_of_context(
    programs: Path,
    *options: str,
    create: int = 0,
    sets: int = 0,
    load: int = 0,
    pmc: tuple[int, int] = (-1, 0),
) -> str:
    """Return the message for a context that cannot be set up.

    Creating a context, creating the second event set, or attaching the context fails
    with these errnos. ``pmc`` is a register that cannot be written, and the flags that
    the kernel returns for it.
    """
    kernel = map(str, (create, sets, load, *pmc))
    run = subprocess.run(
        [programs / "context_refuser", *kernel, *options, "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == ERROR
    return run.stderr
