# SPDX-License-Identifier: MIT OR GPL-2.0
"""Aggregate memory samples."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.readers import opened
from helpers.writers import (
    UUID_PEBS64,
    Sample,
    bufr,
    capture,
    captured,
    json_chunk,
    mapped,
    mapping,
    pebs,
    pmd,
    session,
    simple_capture,
)
from pfmparse import Batch, Role, Samples
from pfmparse.analysis.keys import Value
from pfmparse.analysis.levels import Levels, Thresholds
from pfmparse.analysis.memory import Row, Tally, add_row, by, detail_of
from pfmparse.analysis.requests import PERS, VIEWS
from pfmparse.errors import PfmParseError
from pfmparse.symbols.location import Detail


def test_mem_rows_sum_weights() -> None:
    columns = {
        "address": np.array([8, 8, 16]),
        "cycles": np.array([3, 7, 20]),
        "times": np.array([10, 1, 2]),
    }
    roles = {
        Role.DATA_ADDRESS: "address",
        Role.LATENCY: "cycles",
        Role.WEIGHT: "times",
    }
    source = opened(simple_capture([]))
    tally = Tally(by("data", "address", source), Levels(None, Thresholds(5, 14)))
    tally.add(Batch(Samples(3, columns, roles=roles), 0))
    tally.add(Batch(Samples(0, {}), 0))
    rows = {row.value.key: row for row in tally.rows().values()}
    assert {key: (row.samples, row.latency) for key, row in rows.items()} == {
        "0x8": (11, 37),
        "0x10": (2, 40),
    }
    classes = [dict(zip(Levels.names, row.classes)) for row in rows.values()]
    assert [(c["L2"], c["L3"], c["RAM"]) for c in classes] == [(10, 1, 0), (0, 0, 2)]


def row(address: int, samples: int, where: str = "/lib") -> Row:
    """Build a row of function f."""
    extra = {"symbol": "f", "object": where, "address": address}
    return Row(Value("f", "f", extra), samples, 7 * samples, [samples, 0])


def test_function_mapped_twice_is_one_row() -> None:
    rows: dict[tuple[object, ...], Row] = {}
    for one in (row(0x2000, 1), row(0x1000, 2), row(0x3000, 4), row(9, 8, "/other")):
        add_row(rows, one)
    ours, other = rows.values()
    assert (ours.address, ours.samples, ours.latency) == (0x1000, 7, 49)
    assert ours.classes == [7, 0] and other.samples == 8


def test_mem_views_have_default_rows() -> None:
    assert {view: pers[0] for view, pers in VIEWS.items()} == {
        "inst": "address",
        "data": "address",
        "level": "level",
        "tlb": "level",
    }
    assert set(PERS) == {per for pers in VIEWS.values() for per in pers}


def test_mem_lines_need_line_details() -> None:
    assert detail_of("line") is Detail.LINE
    assert {detail_of(per) for per in set(PERS) - {"line"}} == {Detail.SYMBOL}


def test_page_rows_need_a_page_size() -> None:
    sess = session()
    sess["machine"]["page_size"] = 0
    source = opened(simple_capture([Sample()], sess))
    with pytest.raises(PfmParseError, match="does not record the page size"):
        by("inst", "page", source)


def test_data_rows_are_labelled_by_mapping() -> None:
    data = capture(
        json_chunk("SESS", session({0: [pmd(0)]}, UUID_PEBS64)),
        mapped(mapping(0x1000, 0x2000, 0, "[heap]", prot="rw-p")),
        bufr(pebs([{"dla": at} for at in (0x1008, 0x5000)], UUID_PEBS64, 176)),
    )
    source = opened(data)
    tally = Tally(by("data", "address", source), Levels(None, None))
    for batch in source.batches():
        tally.add(batch)
    labels = {row.value.key: row.value.label for row in tally.rows().values()}
    assert labels == {"0x1008": "[heap]", "0x5000": ""}


def test_mem_rows_of_missing_column_are_refused() -> None:
    source = opened(captured([Sample()], mapped(mapping(0, 1, 0, "x"))))
    tally = Tally(by("data", "page", source), Levels(None, None))
    with pytest.raises(PfmParseError, match="no data-address"):
        for batch in source.batches():
            tally.add(batch)


def test_row_without_symbol_has_lowest_address() -> None:
    data = capture(
        json_chunk("SESS", session({0: [pmd(0)]}, UUID_PEBS64)),
        mapped(mapping(0x1000, 0x2000, 0, "[heap]", prot="rw-p")),
        bufr(pebs([{"dla": at} for at in (0x1808, 0x1008)], UUID_PEBS64, 176)),
        bufr(pebs([{"dla": at} for at in (0x1010, 0x5000)], UUID_PEBS64, 176)),
    )
    source = opened(data)
    tally = Tally(by("data", "symbol", source), Levels(None, None))
    for batch in source.batches():
        tally.add(batch)
    rows = [(r.value.key, r.address, r.samples) for r in tally.rows().values()]
    assert sorted(rows) == [("[heap]", 0x1008, 3), ("[unknown]", 0x5000, 1)]


def test_latency_sum_beyond_64_bits_is_refused() -> None:
    columns = {
        "address": np.array([8, 8]),
        "cycles": np.array([3, 1 << 33]),
        "times": np.array([10, 1 << 31]),
    }
    roles = {
        Role.DATA_ADDRESS: "address",
        Role.LATENCY: "cycles",
        Role.WEIGHT: "times",
    }
    tally = Tally(by("data", "address", opened(simple_capture([]))), Levels(None, None))
    with pytest.raises(PfmParseError, match="'latency' times .* more than 64 bits"):
        tally.add(Batch(Samples(2, columns, roles=roles), 0))
