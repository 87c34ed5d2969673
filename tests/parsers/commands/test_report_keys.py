# SPDX-License-Identifier: MIT OR GPL-2.0
"""What reports count by, but for locations."""

from __future__ import annotations

import json
from typing import Optional

import numpy as np
import pytest
from helpers.writers import Json, pmd, session
from pfmparse import Role
from pfmparse.commands.report_keys import TALLIES, Row, Tally, tally_by
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import Samples
from pfmparse.recording import Batch, Recording, open_raw


def recording(sets: Optional[dict[int, list[Json]]] = None) -> Recording:
    """A recording of a session with these sets."""
    return open_raw(b"", json.dumps(session(sets)).encode())


def tallied(by: str, *batches: dict[str, list[int]]) -> Tally:
    """The tally of samples with these columns."""
    tally = tally_by(by)
    for batch in batches:
        columns = {name: np.array(values, "<u8") for name, values in batch.items()}
        tally.add(Batch(Samples(len(next(iter(batch.values()))), columns), 0))
    return tally


def counts(tally: Tally, of: Optional[Recording] = None) -> dict[object, int]:
    """Keys and counts, in the order of the counts."""
    rows = list(tally.rows(of or recording()))
    assert len({row.key for row in rows}) == len(rows)
    return {row.key: row.count for row in rows}


@pytest.mark.parametrize(
    "by,column",
    [("tid", "pid"), ("thread", "tid"), ("cpu", "cpu"), ("time", "tstamp")]
    + [("weight_of", "weight_of")],
)
def test_numbers_of_all_batches_are_counted(by: str, column: str) -> None:
    tally = tallied(by, {column: [3, 1, 3]}, {column: [3]}, {column: []})
    assert counts(tally) == {3: 3, 1: 1}
    assert tally.summary() == {}
    assert {row.label for row in tally.rows(recording())} == {"1", "3"}


@pytest.mark.parametrize("by", [*sorted(TALLIES), "thread", "colour"])
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


def test_negative_numbers_stay_negative() -> None:
    tally = tally_by("node")
    for dtype, nodes in (("<i4", [-1, 3]), ("<i4", [-1])):
        tally.add(Batch(Samples(len(nodes), {"node": np.array(nodes, dtype)}), 0))
    assert counts(tally) == {-1: 2, 3: 1}


@pytest.mark.parametrize("by", ["node", "latency", "data-source", "event", "kernel"])
def test_weights_count_as_many_samples(by: str) -> None:
    tally = tally_by(by)
    columns = {"node": np.array([7, 7, 9, 9]), "n": np.array([10, 20, 0, 5])}
    roles = {role: "node" for role in Role if role.value == by}
    samples = Samples(4, columns, roles={Role.WEIGHT: "n", **roles})
    tally.add(Batch(samples, 0))
    found = list(tally.rows(recording()))
    assert sum(row.count for row in found) == 35
    if by in ("node", "latency"):
        assert {row.key: row.count for row in found} == {7: 30, 9: 5}
    if by == "latency":
        assert tally.summary() == {"mean_latency": (7 * 30 + 9 * 5) / 35}


def test_weights_count_for_pmds() -> None:
    columns = {"ovfl_pmd": np.array([4, 4]), "set": np.array([0, 0])}
    columns["weight"] = np.array([3, 4])
    tally = tally_by("pmd")
    tally.add(Batch(Samples(2, columns), 0))
    (row,) = tally.rows(recording({0: [pmd(4)]}))
    assert (row.key, row.count) == (4, 7)
