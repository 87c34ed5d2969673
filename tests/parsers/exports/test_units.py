# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the units of weights."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from helpers.exporting import exported
from helpers.readers import opened
from helpers.wire_format import fields
from helpers.writers import Sample, buffer, bufr, capture, json_chunk, pmd, session
from pfmparse.analysis.profile import Profile, Row
from pfmparse.exports.interface import Job
from pfmparse.exports.titles import events_of
from pfmparse.exports.units import event_unit, unit_of, weight_unit


def test_graph_unit_is_the_weight() -> None:
    rows = [Row(0, 1, 0, 1, 1)]
    profile = Profile(events=["cycles", "loads"], rows=rows)
    assert events_of(profile) == ["loads"]
    assert unit_of(Job([], Path("x")), profile) == "samples"
    assert unit_of(Job([], Path("x"), "latency"), profile) == "latency"
    assert unit_of(Job([], Path("x"), "period"), profile) == "loads"
    rows.append(Row(0, 0, 0, 1, 1))
    assert unit_of(Job([], Path("x"), "period"), profile) == "events"


@pytest.mark.parametrize(
    "event,unit",
    [
        ("cpu-clock", "nanoseconds"),
        ("task-clock:u", "nanoseconds"),
        ("perf::PERF_COUNT_SW_CPU_CLOCK:u=1", "nanoseconds"),
        ("cycles", "count"),
        ("cpu_clk_unhalted.ref_tsc", "count"),
        ("page-faults", "count"),
        ("[unknown]", "count"),
    ],
)
def test_clocks_count_nanoseconds(event: str, unit: str) -> None:
    assert event_unit(event) == unit


def clocked() -> bytes:
    """Build a capture of clock samples and page-fault samples; both record a PMD."""
    pmds = [
        {**pmd(0, [2]), "event": "cpu-clock"},
        {**pmd(1, [2]), "event": "page-faults"},
        {**pmd(2, sampling=False), "event": "task-clock"},
    ]
    samples = [
        Sample(ip=1, pid=100, pmds=((2, 7),)),
        Sample(ip=2, pid=100, ovfl_pmd=1, pmds=((2, 9),)),
    ]
    return capture(json_chunk("SESS", session({0: pmds})), bufr(buffer(samples)))


def test_weight_unit_follows_event_and_pmd() -> None:
    source = opened(clocked())

    def units(weight: str) -> list[str]:
        job = Job([source], Path("x"), weight)
        return [weight_unit(job, name) for name in ("cpu-clock", "page-faults")]

    assert units("period") == ["nanoseconds", "count"]
    assert units("pmd2") == ["nanoseconds", "nanoseconds"]
    assert units("pmd1") == ["count", "count"]
    assert units("latency") == ["cycles", "cycles"]
    assert units("cpu") == ["count", "count"]
    assert units("wall") == units("off") == ["nanoseconds", "nanoseconds"]
    clock = Profile(events=["cpu-clock", "loads"], rows=[Row(0, 0, 0, 1, 1)])
    assert unit_of(Job([source], Path("x"), "period"), clock) == "ns"
    assert unit_of(Job([source], Path("x"), "pmd2"), clock) == "ns"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return the path of a file with the capture of clocked()."""
    path = tmp_path / "x.pfm"
    path.write_bytes(clocked())
    return path


def test_pprof_types_have_units_and_a_period(file: Path) -> None:
    out = exported(file, "pprof", file.with_name("out"), "--weight", "period")
    messages = list(fields(gzip.decompress(out.read_bytes())))
    texts = [body.decode() for number, body in messages if number == 6]
    kinds = [dict(fields(body)) for number, body in messages if number in (1, 11)]
    assert [f"{texts[kind[1]]}/{texts[kind[2]]}" for kind in kinds] == [
        "cpu-clock/count",
        "cpu-clock period/nanoseconds",
        "page-faults/count",
        "page-faults period/count",
        "cpu-clock/nanoseconds",
    ]
    assert dict(messages)[12] == 1000


@pytest.mark.parametrize(
    "to,unit,clock",
    [
        ("speedscope", lambda one: one["unit"], ["nanoseconds", "none"]),
        (
            "firefox",
            lambda one: one["samples"]["weightType"],
            ["tracing-ms", "samples"],
        ),
    ],
)
def test_profiles_of_clocks_have_a_unit(
    to: str, unit: Any, clock: list[str], file: Path
) -> None:
    for weight, units in (("period", clock), ("count", [clock[1]] * 2)):
        out = exported(file, to, file.with_name("out"), "--weight", weight)
        document = json.loads(out.read_text())
        parts = document.get("profiles") or document["threads"]
        assert list(map(unit, parts)) == units
