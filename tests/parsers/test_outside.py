# SPDX-License-Identifier: MIT OR GPL-2.0
"""Use all views and exports with a third-party format that has roles and weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable

import numpy as np
import pytest
from helpers.cli import run, told
from helpers.exporting import EXPORTS
from helpers.writers import bufr, capture, json_chunk, mapped, mapping, session
from numpy.typing import NDArray
from pfmparse import (
    Chains,
    Decoded,
    Format,
    PfmParseError,
    Region,
    Role,
    Samples,
    Session,
)
from pfmparse.formats import registry
from pfmparse.formats.registry import Parser

Capsys = pytest.CaptureFixture[str]
UUID = "00000000-0000-4000-8000-0000000000aa"
RECORD = np.dtype(
    [
        ("pc", "<u8"),
        ("caller", "<u8"),
        ("touched", "<u8"),
        ("took", "<u8"),
        ("when", "<u8"),
        ("thread", "<u4"),
        ("task", "<u4"),
        ("core", "<u4"),
        ("times", "<u4"),
    ]
)
ROLES = {
    Role.ADDRESS: "pc",
    Role.DATA_ADDRESS: "touched",
    Role.LATENCY: "took",
    Role.TIME: "when",
    Role.THREAD: "thread",
    Role.PROCESS: "task",
    Role.CPU: "core",
    Role.WEIGHT: "times",
}
ROWS = [
    (0x1000, 0x2008, 0x5000, 7, 10**9, 101, 100, 0, 60),
    (0x2000, 0x2008, 0x5040, 9, 2 * 10**9, 102, 100, 1, 30),
    (0x3000, 0x2008, 0x6000, 300, 3 * 10**9, 102, 100, 1, 10),
]
TOTAL = 100


def decoder(_: Session) -> Any:
    """Return a decoder of buffers that are arrays of RECORD."""

    def decode(data: Any) -> Decoded:
        records: NDArray[np.void] = np.frombuffer(data, RECORD)
        chains = Chains.of_table(
            records["caller"].astype(np.uint64).reshape(-1, 1),
            np.ones(records.size, np.intp),
        )
        samples = Samples.of_records(records, roles=ROLES, chains=chains)
        return Decoded((Region(0, samples),))

    return decode


@pytest.fixture
def outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the path of a capture in a format of another package."""
    return written(tmp_path, monkeypatch, decoder)


def written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Session], Any]
) -> str:
    """Write a capture in a format whose decoders ``make`` returns; return its path."""
    form = Format(name="outside", uuid=UUID, decoder=make)
    known = {**registry.known(), UUID: Parser(form, "other (other.package)")}
    monkeypatch.setattr(registry, "known", lambda: known)
    path = tmp_path / "outside.pfm"
    chunks = [mapped(mapping(0x1000 * n, 0x1000 * (n + 1), 0, f"[{n}]")) for n in (1,)]
    data = np.array(ROWS, RECORD).tobytes()
    path.write_bytes(
        capture(json_chunk("SESS", session(uuid=UUID)), *chunks, bufr(data))
    )
    return str(path)


VIEWS = (
    "report",
    "report --by function,tid,cpu",
    "report --by data-address --weight latency",
    "report --callers",
    "timeline --step 1s --by tid",
    "mem --view data",
    "mem --per cacheline",
)


@pytest.mark.parametrize("view", VIEWS)
def test_views_use_roles_of_third_party_format(
    view: str, outside: str, capsys: Capsys
) -> None:
    status, out, err = run(capsys, *view.split(), outside)
    assert status == 0, err
    assert f"{TOTAL}" in out


@pytest.mark.parametrize(
    "error,said",
    [
        (PfmParseError("an odd session", 8), "offset 0x8: an odd session"),
        (
            KeyError("x"),
            "decoder of format outside of other (other.package): KeyError: 'x' (",
        ),
    ],
)
def test_decoder_that_cannot_be_made_is_reported(
    error: Exception,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: Capsys,
) -> None:
    def make(_: Session) -> Any:
        raise error

    path = written(tmp_path, monkeypatch, make)
    status, out, err = run(capsys, "report", path)
    assert (status, out) == (1, "") and err.startswith(f"pfmparse: {path}: {said}")


def test_stats_count_weighted_samples(outside: str, capsys: Capsys) -> None:
    argv = ["report", "--by", "tid", "--weight", "latency"]
    stats = "sum,mean,min,max,count,p50,p90"
    rows = told(capsys, *argv, "--stat", stats, outside, warns=True)["rows"]
    assert rows[0]["key"] == 102 and rows[0]["stats"]["latency"] == {
        "sum": 3270,
        "mean": 3270 / 40,
        "min": 9,
        "max": 300,
        "count": 40,
        "p50": 9,
        "p90": 303,
    }


def test_selection_uses_roles_of_third_party_format(
    outside: str, capsys: Capsys
) -> None:
    for selected, count in (
        (["--tid", "102"], 40),
        (["--cpu", "0"], 60),
        (["--pid", "100"], 100),
        (["--time", "1s-2s"], 30),
        (["--object", "[1]"], 60),
        (["--kernel"], 0),
    ):
        found = told(capsys, "report", "--by", "ip", *selected, outside, warns=True)
        assert found["total"] == count, selected


@pytest.mark.parametrize("to", EXPORTS)
def test_exports_carry_samples_of_third_party_format(
    to: str, outside: str, tmp_path: Path, capsys: Capsys
) -> None:
    out = tmp_path / "out"
    argv = ["export", outside, "--to", to, "-o", str(out), "--json"]
    status, printed, err = run(capsys, *argv)
    assert status == 0, err
    assert json.loads(printed)["samples"] == TOTAL and out.stat().st_size
