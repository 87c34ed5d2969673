# SPDX-License-Identifier: MIT OR GPL-2.0
"""What info and report end with: what was lost, and what was wrong."""

from __future__ import annotations

from typing import Mapping

from ..recording import Recording
from .text import known


def as_json(recording: Recording) -> dict[str, object]:
    """The members that the JSON of both commands ends with."""
    problems = [{"offset": p.offset, "message": p.message} for p in recording.problems]
    return {
        "lost": recording.lost,
        "lost_in_buffers": recording.lost_in_buffers(),
        "lost_in_regions": recording.lost_in_regions(),
        "imprecise": recording.imprecise,
        "notifications": recording.notifications,
        "truncated": recording.truncated,
        "problems": problems,
    }


def lines(recording: Recording) -> list[tuple[str, str]]:
    """The same as text: names and values, without the problems."""
    found = [("lost samples", known(recording.lost))]
    in_buffers = recording.lost_in_buffers()
    if in_buffers:
        found.append(("lost in buffers", _reasons(in_buffers)))
    for region in recording.lost_in_regions():
        context, number = region.pop("context"), region.pop("region")
        name = f"lost in context {context}, region {number}"
        if any(region.values()):
            found.append((name, _reasons(region)))
    if recording.imprecise:
        found.append(("imprecise samples", str(recording.imprecise)))
    return [*found, ("notifications", known(recording.notifications))]


def _reasons(lost: Mapping[str, object]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in lost.items())
