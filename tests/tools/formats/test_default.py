# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build the default format's argument, and save parts of its buffers."""

from __future__ import annotations

import struct

import pytest
from saver import ENTRY, Saver, default_header
from sessions import Printer, room, without_kernel


def test_default_buffer_size_fits_last_entry(printer: Printer) -> None:
    without_kernel()
    arg = printer.arg("--smpl-entries=10")
    assert arg == struct.pack("<QII48x", 128 + room(10, pmds=1), 0, 0)


def test_default_buffer_is_saved_up_to_its_last_entry(save: Saver) -> None:
    entries = b"\x11" * (2 * ENTRY)
    header = default_header(2, 128 + len(entries), 128 + 400)
    outcome = save("default", "load", header + entries.ljust(400), "notified", "totals")
    assert outcome.answers[1:] == ["1 1", "2 0"]
    assert outcome.saved[0].pieces == {0: header + entries}


@pytest.mark.parametrize("offset", [0, 127, 129 + 400, 2**64 - 1])
def test_invalid_default_offset_saves_whole_buffer(save: Saver, offset: int) -> None:
    content = default_header(2, offset, 128 + 400) + bytes(400)
    outcome = save("default", "load", content, "rest")
    assert outcome.saved[0].pieces == {0: content}


def test_truncated_header_has_no_samples(save: Saver) -> None:
    content = default_header(2, 128 + 2 * ENTRY, 528)[:116]
    outcome = save("default", "load", content, "rest", "totals")
    assert outcome.answers[1:] == ["1", "0 0"]
    assert outcome.saved[0].pieces == {0: content}
