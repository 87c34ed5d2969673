# SPDX-License-Identifier: MIT OR GPL-2.0
"""The branches that samples record: their bits, and their texts."""

from __future__ import annotations

from typing import Iterator, Mapping

import numpy as np

from ..layout import NDArray
from .added_columns import BRANCH_FLAGS, BRANCH_FROM, BRANCH_TO
from .roles import Role
from .samples import Samples

COUNT = 8  # branches of a sample, PFM_BRANCHES of perfmon.h

# Types of branches: PERF_BR_*, with perf's names.
TYPES = (
    *("", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET", "SYSCALL", "SYSRET"),
    *("COND_CALL", "COND_RET", "ERET", "IRQ", "SERROR", "NO_TX"),
)
MISPREDICTED, PREDICTED, IN_TRANSACTION, ABORT = 1, 2, 4, 8
CYCLES, TYPE = 4, 20  # the first bits of these fields


def name_of(flags: int) -> str:
    """Returns a branch's type and prediction, and the state of its transaction."""
    names = (
        (MISPREDICTED, "mispredicted"),
        (PREDICTED, "predicted"),
        (IN_TRANSACTION, "in a transaction"),
        (ABORT, "abort of a transaction"),
    )
    found = [_type(flags).lower(), *(name for bit, name in names if flags & bit)]
    return ", ".join(filter(None, found)) or "not available"


def recorded(samples: Samples) -> bool:
    """Returns whether the samples record branches in PMD BRANCH_FROM and above."""
    roles = (Role.BRANCH_FROM, Role.BRANCH_TO, Role.BRANCH_FLAGS)
    return any(samples.name_of(role) is not None for role in roles)


def table(samples: Samples) -> NDArray[np.uint64]:
    """Returns source, target and flags of each branch; shape (count, COUNT, 3).

    The newest branch of a sample comes first. Numbers that are not recorded are 0.
    """
    words = np.zeros((samples.count, COUNT, 3), np.uint64)
    for group in samples.groups:
        for at, first in enumerate((BRANCH_FROM, BRANCH_TO, BRANCH_FLAGS)):
            for n in range(COUNT):
                if first + n in group.pmds:
                    column = group.values[:, group.pmds.index(first + n)]
                    words[group.which, n, at] = column
    return words


def counts(words: NDArray[np.uint64]) -> NDArray[np.intp]:
    """Returns the number of branches of each sample, up to the last nonzero one."""
    there = words.any(axis=2)
    found: NDArray[np.intp] = (there * np.arange(1, COUNT + 1)).max(axis=1)
    return found


def texts(pmds: Mapping[str, int]) -> list[str]:
    """Returns the branches of a sample, oldest first.

    ``pmds`` has the sample's PMD values by index. Each text has the form
    FROM/TO/M/X/A/CYCLES/TYPE, as in perf script's output. If the branch was predicted,
    M is P.
    """
    return [
        "/".join((f"{start:#x}", f"{end:#x}", *_fields(flags)))
        for start, end, flags in _listed(pmds)
    ]


def objects(pmds: Mapping[str, int]) -> list[dict[str, object]]:
    """Returns the branches of a sample as objects for JSON, oldest first."""
    return [
        {
            "from": start,
            "to": end,
            "predicted": bool(flags & PREDICTED)
            if flags & (PREDICTED | MISPREDICTED)
            else None,
            "transaction": bool(flags & IN_TRANSACTION),
            "abort": bool(flags & ABORT),
            "cycles": _cycles(flags),
            "type": _type(flags) or None,
        }
        for start, end, flags in _listed(pmds)
    ]


def _listed(pmds: Mapping[str, int]) -> Iterator[tuple[int, ...]]:
    """Yields source, target and flags of each branch, oldest first."""
    for n in reversed(range(COUNT)):
        words = tuple(
            pmds.get(str(pmd + n), 0) for pmd in (BRANCH_FROM, BRANCH_TO, BRANCH_FLAGS)
        )
        if any(words):
            yield words


def _fields(flags: int) -> tuple[str, ...]:
    predicted = "M" if flags & MISPREDICTED else "P" if flags & PREDICTED else "-"
    return (
        predicted,
        "X" if flags & IN_TRANSACTION else "-",
        "A" if flags & ABORT else "-",
        str(_cycles(flags)),
        _type(flags) or "-",
    )


def _cycles(flags: int) -> int:
    return flags >> CYCLES & 0xFFFF


def _type(flags: int) -> str:
    number = flags >> TYPE & 0xF
    return TYPES[number] if number < len(TYPES) else str(number)
