# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the events of a capture, and the event of each sample."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.readers import opened
from helpers.writers import Json, capture, json_chunk, pmd, session
from pfmparse import Samples
from pfmparse.analysis.events import Events
from pfmparse.errors import PfmParseError


def events(sets: dict[int, list[Json]]) -> Events:
    """Return the events of a session with these sets."""
    data = capture(json_chunk("SESS", session(sets)))
    return opened(data).events


def named(num: int, event: str, eventid: int = 0, sampling: bool = True) -> Json:
    """Return the description of a PMD that counts this event."""
    return {**pmd(num, sampling=sampling), "event": event, "eventid": eventid}


def names(found: Events, **columns: list[int]) -> list[str]:
    """Return the names of the events of samples with these columns."""
    made = {name: np.array(values, np.uint64) for name, values in columns.items()}
    samples = Samples(len(next(iter(columns.values()))), made)
    return [found.all[at].name for at in found.ids(samples).tolist()]


SETS = {
    0: [named(4, "a", 1), named(5, "b", 2), named(6, "c", 3, sampling=False)],
    2: [named(4, "d", 2)],
}


def test_event_is_found_by_set_and_pmd() -> None:
    found = names(events(SETS), set=[0, 2, 0, 0, 1], ovfl_pmd=[4, 4, 5, 6, 4])
    assert found == ["a", "d", "b", "[unknown]", "[unknown]"]


def test_event_without_set_is_found_by_pmd() -> None:
    found = names(events({0: SETS[0]}), ovfl_pmd=[4, 5, 6])
    assert found == ["a", "b", "[unknown]"]


def test_shared_event_number_maps_to_the_first_event() -> None:
    found = names(events(SETS), event=[1, 2, 3, 9])
    assert found == ["a", "b", "[unknown]", "[unknown]"]


def test_event_falls_back_to_the_only_one() -> None:
    assert names(events({0: [named(4, "a")]}), ip=[1, 2]) == ["a", "a"]
    assert names(events(SETS), ip=[1]) == ["[unknown]"]


def test_events_are_found_by_name() -> None:
    twice = events({0: [named(4, "a"), named(5, "b")], 1: [named(4, "a")]})
    assert twice.named("a").tolist() == [0, 2]
    with pytest.raises(
        PfmParseError, match="event 'c' was not sampled; sampled events: a, b"
    ):
        twice.named("c")


def test_event_period_is_the_long_reset() -> None:
    (event, _) = events({0: [named(4, "a")]}).all
    assert event.period == 1000
