# SPDX-License-Identifier: MIT OR GPL-2.0
"""The info command: print what was recorded."""

from __future__ import annotations

import argparse
import sys
from typing import Mapping, TextIO

from ..formats.registry import OURS
from ..recording import Recording
from ..text import json_text, known, printable
from . import info_chains, info_counts, info_machine, summary
from .opening import recording_of, status_of
from .outcome import blaming


def run(arguments: argparse.Namespace) -> int:
    """Prints what the file contains; returns the exit status."""
    file = arguments.file
    with recording_of(file, arguments, any_format=True) as recording, blaming(file):
        if arguments.json:
            print_json(recording, sys.stdout)
        else:
            print_text(recording, file, sys.stdout)
        return status_of([(file, recording)])


def describe(recording: Recording) -> dict[str, object]:
    """Reads the recording; returns the JSON object that docs/pfmparse.md describes."""
    chains = info_chains.ChainEnds()
    for batch in recording.batches():
        chains.add(batch.samples)
    session, totals = recording.session, recording.source.totals
    form = recording.format
    return {
        "format": {
            "name": form.name,
            "uuid": form.uuid,
            "arg": recording.described_argument(),
            "parser": recording.origin,
        },
        "argument_changes": _changes(recording),
        "tool": session.tool,
        "command": None if session.command is None else list(session.command),
        "mode": session.mode,
        "cgroups": list(session.cgroups),
        "start_ns": session.start_ns,
        "end_ns": totals.end_ns if totals else None,
        "exit_status": totals.exit_status if totals else None,
        "contexts": [vars(context) for context in session.contexts],
        "events": _events(recording),
        **info_counts.as_json(recording),
        **info_machine.as_json(recording),
        "buffers": recording.buffers,
        "samples": None if recording.uncounted else recording.samples,
        "user_chains": chains.as_json(),
        **summary.as_json(recording),
    }


def _events(recording: Recording) -> list[dict[str, object]]:
    """Returns the PMDs of all event sets."""
    return [
        {
            "pmd": pmd.num,
            "set": event_set.id,
            "event": pmd.event,
            "sampling": pmd.sampling,
            "notify": pmd.notify,
            "long_reset": pmd.long_reset,
            "short_reset": pmd.short_reset,
            "smpl_pmds": list(pmd.smpl_pmds),
            "cpus": pmd.cpus,
            "frequency": pmd.frequency,
        }
        for event_set in recording.session.sets
        for pmd in event_set.pmds
    ]


def print_json(recording: Recording, out: TextIO) -> None:
    """Prints one JSON object."""
    # describe_arg() of another package may return objects of any type.
    out.write(json_text(describe(recording), default=str))
    out.write("\n")


def print_text(recording: Recording, file: str, out: TextIO) -> None:
    """Prints the most important items, one name and value per line."""
    described = describe(recording)
    session, form = recording.session, recording.format
    command = "none" if session.command is None else " ".join(session.command)
    lines = [
        ("file", file),
        ("format", f"{form.name}, {form.uuid}"),
        *_parser(recording),
        *_argument(recording),
        ("tool", session.tool),
        ("command", command),
        ("mode", session.mode),
        *_groups(recording),
        *info_machine.lines(recording),
        ("contexts", str(len(session.contexts))),
        *(
            (f"event (set {e['set']}, PMD {e['pmd']})", _event(e))
            for e in _events(recording)
        ),
        *info_counts.lines(recording),
        ("buffers", str(recording.buffers)),
        ("samples", known(None if recording.uncounted else recording.samples)),
        *info_chains.lines(described["user_chains"]),
        *summary.lines(recording),
        ("truncated", "yes" if described["truncated"] else "no"),
    ]
    for name, value in lines:
        out.write(f"{name}: {printable(value)}\n")


def _parser(recording: Recording) -> list[tuple[str, str]]:
    """Returns a line about the format's parser, unless the parser is built in."""
    if recording.origin == OURS:
        return []
    return [("parser", recording.origin or "none, the samples cannot be decoded")]


def _groups(recording: Recording) -> list[tuple[str, str]]:
    """Returns a line about control groups, if the session selects some."""
    groups = recording.session.cgroups
    return [("control groups", ", ".join(groups))] if groups else []


def _changes(recording: Recording) -> list[dict[str, object]]:
    """Returns the changes of the format's argument."""
    return [
        {**vars(change), "arg": recording.described_argument(change)}
        for change in recording.source.changes
    ]


def _argument(recording: Recording) -> list[tuple[str, str]]:
    """Returns a line for the format's argument, and a line for each change of it."""
    values = recording.described_argument()
    if not values:
        return []
    found = [("argument", _values(values))]
    for change in recording.source.changes:
        after = (change.realtime_ns - recording.session.start_ns) / 1e9
        before, values = values, recording.described_argument(change) or {}
        changed = {n: v for n, v in values.items() if v != before.get(n)} or values
        text = _values(changed) or "unknown"
        found.append((f"argument after {after:.3f} s", text))
    return found


def _values(values: Mapping[str, object]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())


def _event(event: dict[str, object]) -> str:
    use = "sampling" if event["sampling"] else "recorded or counted"
    often = "" if event["frequency"] is None else f" at {event['frequency']} Hz"
    where = "" if event["cpus"] is None else f", on CPUs {event['cpus']}"
    return f"{event['event']}, {use}{often}{where}"
