# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test reading a guest's output up to its end mark."""

from __future__ import annotations

from stream import Stream

MARK = b"\0end 123"


def received(*pieces: bytes) -> tuple[bytes, bool]:
    """Feed a stream; return the bytes that it passed on, and whether it has ended."""
    got: list[bytes] = []
    stream = Stream(MARK, got.append)
    for piece in pieces:
        stream.feed(piece)
    return b"".join(got), stream.ended


def test_content_before_the_mark_is_passed_on() -> None:
    assert received(b"abc" + MARK) == (b"abc", True)


def test_mark_may_come_in_pieces() -> None:
    pieces = [bytes([byte]) for byte in MARK]
    assert received(b"abc", *pieces) == (b"abc", True)


def test_partial_mark_is_content() -> None:
    assert received(b"a\0en", b"\0end", b" 124" + MARK) == (b"a\0en\0end 124", True)


def test_text_is_passed_on_at_once() -> None:
    assert received(b"prompt> ") == (b"prompt> ", False)


def test_unfinished_stream_keeps_all_bytes() -> None:
    got: list[bytes] = []
    stream = Stream(MARK, got.append)
    stream.feed(b"abc\0en")
    stream.close()
    assert b"".join(got) == b"abc\0en"
