# SPDX-License-Identifier: MIT OR GPL-2.0
"""Report by keys other than locations."""

from __future__ import annotations

import json
from typing import Optional

import numpy as np
import pytest
from helpers.writers import Json, pmd, session
from pfmparse import Role
from pfmparse.analysis.inputs import Input, Options
from pfmparse.analysis.keys import KEYS, Key, Value, key
from pfmparse.analysis.selection import Selection
from pfmparse.analysis.sums import Sums
from pfmparse.errors import PfmParseError
from pfmparse.formats.samples import PmdGroup, Samples
from pfmparse.recording import Batch, open_raw
from pfmparse.symbols.location import SymbolOptions


class Tally:
    """Counts of samples by key."""

    def __init__(self, by: str, sets: Optional[dict[int, list[Json]]] = None) -> None:
        recording = open_raw(b"", json.dumps(session(sets)).encode())
        options = Options(Selection(), SymbolOptions())
        self.key: Key = key(by, Input("x", recording, options, print))
        self._sums = Sums()

    def add(self, samples: Samples) -> None:
        """Count these samples."""
        self._sums.add(self.key.ids(Batch(samples, 0)), samples.weights())

    def rows(self) -> list[tuple[Value, int]]:
        """Return rows of a value and its count, one row for each distinct value."""
        values, found = self.key.values(), dict[Value, int]()
        for value, count in zip(values, self._sums.result(len(values))):
            found[value] = found.get(value, 0) + count
        return list(found.items())

    def counts(self) -> dict[object, int]:
        """Return the non-zero counts by key; keys must be unique."""
        rows = self.rows()
        assert len({value.key for value, _ in rows}) == len(rows)
        return {value.key: count for value, count in rows if count}


def tallied(by: str, *batches: dict[str, list[int]]) -> Tally:
    """Count samples with these columns."""
    tally = Tally(by)
    for batch in batches:
        columns = {name: np.array(values, "<u8") for name, values in batch.items()}
        tally.add(Samples(len(next(iter(batch.values()))), columns))
    return tally


@pytest.mark.parametrize(
    "by,column",
    [("tid", "pid"), ("thread", "tid"), ("cpu", "cpu"), ("time", "tstamp")]
    + [("weight_of", "weight_of")],
)
def test_number_key_counts_all_batches(by: str, column: str) -> None:
    tally = tallied(by, {column: [3, 1, 3]}, {column: [3]}, {column: []})
    assert tally.counts() == {3: 3, 1: 1}
    assert {value.label for value, _ in tally.rows()} == {"1", "3"}


@pytest.mark.parametrize(
    "by",
    [
        *sorted(KEYS.keys() - {"file", "host", "process", "comm", "caller", "tid"}),
        "colour",
    ],
)
def test_key_of_missing_column_is_refused(by: str) -> None:
    with pytest.raises(PfmParseError, match="the samples have no"):
        tallied(by, {"something": [1]})


def test_pmd_key_counts_values_of_all_groups() -> None:
    tally = Tally("pmd7", {0: [pmd(0, smpl_pmds=[7])]})
    group = PmdGroup(np.array([0, 2]), (7,), np.array([[5], [0]], "<u8"))
    tally.add(Samples(3, {"ip": np.zeros(3, "<u8")}, (group,)))
    # A sample without a value of the PMD counts as one with the value 0.
    assert tally.counts() == {5: 1, 0: 2}
    with pytest.raises(PfmParseError, match="no sample has values of PMD 8"):
        Tally("pmd8", {0: [pmd(0, smpl_pmds=[7])]})


def test_key_values_of_one_name_are_one_row() -> None:
    tally = tallied("kernel", {"kernel": [0, 1, 2, 0, 0]})
    assert tally.counts() == {"user": 3, "kernel": 2}
    # The first two values both encode an L1 hit.
    tally = tallied("data-source", {"dse": [0x142, 0x142 | 1 << 19, 7]})
    assert tally.counts() == {"L1 hit": 2, "0x7": 1}


def numbered(num: int, eventid: int, event: str, sampling: bool = True) -> Json:
    """Return the description of a PMD with an event ID."""
    return {**pmd(num, sampling=sampling), "eventid": eventid, "event": event}


def test_event_key_uses_names_of_the_session() -> None:
    sets = {
        0: [numbered(0, 1, "a"), numbered(1, 1, "b"), numbered(2, 2, "c")],
        1: [numbered(0, 1, "a"), numbered(1, 3, "d", sampling=False)],
    }
    tally = Tally("event", sets)
    tally.add(Samples(5, {"event": np.array([1, 1, 2, 3, 9], "<u8")}))
    assert tally.rows() == [
        (Value(1, "1 a or b", {"event": "a or b"}), 2),
        (Value(2, "2 c", {"event": "c"}), 1),
        (Value(3, "3 [unknown]", {"event": None}), 1),
        (Value(9, "9 [unknown]", {"event": None}), 1),
    ]


def test_pmd_key_separates_event_sets() -> None:
    tally = Tally("pmd", {0: [pmd(4)], 2: [pmd(4)]})
    columns = {"set": np.array([0, 2, 2, 1]), "ovfl_pmd": np.array([4, 4, 4, 4])}
    tally.add(Samples(4, columns))
    assert sorted(tally.rows(), key=lambda row: row[0].label) == [
        (Value(4, "4 event-4 (set 0)", {"set": 0, "event": "event-4"}), 1),
        (Value(4, "4 event-4 (set 2)", {"set": 2, "event": "event-4"}), 2),
        (Value("[unknown]", "[unknown]", {"set": None, "event": None}), 1),
    ]


def test_pmd_key_needs_no_event_sets() -> None:
    tally = Tally("pmd", {0: [pmd(4), pmd(5)]})
    tally.add(Samples(3, {"ovfl_pmd": np.array([5, 4, 5])}))
    assert tally.counts() == {4: 1, 5: 2}


def test_number_key_keeps_negative_numbers() -> None:
    tally = Tally("node")
    for dtype, nodes in (("<i4", [-1, 3]), ("<i4", [-1])):
        tally.add(Samples(len(nodes), {"node": np.array(nodes, dtype)}))
    assert tally.counts() == {-1: 2, 3: 1}


@pytest.mark.parametrize("by", ["node", "latency", "data-source", "event", "kernel"])
def test_key_sums_weights(by: str) -> None:
    tally = Tally(by)
    columns = {"node": np.array([7, 7, 9, 9]), "n": np.array([10, 20, 0, 5])}
    roles = {role: "node" for role in Role if role.value == by}
    samples = Samples(4, columns, roles={Role.WEIGHT: "n", **roles})
    tally.add(samples)
    found = tally.counts()
    assert sum(found.values()) == 35
    if by in ("node", "latency"):
        assert found == {7: 30, 9: 5}


def test_pmd_key_sums_weights() -> None:
    columns = {"ovfl_pmd": np.array([4, 4]), "set": np.array([0, 0])}
    columns["weight"] = np.array([3, 4])
    tally = Tally("pmd", {0: [pmd(4)]})
    tally.add(Samples(2, columns))
    assert tally.counts() == {4: 7}


def test_addresses_of_a_function_share_its_value() -> None:
    values = tallied("function", {"ip": [0x1000, 0x2000]}).key.values()
    assert len(values) == 2 and values[0] is values[1]
