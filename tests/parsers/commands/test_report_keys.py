# SPDX-License-Identifier: MIT OR GPL-2.0
"""What reports count by, but for locations."""

from __future__ import annotations

import json
from typing import Optional

import numpy as np
import pytest
from helpers.writers import Json, pmd, session
from pfmparse.commands.report_keys import TALLIES, Row, Tally
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import Samples
from pfmparse.recording import Batch, Recording, open_raw


def recording(sets: Optional[dict[int, list[Json]]] = None) -> Recording:
    """A recording of a session with these sets."""
    return open_raw(b"", json.dumps(session(sets)).encode())


def tallied(by: str, *batches: dict[str, list[int]]) -> Tally:
    """The tally of samples with these columns."""
    tally = TALLIES[by]()
    for batch in batches:
        columns = {name: np.array(values, "<u8") for name, values in batch.items()}
        tally.add(Batch(Samples(len(next(iter(batch.values()))), columns), 0))
    return tally


def counts(tally: Tally, of: Optional[Recording] = None) -> dict[object, int]:
    """Keys and counts, in the order of the counts."""
    rows = list(tally.rows(of or recording()))
    assert len({row.key for row in rows}) == len(rows)
    return {row.key: row.count for row in rows}


@pytest.mark.parametrize("by,column", [("tid", "pid"), ("cpu", "cpu")])
def test_numbers_of_all_batches_are_counted(by: str, column: str) -> None:
    tally = tallied(by, {column: [3, 1, 3]}, {column: [3]}, {column: []})
    assert counts(tally) == {3: 3, 1: 1}
    assert tally.summary() == {}
    assert {row.label for row in tally.rows(recording())} == {"1", "3"}


@pytest.mark.parametrize("by", sorted(TALLIES))
def test_samples_that_lack_the_column_are_refused(by: str) -> None:
    with pytest.raises(PfmParseError, match="the samples have no"):
        tallied(by, {"something": [1]})


def test_latencies_have_their_mean() -> None:
    tally = tallied("latency", {"lat": [10, 10]}, {"lat": [40]})
    assert counts(tally) == {10: 2, 40: 1}
    assert tally.summary() == {"mean_latency": 20.0}
    assert TALLIES["latency"]().summary() == {}


def test_values_of_one_name_are_one_row() -> None:
    tally = tallied("kernel", {"kernel": [0, 1, 2, 0, 0]})
    assert counts(tally) == {"user": 3, "kernel": 2}
    # Two encodings of a hit in the first level.
    tally = tallied("data-source", {"dse": [0x142, 0x142 | 1 << 19, 7]})
    assert counts(tally) == {"L1 hit": 2, "0x7": 1}


def numbered(num: int, eventid: int, event: str, sampling: bool = True) -> Json:
    """A PMD whose event has a number."""
    return {**pmd(num, sampling=sampling), "eventid": eventid, "event": event}


def test_events_have_the_names_of_the_session() -> None:
    sets = {
        0: [numbered(0, 1, "a"), numbered(1, 1, "b"), numbered(2, 2, "c")],
        1: [numbered(0, 1, "a"), numbered(1, 3, "d", sampling=False)],
    }
    tally = tallied("event", {"event": [1, 1, 2, 3, 9]})
    assert {row.key: row for row in tally.rows(recording(sets))} == {
        1: Row(1, "1 a or b", 2, {"event": "a or b"}),
        2: Row(2, "2 c", 1, {"event": "c"}),
        3: Row(3, "3 [unknown]", 1, {"event": None}),
        9: Row(9, "9 [unknown]", 1, {"event": None}),
    }


def test_pmds_are_told_apart_by_their_set() -> None:
    sets = {0: [pmd(4)], 2: [pmd(4)]}
    tally = tallied("pmd", {"set": [0, 2, 2, 1], "ovfl_pmd": [4, 4, 4, 4]})
    assert tally.summary() == {}
    found = {row.label: row for row in tally.rows(recording(sets))}
    assert found == {
        "4 event-4 (set 0)": Row(
            4, "4 event-4 (set 0)", 1, {"set": 0, "event": "event-4"}
        ),
        "4 event-4 (set 2)": Row(
            4, "4 event-4 (set 2)", 2, {"set": 2, "event": "event-4"}
        ),
        "[unknown]": Row("[unknown]", "[unknown]", 1, {"set": None, "event": None}),
    }
