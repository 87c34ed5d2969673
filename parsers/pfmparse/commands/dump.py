# SPDX-License-Identifier: MIT OR GPL-2.0
"""The dump command: every sample, one per line."""

from __future__ import annotations

import json
from typing import Container, Iterator, TextIO

import numpy as np

from ..formats.pebs import REGISTERS
from ..formats.roles import Role
from ..formats.samples import Samples
from ..recording import Recording

# Fields that are printed in hexadecimal.
HEXADECIMAL = frozenset(
    ("ip", "last_reset_val", "offset", "status", "dla", "dse", "real_ip", "eflags")
    + ("tsx_tuning", *REGISTERS)
)


# So are those of columns that have one of these roles, and call chains.
ADDRESSES = (Role.ADDRESS, Role.DATA_ADDRESS)
CALLERS = "callers"


def samples_as_dicts(samples: Samples) -> Iterator[dict[str, object]]:
    """Each sample's fields, its ``callers``, and its PMDs' values as ``pmds``."""
    pmds: list[dict[str, int]] = [{}] * samples.count
    numbers = np.arange(samples.count)
    for group in samples.groups:
        names = [str(pmd) for pmd in group.pmds]
        for at, values in zip(numbers[group.which].tolist(), group.values.tolist()):
            pmds[at] = dict(zip(names, values))
    fields = samples.fields()
    columns: list[list[object]] = [column.tolist() for column in fields.values()]
    names = list(fields)
    if samples.chains is not None:
        columns.append(list(samples.chains.to_lists()))
        names.append(CALLERS)
    rows: Iterator[tuple[object, ...]] = (
        zip(*columns) if columns else iter([()] * samples.count)
    )
    for row, values_of in zip(rows, pmds):
        yield {**dict(zip(names, row)), "pmds": values_of}


def print_json(recording: Recording, out: TextIO) -> None:
    """One JSON object per sample and line."""
    for batch in recording.batches():
        for sample in samples_as_dicts(batch.samples):
            out.write(json.dumps(sample) + "\n")


def print_text(recording: Recording, out: TextIO) -> None:
    """One line of name=value pairs per sample; PMDs are named by their index."""
    for batch in recording.batches():
        addresses = {batch.samples.name_of(role) for role in ADDRESSES}
        for sample in samples_as_dicts(batch.samples):
            out.write(_line(sample, HEXADECIMAL | addresses) + "\n")


def _line(sample: dict[str, object], hexadecimal: Container[str | None]) -> str:
    pmds, callers = sample.pop("pmds"), sample.pop(CALLERS, None)
    assert isinstance(pmds, dict)
    fields = [
        f"{name}={value:#x}" if name in hexadecimal else f"{name}={value}"
        for name, value in sample.items()
    ]
    if isinstance(callers, list):
        fields.append(f"{CALLERS}={','.join(map(hex, callers))}")
    return " ".join(fields + [f"pmd{index}={value}" for index, value in pmds.items()])
