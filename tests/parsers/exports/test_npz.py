# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export as numpy arrays."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.cli import ROOT
from helpers.cli import rows as reported
from helpers.cli import told
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import (
    UUID_PEBS64,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    json_chunk,
    mapped,
    mapping,
    pebs_capture,
    pmd,
    session,
)
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]


def exported(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    *captures: bytes,
    weight: str = "count",
) -> Arrays:
    """Export captures and return the arrays."""
    files = []
    for number, data in enumerate(captures):
        files.append(str(tmp_path / f"{number}.pfm"))
        Path(files[-1]).write_bytes(data)
    path = tmp_path / "x.npz"
    options = ["--to", "npz", "-o", str(path), "--weight", weight]
    told(capsys, "export", *files, *options, warns=True)
    with np.load(path, allow_pickle=False) as arrays:
        return dict(arrays)


def names(arrays: Arrays) -> list[str]:
    """Return the names, sorted by their numbers."""
    return arrays["names"].tobytes().decode().split("\0")


def test_npz_samples_have_all_recorded_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sets = {0: [pmd(0, [1, 7]), pmd(1)]}
    samples = [
        Sample(ip=0x1008, pid=101, cpu=3, tstamp=5, pmds=((1, 8), (7, 1 << 63))),
        Sample(ip=0x9000, ovfl_pmd=1, tstamp=6, last_reset_val=(1 << 64) - 7),
    ]
    where = mapped(mapping(0x1000, 0x2000, 0, "/x"))
    data = capture(json_chunk("SESS", session(sets)), where, bufr(buffer(samples)))
    arrays = exported(tmp_path, capsys, data)
    found, name = arrays["samples"], names(arrays)
    assert found["time"].tolist() == [5, 6] and found["cpu"].tolist() == [3, 0]
    assert found["tid"].tolist() == [101, 100] and found["pid"].tolist() == [100, 100]
    assert [name[at] for at in found["comm"]] == ["hotloops", "hotloops"]
    assert found["period"].tolist() == [1000, 7] and found["count"].tolist() == [1, 1]
    assert found["pmd1"].tolist() == [8, 0]
    assert found["pmd7"].tolist() == [1 << 63, 0]
    assert found["stack"].tolist() == [-1, -1]
    assert "latency" not in (found.dtype.names or ())
    places = arrays["places"][found["place"]]
    assert places["address"].tolist() == [0x1008, 0x9000]
    assert [name[at] for at in places["object"]] == ["/x", "[unknown]"]
    events = arrays["events"][found["event"]]
    assert [name[at] for at in events["name"]] == ["event-0", "event-1"]
    assert events["pmd"].tolist() == [0, 1] and events["set"].tolist() == [0, 0]


def test_npz_stacks_are_trees_of_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays = exported(tmp_path, capsys, stack_capture())
    name, stacks = names(arrays), arrays["stacks"]
    functions = [name[at] for at in arrays["places"]["function"]]

    def text(node: int) -> str:
        found = []
        while node >= 0:
            found.append(functions[stacks["place"][node]])
            node = int(stacks["parent"][node])
        return ";".join(found)

    assert Counter(map(text, arrays["samples"]["stack"].tolist())) == {
        "hot;main": 6,
        "warm;main": 3,
        "schedule;warm;main": 1,
    }


def test_npz_separates_stacks_of_captures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = stack_capture([Stack(("f", "g"))], ["f", "g"])
    arrays = exported(tmp_path, capsys, stack_capture(), other)
    name, stacks = names(arrays), arrays["stacks"]
    functions = arrays["places"]["function"][stacks["place"]]
    last = int(arrays["samples"]["stack"][-1])
    assert name[functions[last]] == "f"
    assert name[functions[stacks["parent"][last]]] == "g"
    assert stacks["parent"][stacks["parent"][last]] == -1


def test_npz_keeps_data_of_each_capture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [{"ip": 1, "dla": 0x20, "lat": 9, "dse": 3}]
    pebs = pebs_capture(records, 176, session(uuid=UUID_PEBS64))
    plain = captured([Sample(ip=0x1000)] * 2)
    arrays = exported(tmp_path, capsys, plain, pebs, captured([]), stack_capture())
    found, name = arrays["samples"], names(arrays)
    assert found["latency"].tolist() == [0, 0, 9, *[0] * 10]
    assert found["data_address"][2] == 0x20 and found["data_source"][2] == 3
    inputs = arrays["events"]["input"][found["event"]]
    assert inputs.tolist() == [0, 0, 1, *[3] * 10]
    assert [name[at] for at in arrays["inputs"]["file"]] == [
        str(tmp_path / f"{number}.pfm") for number in range(4)
    ]
    assert arrays["inputs"]["samples"].tolist() == [2, 1, 0, 10]
    assert arrays["inputs"]["lost"].tolist() == [7, 7, 7, 7]
    functions = arrays["places"]["function"][found["place"]]
    assert Counter(name[at] for at in functions[3:]) == reported(
        capsys, "function", tmp_path / "3.pfm"
    )


def test_npz_without_samples_has_empty_arrays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arrays = exported(tmp_path, capsys, captured([]))
    assert arrays["samples"].size == 0 and arrays["places"].size == 0


def test_npz_export_is_reproducible(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    exported(tmp_path, capsys, stack_capture())
    first = (tmp_path / "x.npz").read_bytes()
    exported(tmp_path, capsys, stack_capture())
    assert (tmp_path / "x.npz").read_bytes() == first


def test_npz_example_of_the_page_agrees_with_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (ROOT / "docs/exports.md").read_text()
    (code,) = re.findall(r"<!-- tried: npz -->\n```python\n(.*?)```", page, re.DOTALL)
    exported(tmp_path, capsys, stack_capture())
    (tmp_path / "x.npz").rename(tmp_path / "hotloops.npz")
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    found = {name: int(count) for count, _, name in lines if count != "0"}
    assert found == {"hot": 6, "warm": 3, "schedule": 1}


def test_npz_has_a_weight_field(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    samples = [Sample(cpu=3), Sample(cpu=5, last_reset_val=(1 << 64) - 7)]
    data = captured(samples)
    for weight, known in (("cpu", [3, 5]), ("period", [1000, 7])):
        found = exported(tmp_path, capsys, data, weight=weight)["samples"]
        assert found["weight"].tolist() == known
    found = exported(tmp_path, capsys, data)["samples"]
    assert "weight" not in (found.dtype.names or ())
