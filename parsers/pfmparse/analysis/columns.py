# SPDX-License-Identifier: MIT OR GPL-2.0
"""The columns that views need. Different formats record them in different ways."""

from __future__ import annotations

from typing import Optional

import numpy as np

from ..errors import PfmParseError, RequestError
from ..formats.roles import Role
from ..formats.samples import Column, Samples
from ..layout import KERNEL_START, NDArray
from ..recording import Recording
from .requests import ROLES, pmd_of

# Stands for the ID of a process, thread or CPU that is unknown or does not exist.
NOBODY = (1 << 32) - 1


def named(samples: Samples, name: str) -> Column:
    """Returns a column; ``name`` is its name, its role, or ``pmdN`` for PMD values.

    Raises PfmParseError if the samples do not have this column.
    """
    if name in ROLES:
        return samples.role(ROLES[name])
    found = pmd_named(samples, name)
    return samples.column(name) if found is None else found[0]


def pmd_named(
    samples: Samples, name: str
) -> Optional[tuple[Column, NDArray[np.bool_]]]:
    """Returns what Samples.pmd_values() returns, or None if ``name`` is not ``pmdN``.

    A column with this name precedes the PMD. Raises PfmParseError if the samples are
    summaries, which have no values of PMDs.
    """
    pmd = pmd_of(name)
    if pmd is None or samples.has(name):
        return None
    if samples.summarise:
        raise samples.lacks(name)
    return samples.pmd_values(pmd)


def check_name(name: str, recording: Recording) -> None:
    """Raises PfmParseError for ``pmdN`` if no sample can have values of that PMD."""
    pmd = pmd_of(name)
    there = recording.session.recorded_pmds
    if pmd is not None and pmd not in there:
        have = ", ".join(map(str, sorted(there))) or "none"
        text = f"no sample has values of PMD {pmd}; recorded PMDs: {have}"
        raise RequestError(text)


def in_kernel(samples: Samples) -> NDArray[np.bool_]:
    """Returns a mask of the samples taken in the kernel."""
    if samples.name_of(Role.KERNEL) is not None:
        level: NDArray[np.bool_] = samples.role(Role.KERNEL) != 0
        return level
    above: NDArray[np.bool_] = samples.role(Role.ADDRESS) >= np.uint64(KERNEL_START)
    return above


def optional(samples: Samples, role: Role) -> Optional[Column]:
    """Returns the column of a role, or None if the format does not record it."""
    return None if samples.name_of(role) is None else samples.role(role)


def processes(samples: Samples, recording: Recording) -> Column:
    """Returns each sample's process ID.

    If the format does not record process IDs, this is the ID of the capture's only
    process. Raises PfmParseError if the capture does not have exactly one process.
    """
    only = recording.source.maps.only_tgid()
    if samples.name_of(Role.PROCESS) is None and only is not None:
        return np.full(samples.count, only, np.uint32)
    return samples.role(Role.PROCESS)


def threads(samples: Samples, recording: Recording) -> Column:
    """Returns each sample's thread ID.

    If the format does not record thread IDs, this is the ID of the only monitored
    thread. Raises PfmParseError if the session did not monitor exactly one thread.
    """
    if samples.name_of(Role.THREAD) is None:
        only = only_thread(recording)
        if only is not None:
            return np.full(samples.count, only, np.uint32)
    return samples.role(Role.THREAD)


def identities(
    samples: Samples, recording: Recording
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Returns each sample's process and thread ID; IDs that are unknown are NOBODY."""
    found = []
    for select in (processes, threads):
        try:
            column = select(samples, recording).astype(np.uint32)
        except PfmParseError:
            column = np.full(samples.count, NOBODY, np.uint32)
        found.append(column.astype(np.uint64))
    return found[0], found[1]


def only_thread(recording: Recording) -> Optional[int]:
    """Returns the thread's ID if the session monitored exactly one thread, or None."""
    contexts = recording.session.contexts
    if recording.session.mode != "thread" or len(contexts) != 1:
        return None
    return contexts[0].tid
