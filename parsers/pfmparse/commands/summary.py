# SPDX-License-Identifier: MIT OR GPL-2.0
"""Losses and problems, which commands print at the end of their output."""

from __future__ import annotations

from typing import Mapping, Sequence, TextIO

from ..recording import Recording
from ..text import amount, known, printable


def as_json(recording: Recording) -> dict[str, object]:
    """Returns the last members of the commands' JSON object."""
    problems = [{"offset": p.offset, "message": p.message} for p in recording.problems]
    return {
        "lost": recording.lost,
        "lost_in_buffers": recording.lost_in_buffers(),
        "lost_in_regions": recording.lost_in_regions(),
        "skipped": recording.skipped,
        "evicted": recording.evicted,
        "throttled": recording.throttled,
        "limited": recording.limited,
        "imprecise": recording.imprecise,
        "notifications": recording.notifications,
        "truncated": recording.truncated,
        "problems": problems,
    }


def lines(recording: Recording) -> list[tuple[str, str]]:
    """Returns names and values for the text output, which does not include problems."""
    found = [("lost samples", known(recording.lost))]
    in_buffers = recording.lost_in_buffers()
    if in_buffers:
        found.append(("lost in buffers", _reasons(in_buffers)))
    for region in recording.lost_in_regions():
        context, number = region.pop("context"), region.pop("region")
        name = f"lost in context {context}, region {number}"
        if any(region.values()):
            found.append((name, _reasons(region)))
    if recording.skipped:
        found.append(("skipped samples", str(recording.skipped)))
    if recording.evicted:
        found.append(("evicted thread states", str(recording.evicted)))
    if recording.throttled:
        found.append(("throttled", amount(recording.throttled, "times")))
    if recording.limited:
        found.append(("limit reached", amount(recording.limited, "times")))
    if recording.imprecise:
        found.append(("imprecise samples", str(recording.imprecise)))
    return [*found, ("notifications", known(recording.notifications))]


def _reasons(lost: Mapping[str, object]) -> str:
    return ", ".join(f"{number} {reason}" for reason, number in lost.items())


def print_all(recordings: Sequence[tuple[str, Recording]], out: TextIO) -> None:
    """Prints the lines of each recording, and the name of its file."""
    for file, recording in recordings:
        for name, value in lines(recording):
            out.write(f"{name}: {value}\n")
        out.write(f"file: {printable(file)}\n")


def of_all(recordings: Sequence[Recording]) -> dict[str, object]:
    """Returns the members for all recordings.

    For one recording, these are the members of as_json(). For several recordings, these
    are sums, and a list with the result of as_json() for each recording.
    """
    if len(recordings) == 1:
        return as_json(recordings[0])
    losses = [recording.lost for recording in recordings]
    known_losses = [lost for lost in losses if lost is not None]
    return {
        "lost": sum(known_losses) if len(known_losses) == len(losses) else None,
        "skipped": sum(recording.skipped for recording in recordings),
        "truncated": any(recording.truncated for recording in recordings),
        "recordings": [as_json(recording) for recording in recordings],
    }
