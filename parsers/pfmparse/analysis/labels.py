# SPDX-License-Identifier: MIT OR GPL-2.0
"""Labels of frames, for formats with one name per frame."""

from __future__ import annotations

from typing import Iterable

from ..symbols.location import UNKNOWN
from .profile import Frame, Profile


def label(frame: Frame) -> str:
    """The function, or its object if the function is unknown."""
    return frame.object if frame.function == UNKNOWN else frame.function


def joined(labels: Iterable[str]) -> str:
    """A stack as one text, outermost label first; `;` in a label becomes `:`."""
    return ";".join(one.replace(";", ":") for one in labels)


def several_events(profile: Profile) -> bool:
    """True if there are samples of more than one event."""
    return len({row.event for row in profile.rows}) > 1
