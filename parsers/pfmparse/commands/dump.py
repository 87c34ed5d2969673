# SPDX-License-Identifier: MIT OR GPL-2.0
"""The dump command: print every sample, one per line."""

from __future__ import annotations

import argparse
import json
import sys
from typing import AbstractSet, Container, Iterable, Iterator

import numpy as np

from ..formats import branches
from ..formats.added_columns import BRANCH_FLAGS, BRANCH_FROM
from ..formats.pebs import REGISTERS
from ..formats.roles import Role
from ..formats.samples import Samples
from ..recording import Batch
from ..symbols.location import Detail
from .opening import inputs_of, recordings_of, status_of
from .outcome import blaming, printing

# Fields that are printed in hexadecimal.
HEXADECIMAL = frozenset(
    ("ip", "last_reset_val", "offset", "status", "dla", "dse", "real_ip", "eflags")
    + ("tsx_tuning", *REGISTERS)
)


# Columns with one of these roles, and call chains, are also hexadecimal.
ADDRESSES = (Role.ADDRESS, Role.DATA_ADDRESS)
CALLERS, CALLER_COOKIES = "callers", "caller_cookies"

BRANCH_PMDS = frozenset(map(str, range(BRANCH_FROM, BRANCH_FLAGS + branches.COUNT)))


def run(arguments: argparse.Namespace) -> int:
    """Prints the samples; returns the exit status."""
    lines_of = json_lines if arguments.json else text_lines
    with inputs_of(arguments, arguments.file, Detail.SYMBOL) as inputs:
        for source in inputs:
            with blaming(source.file):
                for line in lines_of(source.batches()):
                    with printing():
                        sys.stdout.write(line)
        return status_of(recordings_of(inputs))


def samples_as_dicts(samples: Samples) -> Iterator[dict[str, object]]:
    """Yields a dictionary of each sample's fields.

    ``callers`` has the callers, ``pmds`` the values of PMDs. If callers may be offsets
    in files, ``caller_cookies`` has the files' cookies.
    """
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
        files = samples.chains.files_to_lists()
        if files is not None:
            columns.append(list(files))
            names.append(CALLER_COOKIES)
    rows: Iterator[tuple[object, ...]] = (
        zip(*columns) if columns else iter([()] * samples.count)
    )
    for row, values_of in zip(rows, pmds):
        yield {**dict(zip(names, row)), "pmds": values_of}


def json_lines(batches: Iterable[Batch]) -> Iterator[str]:
    """Yields the samples as JSON, one object per line; each string has one batch."""
    for batch in batches:
        rows = samples_as_dicts(batch.samples)
        if branches.recorded(batch.samples):
            rows = map(_with_branches, rows)
        yield "".join(json.dumps(row) + "\n" for row in rows)


def _with_branches(sample: dict[str, object]) -> dict[str, object]:
    pmds = sample["pmds"]
    assert isinstance(pmds, dict)
    return {**sample, "branches": branches.objects(pmds)}


def text_lines(batches: Iterable[Batch]) -> Iterator[str]:
    """Yields the samples as lines of name=value pairs; PMDs are named by their index.

    Branches are listed in the order in which they occurred.
    """
    for batch in batches:
        shown = branches.recorded(batch.samples)
        branch_pmds = BRANCH_PMDS if shown else frozenset[str]()
        addresses = {batch.samples.name_of(role) for role in ADDRESSES}
        hexadecimal = HEXADECIMAL | addresses
        samples = samples_as_dicts(batch.samples)
        yield "".join(
            _line(sample, hexadecimal, branch_pmds) + "\n" for sample in samples
        )


def _line(
    sample: dict[str, object],
    hexadecimal: Container[str | None],
    branch_pmds: AbstractSet[str],
) -> str:
    pmds, callers = sample.pop("pmds"), sample.pop(CALLERS, None)
    cookies = sample.pop(CALLER_COOKIES, None)
    assert isinstance(pmds, dict)
    fields = [
        f"{name}={value:#x}" if name in hexadecimal else f"{name}={value}"
        for name, value in sample.items()
    ]
    if isinstance(callers, list):
        fields.append(f"{CALLERS}={','.join(map(hex, callers))}")
    if isinstance(cookies, list):
        fields.append(f"{CALLER_COOKIES}={','.join(map(str, cookies))}")
    if branch_pmds & pmds.keys():
        fields.append(f"branches={','.join(branches.texts(pmds))}")
    plain = {index: value for index, value in pmds.items() if index not in branch_pmds}
    return " ".join(fields + [f"pmd{index}={value}" for index, value in plain.items()])
