# SPDX-License-Identifier: MIT OR GPL-2.0
"""Labels of frames and stacks, for exports that store only a name for each frame."""

from __future__ import annotations

from typing import Iterable, Iterator

import numpy as np

from ..symbols.location import UNKNOWN
from ..text import printable
from .inputs import Input
from .interner import Ids
from .profile import Frame, Profile, by_function
from .stacks import ROOT


def label(frame: Frame) -> str:
    """Returns the function's name, or its object if the function is unknown."""
    return frame.object if frame.function == UNKNOWN else frame.function


def plain(name: str) -> str:
    """Returns a name on one line, without control characters."""
    return printable(" ".join(name.split())) or UNKNOWN


def joined(labels: Iterable[str]) -> str:
    """Joins labels, outermost first, with ";"; replaces ";" in a label by ":"."""
    return ";".join(one.replace(";", ":") for one in labels)


def several_events(profile: Profile) -> bool:
    """Returns whether there are samples of more than one event."""
    return len({row.event for row in profile.rows}) > 1


class StackTexts:
    """The samples' stacks as texts, outermost function first.

    A stack without samples of its own, whose samples are all in callees, gets no text.
    """

    def __init__(self, source: Input) -> None:
        self._source = source
        self._texts: dict[int, str] = {}
        self._known = np.zeros(0, np.bool_)
        self._names: list[str] = []  # by place ID
        # The parent and the place ID of each node of the tree of stacks, as of the last
        # _catch_up().
        self._parents: list[int] = []
        self._places: list[int] = []

    def texts(self, ids: Ids) -> Iterator[str]:
        """Returns the text of each stack ID."""
        if int(ids.max()) >= len(self._parents):
            self._catch_up()
        known = self._known[ids]
        if not known.all():
            new = np.unique(ids[~known])
            self._known[new] = True
            self._texts |= {at: self._text(at) for at in new.tolist()}
        return map(self._texts.__getitem__, ids.tolist())

    def _catch_up(self) -> None:
        """Adds the nodes and function names that are new since the last call."""
        stacks, places = self._source.stacks, self._source.places
        done = len(self._parents)
        self._parents += stacks.parents()[done:].tolist()
        self._places += stacks.places()[done:].tolist()
        self._known = np.append(
            self._known, np.zeros(len(self._parents) - done, np.bool_)
        )
        done = len(self._names)
        found = zip(places.locations()[done:], places.addresses()[done:].tolist())
        self._names += [
            joined(label(frame) for frame in by_function(*place)) for place in found
        ]

    def _text(self, node: int) -> str:
        """Returns the functions of a stack, outermost first, separated by ";"."""
        names = []
        while node != ROOT:
            names.append(self._names[self._places[node]])
            node = self._parents[node]
        return ";".join(reversed(names))
