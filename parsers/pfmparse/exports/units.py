# SPDX-License-Identifier: MIT OR GPL-2.0
"""The units of weights."""

from __future__ import annotations

import re

from ..analysis.profile import Profile
from ..analysis.requests import pmd_of
from ..analysis.weights import COUNT, PERIOD
from ..formats.roles import Role
from ..formats.thread_state import OFF, WALL
from ..text import amount
from .interface import Job

NANOSECONDS, CYCLES, NUMBER = "nanoseconds", "cycles", "count"  # pprof's names

SAMPLES, EVENTS = "samples", "events"

# Matches the names of perf's clock events, which count ns: with or without modifiers,
# and also in the spelling of PERF_COUNT_SW_CPU_CLOCK.
CLOCK = re.compile(r"(?<![a-z])(cpu|task)[-_]clock(?![a-z])", re.IGNORECASE)


def in_unit(weight: int, unit: str) -> str:
    """Formats a weight; ``unit`` is a result of unit_of() or unit_of_event()."""
    if unit in (SAMPLES, EVENTS):
        return amount(weight, unit, ",")
    return f"{weight:,} {unit}"


def event_unit(event: str) -> str:
    """Returns pprof's name of the unit in which an event counts."""
    return NANOSECONDS if CLOCK.search(event) else NUMBER


def weight_unit(job: Job, event: str) -> str:
    """Returns pprof's name of the unit of an event's weights."""
    if job.weight == PERIOD:
        return event_unit(event)
    if job.weight in (OFF, WALL):
        return NANOSECONDS
    if job.weight == Role.LATENCY.value:
        return CYCLES
    number = pmd_of(job.weight)
    counted = {
        event_unit(pmd.event)
        for source in job.inputs
        for event_set in source.recording.session.sets
        for pmd in event_set.pmds
        if pmd.num == number
    }
    return counted.pop() if len(counted) == 1 else NUMBER


def unit_of(job: Job, profile: Profile) -> str:
    """Returns the unit of the sum of all weights, as shown to users."""
    if job.weight == COUNT:
        return SAMPLES
    names = {profile.events[row.event] for row in profile.rows}
    units = {unit_of_event(job, name) for name in names}
    if len(units) == 1:
        return units.pop()
    return job.weight if job.weight != PERIOD else EVENTS


def unit_of_event(job: Job, event: str) -> str:
    """Returns the unit of an event's weights, as shown to users."""
    if job.weight == COUNT:
        return SAMPLES
    if weight_unit(job, event) == NANOSECONDS:
        return "ns"
    return job.weight if job.weight != PERIOD else event
