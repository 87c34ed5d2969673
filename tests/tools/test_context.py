# SPDX-License-Identifier: MIT OR GPL-2.0
"""Save the buffer of a detached context."""

from __future__ import annotations

from saver import ENTRY, Saver, default_header


def test_buffer_of_ended_thread_is_saved_once(save: Saver) -> None:
    header = default_header(1, 128 + ENTRY, 128 + 400)
    content = header + bytes(400)
    outcome = save("default", "load", content, "detached", "rest", "totals")
    assert outcome.answers[1:] == ["0 0", "1", "1 0"]
    assert len(outcome.saved) == 1
