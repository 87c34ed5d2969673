# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report PMD statistics."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.cli import run, told
from helpers.writers import Sample, buffer, bufr, capture, json_chunk, pmd, session

SETS = {0: [pmd(0, [3, 4]), pmd(1)]}
SAMPLES = [
    Sample(cpu=0, pmds=((3, 10), (4, 2))),
    Sample(cpu=0, pmds=((3, 30), (4, 3))),
    Sample(cpu=0, ovfl_pmd=1),
    Sample(cpu=1, ovfl_pmd=1),
]


@pytest.fixture
def with_pmds(tmp_path: Path) -> str:
    """Return the path of a capture with PMD values in its first buffer only."""
    chunks = [bufr(buffer(part)) for part in (SAMPLES[:3], SAMPLES[3:])]
    path = tmp_path / "pmds.pfm"
    path.write_bytes(capture(json_chunk("SESS", session(SETS)), *chunks))
    return str(path)


def test_report_json_has_pmd_statistics(
    with_pmds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["report", "--by", "cpu", "--pmd", "3,3/4", "--stat", "sum,mean,max,hist"]
    rows = told(capsys, *argv, with_pmds, warns=True)["rows"]
    assert [row["pmds"] for row in rows] == [
        {
            "pmd3": {
                "sum": 40,
                "mean": 20.0,
                "max": 30,
                "hist": [
                    {"low": 8, "high": 15, "count": 1},
                    {"low": 16, "high": 31, "count": 1},
                ],
                "samples": 2,
            },
            "pmd3/pmd4": {"ratio": 8.0},
        },
        {
            "pmd3": {"sum": None, "mean": None, "max": None, "hist": [], "samples": 0},
            "pmd3/pmd4": {"ratio": None},
        },
    ]


def test_stats_are_of_the_weight_unless_chosen(
    with_pmds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["report", "--by", "cpu", "--stat", "count,min,p50", with_pmds]
    of_weight = told(capsys, *argv, "--weight", "pmd3", warns=True)["rows"]
    of_pmd = told(capsys, *argv, "--of", "pmd3", warns=True)["rows"]
    figures = {"pmd3": {"count": 2, "min": 10, "p50": 10, "samples": 2}}
    assert of_weight[0]["pmds"] == of_pmd[0]["pmds"] == figures
    periods = told(capsys, *argv, "--of", "period", warns=True)["rows"]
    assert periods[0]["stats"] == {"period": {"count": 3, "min": 1000, "p50": 1007}}


def test_report_text_has_pmd_columns_and_histograms(
    with_pmds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    argv = ["report", "--by", "cpu", "--pmd", "3", "--stat", "mean,hist", with_pmds]
    _, out, _ = run(capsys, *argv)
    lines = [line.split() for line in out.splitlines()[:5]]
    assert lines[0][1:3] == ["pmd3", "mean"]
    assert lines[1] == ["3", "20", "75.00%", "75.00%", "0"]
    assert lines[2:4] == [["1", "pmd3", "8-15"], ["1", "pmd3", "16-31"]]
    assert lines[4] == ["1", "-", "25.00%", "100.00%", "1"]


def test_report_refuses_a_pmd_without_samples(
    with_pmds: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = run(capsys, "report", "--pmd", "5", with_pmds)
    assert (status, out) == (1, "")
    assert "no sample has values of PMD 5; recorded PMDs: 3, 4" in err
