# SPDX-License-Identifier: MIT OR GPL-2.0
"""Detect recorded data that an export's format cannot store."""

from __future__ import annotations

from typing import AbstractSet, Iterator

from ..analysis.inputs import Input
from ..analysis.weights import COUNT, PERIOD, aggregates
from ..formats.roles import AGGREGATES, Role
from ..formats.samples import Samples
from ..recording import Batch
from .interface import Job

# Descriptions of roles that an export's format may be unable to store. All formats
# store the other roles: the event; the level and the file, as parts of the location;
# and the period, as the weight.
NAMES = {
    Role.ADDRESS: "addresses",
    Role.DATA_ADDRESS: "data addresses",
    Role.DATA_SOURCE: "data sources",
    Role.LATENCY: "latencies",
    Role.THREAD: "thread IDs",
    Role.CPU: "CPUs",
    Role.TIME: "times",
}
# Columns from which the column of another role is derived.
SOURCES = frozenset(("last_reset_val",))  # the period
PMDS = "PMD values"
CHAINS = "call chains"
LOSSES = "losses"


def noted(
    job: Job,
    source: Input,
    carries: AbstractSet[Role] = frozenset(),
    pmds: bool = False,
    chains: bool = True,
    losses: bool = False,
    periods: bool = False,
) -> Iterator[Batch]:
    """Yields the selected samples of an input; notes what the format cannot store.

    The format stores the columns of the roles ``carries``. It stores PMD values, call
    chains and losses if ``pmds``, ``chains`` and ``losses`` are set. If ``periods`` is
    set and the weight is the count, it also stores sums of periods.
    """
    weight = PERIOD if periods and job.weight == COUNT else job.weight
    for batch in job.batches(source):
        _note_columns(job, batch.samples, carries, weight)
        if not pmds and any(group.pmds for group in batch.samples.groups):
            job.lack(PMDS)
        if batch.samples.chains is not None and not chains:
            job.lack(CHAINS)
        yield batch
    if not losses and _has_lost(source):
        job.lack(LOSSES)


def _note_columns(
    job: Job, samples: Samples, carries: AbstractSet[Role], weight: str
) -> None:
    of_roles = {samples.name_of(role) for role in Role if role not in AGGREGATES}
    of_roles.add(aggregates(samples, weight).get(Role.SUM))
    for role, name in NAMES.items():
        if role not in carries and samples.name_of(role) is not None:
            job.lack(name)
    of_roles.update(samples.summaries(Role.LOG2))
    others = [name for name in samples.columns if name not in of_roles | SOURCES]
    others += samples.aggregates(Role.LOG2).values()
    if others:
        job.lack(f"columns {', '.join(others)}")


def _has_lost(source: Input) -> bool:
    recording = source.recording
    return bool(recording.lost) or any(recording.lost_in_buffers().values())
