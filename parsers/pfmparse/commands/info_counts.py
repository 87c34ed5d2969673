# SPDX-License-Identifier: MIT OR GPL-2.0
"""Output of the info command about counts and about active times of event sets."""

from __future__ import annotations

from typing import Optional

from ..capture.totals import Count, Totals
from ..recording import Recording
from ..text import amount


def as_json(recording: Recording) -> dict[str, object]:
    """Returns the members of the JSON object that docs/pfmparse.md describes."""
    totals = recording.source.totals
    return {
        "counts": [vars(count) for count in totals.counts] if totals else None,
        "turns": [vars(turns) for turns in totals.turns] if totals else None,
    }


def lines(recording: Recording) -> list[tuple[str, str]]:
    """Returns names and values: sums of PMDs that do not sample, and times of sets."""
    totals = recording.source.totals
    if totals is None:
        return []
    found = [
        (f"count (set {event_set.id}, PMD {pmd.num})", text)
        for event_set in recording.session.sets
        for pmd in event_set.pmds
        if not pmd.sampling
        for text in _sums(totals, event_set.id, pmd.num)
    ]
    if len(recording.session.sets) == 1:
        return found
    return [*found, *_times(recording, totals)]


def _sums(totals: Totals, event_set: int, pmd: int) -> list[str]:
    """Returns a list with one text: a PMD's count; an empty list if it has no count.

    If the event set was active for only a part of the time, the text also has an
    estimate for the whole time.
    """
    counts = [c for c in totals.counts if (c.set, c.pmd) == (event_set, pmd)]
    if not counts:
        return []
    number = sum(count.value for count in counts)
    text = f"{counts[0].event}, {number}"
    estimates = [_estimate(totals, count) for count in counts]
    whole = sum(estimate for estimate in estimates if estimate is not None)
    if None in estimates or whole == number:
        return [text]
    return [f"{text}, scaled to {whole} for the whole time"]


def _estimate(totals: Totals, count: Count) -> Optional[int]:
    """Returns the count scaled to the whole time; None if the set was never active."""
    turns = [turns for turns in totals.turns if turns.context == count.context]
    of_set = [turns for turns in turns if turns.set == count.set]
    own = sum(turns.active_ns for turns in of_set)
    whole = sum(turns.whole_ns or 0 for turns in of_set)
    whole = whole or sum(turns.active_ns for turns in turns)
    return round(count.value * whole / own) if own else None


def _times(recording: Recording, totals: Totals) -> list[tuple[str, str]]:
    """Returns how often and how long each set was active in all contexts together."""
    found = []
    for event_set in recording.session.sets:
        turns = [turns for turns in totals.turns if turns.set == event_set.id]
        runs, active = sum(t.runs for t in turns), sum(t.active_ns for t in turns)
        name = f"set {event_set.id} was active"
        found.append((name, f"{amount(runs, 'times')}, {active / 1e9:.3f} s"))
    return found if totals.turns else []
