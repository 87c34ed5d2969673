# SPDX-License-Identifier: MIT OR GPL-2.0
"""Change the argument of a format with --control."""

from __future__ import annotations

from pfmon import without_kernel
from saver import Saver


def test_fields_that_are_not_described_cannot_change(save: Saver) -> None:
    without_kernel()
    outcome = save("default", "set buf_size=4096")
    assert outcome.answers == ["0"]
    assert "does not describe the fields of its argument" in outcome.messages
