# SPDX-License-Identifier: MIT OR GPL-2.0
"""What captures have recorded and a format cannot carry."""

from __future__ import annotations

from typing import AbstractSet, Iterator

from ..analysis.inputs import Input
from ..formats.roles import Role
from ..formats.samples import Samples
from ..recording import Batch
from .job import Job

# What is missed without the column of a role. The others are carried by all: events,
# levels and files in what is said of the place, and periods as weights.
NAMES = {
    Role.ADDRESS: "addresses",
    Role.DATA_ADDRESS: "data addresses",
    Role.DATA_SOURCE: "data sources",
    Role.LATENCY: "latencies",
    Role.THREAD: "numbers of threads",
    Role.CPU: "CPUs",
    Role.TIME: "times",
}
# What a role's column is made of.
SOURCES = frozenset(("last_reset_val",))  # the period
PMDS = "values of PMDs"
CHAINS = "call chains"
LOSSES = "what was lost"


def noted(
    job: Job,
    source: Input,
    carries: AbstractSet[Role] = frozenset(),
    pmds: bool = False,
    chains: bool = True,
    losses: bool = False,
) -> Iterator[Batch]:
    """The selected samples of an input; notes what they have besides.

    The format carries the columns of the roles ``carries``, and values of ``pmds``,
    ``chains`` and ``losses`` if those are set.
    """
    for batch in job.batches(source):
        _note_columns(job, batch.samples, carries)
        if not pmds and any(group.pmds for group in batch.samples.groups):
            job.lack(PMDS)
        if batch.samples.chains is not None and not chains:
            job.lack(CHAINS)
        yield batch
    if not losses and _has_lost(source):
        job.lack(LOSSES)


def _note_columns(job: Job, samples: Samples, carries: AbstractSet[Role]) -> None:
    of_roles = {samples.name_of(role) for role in Role}
    for role, name in NAMES.items():
        if role not in carries and samples.name_of(role) is not None:
            job.lack(name)
    others = [name for name in samples.columns if name not in of_roles | SOURCES]
    if others:
        job.lack(f"columns {', '.join(others)}")


def _has_lost(source: Input) -> bool:
    recording = source.recording
    return bool(recording.lost) or any(recording.lost_in_buffers().values())
