# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to speedscope's file format, with a profile for each event and thread."""

from __future__ import annotations

from typing import TextIO

from ..analysis.labels import label
from ..analysis.profile import Frame, Profile, Profiler, Row, by_place
from ..formats.roles import Role
from ..symbols.location import Detail, Location
from ..text import ESCAPED, json_text
from .interface import Export, Job
from .threads import Titles, by_event_and_thread
from .units import NANOSECONDS, weight_unit
from .unsupported import noted

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
EXACT = 1 << 53  # the limit of exact integers in JavaScript


def write(job: Job) -> None:
    """Writes the samples of all inputs."""
    profiler = Profiler(job.weight, _frames)
    for source in job.inputs:
        profiler.add(source, noted(job, source, {Role.THREAD}))
    with job.path.open("w", encoding="utf-8", errors=ESCAPED) as out:
        _Writer(job, profiler.profile).write(out)


def _frames(location: Location, _: int) -> list[Frame]:
    """Returns the functions at a location, with their files."""
    return [Frame(f.function, f.object, f.file) for f in by_place(location, 0)]


class _Writer:
    """Writes one profile in parts, because it may be large."""

    def __init__(self, job: Job, profile: Profile) -> None:
        self._job = job
        self._profile = profile

    def write(self, out: TextIO) -> None:
        """Writes the whole file."""
        names = ", ".join(source.file for source in self._job.inputs)
        head = {
            "$schema": SCHEMA,
            "exporter": "pfmparse",
            "name": names,
            "shared": {"frames": [_frame(frame) for frame in self._profile.frames]},
        }
        out.write(json_text(head)[:-1] + ', "profiles": [')
        groups, titles = by_event_and_thread(self._profile), Titles(self._profile)
        for at, ((event, thread), rows) in enumerate(groups):
            out.write(",\n" if at else "\n")
            unit = weight_unit(self._job, self._profile.events[event])
            one = self._one(titles.of(event, thread), unit, rows)
            out.write(json_text(one))
        out.write("\n]}\n")

    def _one(self, name: str, unit: str, rows: list[Row]) -> dict[str, object]:
        """Returns the samples of an event and a thread, outermost callers first."""
        total = sum(row.weight for row in rows)
        if total > EXACT:
            self._job.lack("sums above 2^53 exactly")
        return {
            "type": "sampled",
            "name": name,
            "unit": unit if unit == NANOSECONDS else "none",
            "startValue": 0,
            "endValue": total,
            "samples": [self._stack(row.node) for row in rows],
            "weights": [row.weight for row in rows],
        }

    def _stack(self, node: int) -> list[int]:
        return self._profile.numbers(node)[::-1]


def _frame(frame: Frame) -> dict[str, object]:
    # If the source file is unknown, show the object instead.
    return {"name": label(frame), "file": frame.file or frame.object}


EXPORT = Export("speedscope", "speedscope's JSON", write, Detail.INLINES)
