# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the dump command."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.cli import run
from helpers.three_samples import SAMPLES, whole_capture
from helpers.writers import (
    IIP_HDR,
    NO_HDR,
    UUID_PEBS64,
    Json,
    Sample,
    pebs_capture,
    pmd,
    session,
    simple_capture,
)
from pfmparse import Batch, Chains, Recording, Role, open_raw
from pfmparse.commands.dump import json_lines, samples_as_dicts, text_lines
from pfmparse.formats.samples import PmdGroup, Samples


def test_dump_json_has_one_sample_per_line(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "dump", "--json", file)
    assert (status, err) == (0, "")
    assert [json.loads(line) for line in out.splitlines()] == [
        sample.as_dict() for sample in SAMPLES
    ]


def test_dump_text_has_one_sample_per_line(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, _ = run(capsys, "dump", file)
    assert len(out.splitlines()) == 3
    first = out.splitlines()[0].split()
    assert {"pid=101", "ip=0x1000", "pmd2=18446744073709551615"} <= set(first)


@pytest.mark.parametrize("flags", [NO_HDR, IIP_HDR])
def test_dump_has_only_the_fields_that_were_recorded(
    flags: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(whole_capture(flags))
    _, out, _ = run(capsys, "dump", "--json", str(path))
    assert [json.loads(line) for line in out.splitlines()] == [
        sample.as_dict(flags) for sample in SAMPLES
    ]


def test_addresses_and_status_are_hexadecimal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, sess = tmp_path / "x.pfm", session(uuid=UUID_PEBS64)
    record = {"ip": 4096, "r8": 255, "dla": 16, "dse": 17, "status": 18, "lat": 19}
    path.write_bytes(pebs_capture([record], 176, sess))
    _, out, _ = run(capsys, "dump", str(path))
    words = {"ip=0x1000", "r8=0xff", "dla=0x10", "dse=0x11", "status=0x12", "lat=19"}
    assert words <= set(out.split())


def test_dumped_samples_have_pmds_of_their_group() -> None:
    values = np.array([[50, 70], [51, 71]], "<u8")
    group = PmdGroup(np.array([2, 0]), (5, 7), values)
    samples = Samples(3, {"ip": np.array([1, 2, 3], "<u8")}, (group,))
    assert list(samples_as_dicts(samples)) == [
        {"ip": 1, "pmds": {"5": 51, "7": 71}},
        {"ip": 2, "pmds": {}},
        {"ip": 3, "pmds": {"5": 50, "7": 70}},
    ]


@pytest.mark.parametrize(
    ("pmu", "words"),
    [
        ("perf_events", {"pmd5=7", "branches=0x40/0x50/-/-/-/0/-,0x10/0x20/M/-/-/0/-"}),
        ("usage", {"pmd5=7", "pmd272=16", "pmd273=64", "pmd281=80"}),
    ],
)
def test_dump_lists_branches_of_perf_events(
    pmu: str, words: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    pmds = ((5, 7), (272, 0x10), (273, 0x40), (280, 0x20), (281, 0x50), (288, 1))
    described = session({0: [pmd(0, [number for number, _ in pmds])]})
    described["machine"]["pmu"] = pmu
    path.write_bytes(simple_capture([Sample(pmds=pmds)], described))
    _, out, _ = run(capsys, "dump", str(path))
    assert words <= set(out.split())
    assert ("pmd272" in out) is (pmu != "perf_events")


@pytest.mark.parametrize(
    ("flags", "described"),
    [
        (0, {}),
        (1, {"predicted": False}),
        (2 | 9 << 4 | 6 << 20, {"predicted": True, "cycles": 9, "type": "RET"}),
        (4, {"transaction": True}),
        (8, {"abort": True}),
    ],
)
def test_json_dump_describes_branches_oldest_first(
    flags: int, described: Json, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    pmds = ((272, 0x10), (273, 0x40), (280, 0x20), (281, 0x50), (288, flags), (289, 0))
    sess = session({0: [pmd(0, [number for number, _ in pmds])]})
    path.write_bytes(simple_capture([Sample(pmds=pmds)], sess))
    _, out, _ = run(capsys, "dump", "--json", str(path))
    plain: Json = {"predicted": None, "transaction": False, "abort": False}
    plain |= {"cycles": 0, "type": None}
    assert json.loads(out)["branches"] == [
        {"from": 0x40, "to": 0x50, **plain},
        {"from": 0x10, "to": 0x20, **plain, **described},
    ]
    assert json.loads(out)["pmds"] == {str(number): value for number, value in pmds}


def test_json_dump_without_branches_has_no_list(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pfm"
    path.write_bytes(simple_capture([Sample()], session({0: [pmd(0)]})))
    _, out, _ = run(capsys, "dump", "--json", str(path))
    assert "branches" not in json.loads(out)


def test_dump_keeps_samples_without_columns() -> None:
    assert list(samples_as_dicts(Samples(2, {}))) == [{"pmds": {}}] * 2


@pytest.fixture
def called() -> Recording:
    """Build a recording of two samples with call chains and a custom address column."""
    chains = Chains.of_table(np.array([[16, 255], [0, 0]], "<u8"), np.array([2, 0]))
    columns = {"pc": np.array([17, 18], "<u8"), "n": np.array([1, 2], "<u8")}
    samples = Samples(2, columns, roles={Role.ADDRESS: "pc"}, chains=chains)
    recording = open_raw(b"", json.dumps(session()).encode())
    recording.batches = lambda: iter([Batch(samples, 0)])  # type: ignore
    return recording


def test_dumped_samples_have_their_callers(called: Recording) -> None:
    out = "".join(json_lines(called.batches()))
    assert [json.loads(line) for line in out.splitlines()] == [
        {"pc": 17, "n": 1, "callers": [16, 255], "pmds": {}},
        {"pc": 18, "n": 2, "callers": [], "pmds": {}},
    ]


def test_dump_prints_addresses_in_hexadecimal(called: Recording) -> None:
    assert "".join(text_lines(called.batches())) == (
        "pc=0x11 n=1 callers=0x10,0xff\npc=0x12 n=2 callers=\n"
    )
