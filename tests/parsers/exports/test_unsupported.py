# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that an export reports recorded data that its file format cannot store."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from helpers import every_format
from helpers.exporting import EXPORTS, called, exported
from helpers.programs import Program
from helpers.readers import opened
from helpers.stacks_capture import stack_capture
from helpers.wire_format import fields
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
    """Return the names of the recorded data that an export notes as missing."""
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


def integers_in(file: Path, to: str) -> set[int]:
    """Return the integers in a text file, or the labels and addresses in a profile."""
    data = file.read_bytes()
    if to == "otlp":
        return integers_of_otlp(data)
    if to != "pprof":
        return set(map(int, re.findall(rb"(?<![\w.#])\d+(?![\w.])", data)))
    messages = list(fields(gzip.decompress(data)))
    samples = [list(fields(body)) for number, body in messages if number == 2]
    labels = [dict(fields(b)) for parts in samples for n, b in parts if n == 3]
    places = [dict(fields(body)) for number, body in messages if number == 4]
    return {label.get(3, 0) for label in labels} | {place[3] for place in places}


def integers_of_otlp(data: bytes) -> set[int]:
    """Return the attributes and addresses in OTLP profiles."""
    tables = list(fields(dict(fields(data))[2]))
    places = [dict(fields(body)) for number, body in tables if number == 2 and body]
    attributes = [dict(fields(body)) for number, body in tables if number == 6 and body]
    values = [
        value for one in attributes for kind, value in fields(one[2]) if kind == 3
    ]
    return {*values} | {place.get(2, 0) for place in places}


@pytest.mark.parametrize("name", ["default", "flight", "callstack"])
@pytest.mark.parametrize(
    "to", sorted({*EXPORTS} - {"sql", "npz", "perf-data", "parquet"})
)
def test_threads_and_addresses_are_lacking_or_in_the_file(
    to: str, name: str, captures: dict[str, Path], program: Program, tmp_path: Path
) -> None:
    out = exported(captures[name], to, tmp_path / "out")
    argv = ["export", str(captures[name]), "--to", to, "-o", str(out), "--json"]
    lacking = json.loads(called(*argv)[1])["not_carried"]
    found = integers_in(out, to)
    assert ("thread IDs" in lacking) is not (every_format.WORKER in found)
    if to != "csv":  # CSV has hexadecimal addresses
        at = program.address("hot")
        assert ("addresses" in lacking) is not bool({at, at + 1} & found)


def test_lacking_data_fails_a_strict_job() -> None:
    job = Job([], Path("x"), strict=True)
    job.check()
    job.lack("times")
    said = "not written: the format does not store times"
    with pytest.raises(ExportError, match=said):
        job.check()
    Job([], Path("x")).check()
