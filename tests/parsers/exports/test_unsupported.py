# SPDX-License-Identifier: MIT OR GPL-2.0
"""Notes about data that an export format cannot carry."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.readers import opened
from helpers.stacks_capture import stack_capture
from helpers.writers import (
    UUID_PEBS64,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    json_chunk,
    pebs_capture,
    pmd,
    session,
)
from pfmparse import Role
from pfmparse.exports.interface import ExportError, Job
from pfmparse.exports.unsupported import noted

ALL = frozenset(Role)


def lacks(data: bytes, *carries: Role, **more: bool) -> list[str]:
    """Return what the export of a capture notes as not carried."""
    source = opened(data)
    job = Job([source], Path("x"))
    for _ in noted(job, source, frozenset(carries), **more):
        pass
    return list(job.lacks)


def test_lacking_roles_are_noted() -> None:
    data = captured([Sample()])
    names = ["addresses", "thread IDs", "CPUs", "times", "losses"]
    assert lacks(data) == names
    assert lacks(data, Role.TIME, Role.CPU) == [*names[:2], names[4]]
    assert lacks(data, *ALL, losses=True) == []


def test_lacking_chains_and_pmds_are_noted() -> None:
    assert lacks(stack_capture(), *ALL, chains=False, losses=True) == ["call chains"]
    data = capture(
        json_chunk("SESS", session({0: [pmd(0, [1])]})),
        bufr(buffer([Sample(pmds=((1, 5),))])),
    )
    assert lacks(data, *ALL) == ["PMD values"]
    assert lacks(data, *ALL, pmds=True) == []


def test_lacking_format_columns_are_noted_by_name() -> None:
    data = pebs_capture([{"ip": 1, "eax": 5}], 176, session(uuid=UUID_PEBS64))
    found = lacks(data, *ALL, losses=True)
    (text,) = found
    assert text.startswith("columns eflags, eax, ") and "dla" not in text


def test_lacking_data_fails_a_strict_job() -> None:
    job = Job([], Path("x"), strict=True)
    job.check()
    job.lack("times")
    with pytest.raises(ExportError, match="not written: times"):
        job.check()
    Job([], Path("x")).check()
