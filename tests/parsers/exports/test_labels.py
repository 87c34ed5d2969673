# SPDX-License-Identifier: MIT OR GPL-2.0
"""Labels of frames and events."""

from __future__ import annotations

from pfmparse.analysis.profile import Frame, Profile, Row
from pfmparse.exports.labels import label, several_events


def test_frame_label_falls_back_to_the_object() -> None:
    assert label(Frame("f", "/bin/x")) == "f"
    assert label(Frame("[unknown]", "/bin/x")) == "/bin/x"


def test_several_events_ignores_events_without_samples() -> None:
    profile = Profile(events=["a", "b"], rows=[Row(0, 1, 0, 1, 1), Row(1, 1, 0, 1, 1)])
    assert not several_events(profile)
    profile.rows.append(Row(0, 0, 0, 1, 1))
    assert several_events(profile)
