# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the diff command."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Sequence

import pytest
from helpers.cli import run, told
from helpers.writers import (
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapped,
    mapping,
    session,
    totals,
)

Capsys = pytest.CaptureFixture[str]
SECOND = 10**9


def on_cpus(*cpus: int, seconds: int = 1, path: str = "/a/x") -> bytes:
    """Build a capture that took ``seconds``, with one sample on each of these CPUs."""
    sess: Json = session()
    end = {**totals(len(cpus)), "end_ns": sess["start_ns"] + seconds * SECOND}
    return capture(
        json_chunk("SESS", sess),
        mapped(mapping(0x1000, 0x2000, 0, path)),
        bufr(buffer([Sample(cpu=cpu, ip=0x1000) for cpu in cpus])),
        json_chunk("DONE", end),
    )


@pytest.fixture
def sides(tmp_path: Path) -> list[str]:
    """Return the paths of an old capture of 4 samples and a new one of 8.

    The new capture took twice as long.
    """
    old, new = tmp_path / "old.pfm", tmp_path / "new.pfm"
    old.write_bytes(on_cpus(0, 0, 1, 1))
    new.write_bytes(on_cpus(*[0] * 6, 1, 2, seconds=2, path="/b/x"))
    return [str(old), str(new)]


def deltas(capsys: Capsys, *argv: str) -> dict[Any, float]:
    """Return the differences by key, in the order of the output."""
    rows = told(capsys, "diff", *argv, warns=True)["rows"]
    return {row["key"]: row["delta"] for row in rows}


def test_diff_compares_shares_of_the_total(sides: list[str], capsys: Capsys) -> None:
    found = deltas(capsys, "--by", "cpu", *sides)
    assert list(found.items()) == [(1, -37.5), (0, 25.0), (2, 12.5)]


def test_diff_compares_samples_per_second(sides: list[str], capsys: Capsys) -> None:
    found = deltas(capsys, "--by", "cpu", "--normalise", "time", *sides)
    # Samples per second: 2 and 2 before; 3, 0.5 and 0.5 after.
    assert found == {1: -37.5, 0: 25.0, 2: 12.5}


def test_diff_by_time_refuses_capture_without_end(
    sides: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    cut = tmp_path / "cut.pfm"
    cut.write_bytes(capture(json_chunk("SESS", session())))
    argv = ["diff", "--normalise", "time", sides[0], str(cut)]
    status, out, err = run(capsys, *argv)
    assert (status, out) == (1, "")
    assert f"{cut}: " in err and "has no end time" in err


def test_diff_omits_small_differences(sides: list[str], capsys: Capsys) -> None:
    found = deltas(capsys, "--by", "cpu", "--min-delta", "20", *sides)
    assert set(found) == {0, 1}
    assert list(deltas(capsys, "--by", "cpu", "--top", "1", *sides)) == [1]


def test_diff_matches_objects_by_base_name(sides: list[str], capsys: Capsys) -> None:
    rows = told(capsys, "diff", "--by", "function", *sides, warns=True)["rows"]
    assert [(row["old"], row["new"], row["delta"]) for row in rows] == [(4, 8, 0.0)]


def test_diff_sums_captures_of_each_side(sides: list[str], capsys: Capsys) -> None:
    old, new = sides
    found = deltas(capsys, "--by", "cpu", "--old", old, old, "--new", new)
    assert found == {1: -37.5, 0: 25.0, 2: 12.5}


def test_diff_noise_is_two_standard_deviations(
    sides: list[str], capsys: Capsys
) -> None:
    rows = told(capsys, "diff", "--by", "cpu", *sides)["rows"]
    noise = {row["key"]: row["noise"] for row in rows}
    # The noise is two standard deviations in percent. The variance of the difference is
    # the sum of p (1 - p) / n of both sides.
    assert noise[0] == pytest.approx(200 * (0.25 / 4 + 0.75 * 0.25 / 8) ** 0.5)


def test_diff_of_weights_has_no_noise(sides: list[str], capsys: Capsys) -> None:
    argv = ["diff", "--by", "cpu", "--weight", "period", *sides]
    assert {row["noise"] for row in told(capsys, *argv)["rows"]} == {0.0}


def test_diff_with_an_empty_side(
    sides: list[str], tmp_path: Path, capsys: Capsys
) -> None:
    empty = tmp_path / "empty.pfm"
    empty.write_bytes(on_cpus())
    rows = told(capsys, "diff", "--by", "cpu", sides[0], str(empty))["rows"]
    # The noise is two standard deviations of the old side alone.
    noise = pytest.approx(200 * (0.25 / 4) ** 0.5)
    assert [(row["delta"], row["noise"]) for row in rows] == [(-50.0, noise)] * 2


def test_diff_text_has_a_line_per_difference(sides: list[str], capsys: Capsys) -> None:
    _, out, _ = run(capsys, "diff", "--by", "cpu", *sides)
    lines = [line.split() for line in out.splitlines()]
    assert lines[0] == ["delta", "noise", "old", "new", "cpu"]
    assert lines[1][0] == "-37.50%" and lines[1][2:] == ["2", "1", "1"]
    assert "samples: 4 and 8\n" in out


@pytest.mark.parametrize(
    "which", [(), (0,), (0, 1, 0), (0, 1, "--old", 0), ("--old", 0), ("--new", 1)]
)
def test_diff_needs_two_sides(
    which: Sequence[Any], sides: list[str], capsys: Capsys
) -> None:
    argv = [sides[word] if isinstance(word, int) else word for word in which]
    status, out, err = run(capsys, "diff", *argv)
    assert (status, out) == (1, "") and "diff needs two captures, OLD NEW" in err


@pytest.mark.parametrize("least", ["nan", "-1", "inf"])
def test_diff_min_delta_must_not_be_negative(
    least: str, sides: list[str], capsys: Capsys
) -> None:
    with pytest.raises(SystemExit):
        run(capsys, "diff", f"--min-delta={least}", *sides)
    assert (
        f"must be a percentage of at least 0, not '{least}'" in capsys.readouterr().err
    )
