# SPDX-License-Identifier: MIT OR GPL-2.0
"""What frames are called where there is one name only."""

from __future__ import annotations

from ..analysis.profile import Frame, Profile
from ..symbols.location import UNKNOWN


def label(frame: Frame) -> str:
    """The function, or else the object that it is in."""
    return frame.object if frame.function == UNKNOWN else frame.function


def several_events(profile: Profile) -> bool:
    """There are samples of more than one event."""
    return len({row.event for row in profile.rows}) > 1
