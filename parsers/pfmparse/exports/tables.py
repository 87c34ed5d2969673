# SPDX-License-Identifier: MIT OR GPL-2.0
"""The tables in profiles of both pprof and OpenTelemetry, and the largest values."""

from __future__ import annotations

from typing import Iterator, NamedTuple, Sequence

from ..analysis.labels import label
from ..analysis.profile import Frame, Profile, by_place
from ..analysis.stacks import ROOT
from ..recording import Recording
from ..symbols.location import Location
from ..text import ESCAPED
from .interface import ExportError

EVERYWHERE = (1 << 64) - 1  # end of a mapping that covers all addresses of its file
MAX_VALUE = (1 << 63) - 1


class Place(NamedTuple):
    """A location; ``lines`` has the function and the line of each frame.

    Each frame is inlined into the next one.
    """

    number: int
    mapping: int
    address: int
    lines: list[tuple[int, int]]


class Tables:
    """IDs, from 1, of strings, functions, files and locations; string 0 is empty."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self.strings: dict[str, int] = {"": 0}
        self.functions: dict[tuple[str, str], int] = {}  # by name and file
        self.mappings: dict[str, int] = {}
        self._locations: dict[tuple[int, ...], int] = {}
        self.with_lines = {f.object for f in profile.frames if f.line is not None}

    def string(self, text: str) -> int:
        """Returns the ID of a string."""
        return self.strings.setdefault(text, len(self.strings))

    def encoded(self) -> Iterator[bytes]:
        """Returns the strings in UTF-8, in order of their IDs."""
        return (text.encode(errors=ESCAPED) for text in self.strings)

    def stack(self, node: int) -> list[int]:
        """Returns the IDs of a stack's locations, innermost first."""
        profile = self._profile
        found: list[int] = []
        frames: list[int] = []
        while node != ROOT:
            frames.append(profile.frame_of[node])
            if not profile.frames[frames[-1]].inlined:
                number = len(self._locations) + 1
                found.append(self._locations.setdefault(tuple(frames), number))
                frames = []
            node = profile.parents[node]
        return found

    def places(self) -> Iterator[Place]:
        """Yields the locations of all stacks; adds their functions and mappings."""
        for frames, number in self._locations.items():
            ours = [self._profile.frames[at] for at in frames]
            where = ours[-1].object
            mapping = self.mappings.setdefault(where, len(self.mappings) + 1)
            lines = [(self._function(frame), frame.line or 0) for frame in ours]
            yield Place(number, mapping, ours[-1].address or 0, lines)

    def _function(self, frame: Frame) -> int:
        key = label(frame), frame.file or ""
        return self.functions.setdefault(key, len(self.functions) + 1)


def frames_in_file(location: Location, address: int) -> Sequence[Frame]:
    """Returns a location's functions, outermost first, with the address in the file."""
    at = address if location.offset is None else location.offset
    return by_place(location, at)


def span_of(recording: Recording) -> tuple[int, int]:
    """Returns start and duration of a recording in ns; zeros if they are too large."""
    start, totals = recording.session.start_ns, recording.source.totals
    duration = max(0, totals.end_ns - start) if totals else 0
    return (start, duration) if max(start, duration) <= MAX_VALUE else (0, 0)


def checked(value: int) -> int:
    """Returns a sum of samples or weights; raises ExportError if it is too large."""
    if value > MAX_VALUE:
        raise ExportError(f"a sum of {value} does not fit into 63 bits")
    return value
