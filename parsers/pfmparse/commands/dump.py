# SPDX-License-Identifier: MIT OR GPL-2.0
"""The dump command: every sample, one per line."""

from __future__ import annotations

import json
from typing import Iterator, TextIO

import numpy as np

from ..formats.pebs import REGISTERS
from ..formats.samples import Samples
from ..recording import Recording

# Fields that are printed in hexadecimal.
HEXADECIMAL = frozenset(
    ("ip", "last_reset_val", "offset", "status", "dla", "dse", "real_ip", "eflags")
    + ("tsx_tuning", *REGISTERS)
)


def samples_as_dicts(samples: Samples) -> Iterator[dict[str, object]]:
    """Each sample's fields, and its PMD values as ``pmds``, by index."""
    pmds: list[dict[str, int]] = [{}] * samples.count
    numbers = np.arange(samples.count)
    for group in samples.groups:
        names = [str(pmd) for pmd in group.pmds]
        for at, values in zip(numbers[group.which].tolist(), group.values.tolist()):
            pmds[at] = dict(zip(names, values))
    names = list(samples.columns)
    columns = [column.tolist() for column in samples.columns.values()]
    rows: Iterator[tuple[int, ...]] = (
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
        for sample in samples_as_dicts(batch.samples):
            out.write(_line(sample) + "\n")


def _line(sample: dict[str, object]) -> str:
    pmds = sample.pop("pmds")
    assert isinstance(pmds, dict)
    fields = [
        f"{name}={value:#x}" if name in HEXADECIMAL else f"{name}={value}"
        for name, value in sample.items()
    ]
    return " ".join(fields + [f"pmd{index}={value}" for index, value in pmds.items()])
