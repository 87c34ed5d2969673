# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print histograms as text; test_mem.py has the manual's histograms."""

from __future__ import annotations

import io
from dataclasses import replace
from typing import Optional

import pytest
from pfmparse.analysis.keys import Value
from pfmparse.analysis.levels import Thresholds
from pfmparse.analysis.memory import Row
from pfmparse.commands.histogram import Histogram, Options, print_text

NAMES = ("L1", "L2", "L3", "RAM", "n/a")
EVIL = {"symbol": None, "object": "/\x1b[2J", "address": 0x10}
ROWS = [
    Row(Value("0x10", "/\x1b[2J", EVIL), 3, 10, [0, 1, 2, 0, 0]),
    Row(Value("0x20", "", {"address": 0x20}), 1, 0, [0, 0, 0, 0, 1]),
]
PLAIN = Histogram(
    options=Options(),
    per="address",
    samples=4,
    rows=ROWS,
    names=NAMES,
    of_each=[0, 1, 2, 0, 1],
    thresholds=Thresholds(5, 14),
    sources=False,
    khz=None,
    lost=0,
    skipped=0,
    translations=False,
    of_data=False,
)


def text(histogram: Histogram) -> list[str]:
    """Return the lines of the histogram's text."""
    out = io.StringIO()
    print_text(histogram, out)
    return out.getvalue().splitlines()


def test_histogram_shows_na_column_if_needed() -> None:
    assert text(PLAIN)[-3:] == [
        "# #count   %self    %cum     %L2     %L3    %RAM    %n/a   instruction addr",
        "       3  75.00%  75.00%  33.33%  66.67%   0.00%   0.00% 0x0000000000000010"
        " /\\x1b[2J",
        "       1  25.00% 100.00%   0.00%   0.00%   0.00% 100.00% 0x0000000000000020",
    ]


def test_histogram_omits_unknown_levels() -> None:
    unknown = replace(PLAIN, of_each=[0, 0, 0, 0, 4], thresholds=None)
    lines = text(unknown)
    assert "# levels are unknown: use --l2 and --l3 to classify by latency" in lines
    assert lines[-3] == "# #count   %self    %cum   instruction addr"
    lines = text(replace(unknown, sums=True))
    why = "the format records only sums of latencies"
    assert f"# levels are unknown: {why}" in lines


def test_histogram_shows_levels_that_occur() -> None:
    found = replace(PLAIN, thresholds=None, sources=True, of_each=[1, 0, 3, 0, 0])
    lines = text(found)
    assert "# %L1  : percentage of samples that hit L1" in lines
    assert lines[-3].split()[4:6] == ["%L1", "%L3"]


def test_histogram_explains_tlb_levels() -> None:
    found = replace(PLAIN, thresholds=None, translations=True, of_each=[1, 2, 0, 0, 0])
    lines = text(found)
    what = "percentage of addresses whose translation was found in"
    assert f"# %L1  : {what} the first-level TLB, or in a TLB of unknown level" in lines
    assert f"# %L2  : {what} the second-level TLB" in lines


@pytest.mark.parametrize(
    "khz,latency,samples,ns",
    [
        (1400000, 5, 1, "4"),
        (1400000, 15, 1, "11"),
        (1000000, 1, 2, "1"),
        (1000000, 5, 2, "3"),
        (None, 5, 1, "-"),
    ],
)
def test_histogram_rounds_latencies_to_ns(
    khz: Optional[int], latency: int, samples: int, ns: str
) -> None:
    level = Row(Value("L2 hit", "L2 hit"), samples, latency, [0, samples, 0, 0, 0])
    lines = text(replace(PLAIN, per="level", rows=[level], khz=khz))
    assert lines[-1].split()[4] == ns


def test_histogram_shows_no_unknown_latencies() -> None:
    level = Row(Value("L2 hit", "L2 hit"), 3, 0, [0, 3, 0, 0, 0])
    lines = text(replace(PLAIN, per="level", rows=[level], with_latencies=False))
    assert lines[-1].split()[3:5] == ["-", "-"]


@pytest.mark.parametrize(
    "per,of_data,view",
    [
        ("address", True, "data addr"),
        ("symbol", True, "data symbol addr"),
        ("page", False, "code page addr"),
        ("line", False, "line"),
    ],
)
def test_histogram_header_names_the_rows(per: str, of_data: bool, view: str) -> None:
    lines = text(replace(PLAIN, per=per, of_data=of_data, rows=[]))
    assert lines[1] == f"# {view} view" and lines[-1].endswith(view)
    grouped = "per symbol histogram" if per == "symbol" else "per distinct value"
    assert lines[3] == f"# showing {grouped}"


def test_empty_histogram_has_only_a_header() -> None:
    empty = replace(PLAIN, samples=0, rows=[], of_each=[0] * 5)
    assert text(empty)[0] == "# total_samples 0"
