# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse the JSON of COOK chunks."""

from __future__ import annotations

import json

import pytest
from helpers.oprofile_stream import STREAM, expected, sess, without_callers
from helpers.readers import read_capture
from helpers.writers import (
    bufr,
    capture,
    chunk,
    cook,
    json_chunk,
    oprofile,
    oprofile_words,
)
from pfmparse.capture.cookies import CookieFile, parse_cookies
from pfmparse.capture.maps import FileState
from pfmparse.errors import PfmParseError

FILES = [(5, "/bin/x", None), (7, "/bin/app", "ab"), (6, "/lib/y", "8c1f")]


@pytest.mark.parametrize(
    "bad",
    [
        chunk("COOK", b"{"),
        json_chunk("COOK", {}),
        json_chunk("COOK", {"cookies": [{"cookie": 1, "path": "/x"}]}),
        json_chunk("COOK", {"cookies": [{"cookie": 1, "path": 5, "build_id": None}]}),
        cook([(-1, "/x", None)]),
        cook([(1 << 64, "/x", None)]),
        cook([(1, "/x", "no hex")]),
    ],
)
def test_bad_cookie_chunk_is_one_problem(bad: bytes) -> None:
    data = bufr(oprofile(oprofile_words(STREAM)))
    file = capture(json_chunk("SESS", sess()), cook(FILES), bad, data)
    samples, recording = read_capture(file)
    assert samples == without_callers(expected(STREAM))
    assert len(recording.source.cookies) == 3
    assert "COOK" in recording.problems[0].message


def test_later_cookies_replace_earlier_ones() -> None:
    described = json_chunk("SESS", sess())
    file = capture(described, cook(FILES), cook([(5, "/bin/new", "8C1F")]))
    _, recording = read_capture(file)
    assert recording.source.cookies[5].path == "/bin/new"
    assert recording.source.cookies[5].build_id == bytes.fromhex("8c1f")


def test_empty_build_id_is_unknown() -> None:
    text = b'{"cookies": [{"cookie": 1, "path": "/x", "build_id": ""}]}'
    assert parse_cookies(text, 0) == {1: CookieFile("/x", None)}


def test_cookie_problem_has_its_document_offset() -> None:
    with pytest.raises(PfmParseError, match="COOK.cookies: not an array") as error:
        parse_cookies(b'{"cookies": 5}', 72)
    assert error.value.offset == 72


def test_cookie_has_the_bytes_and_state_of_its_file() -> None:
    told = {"cookie": 1, "path": "/caf?", "path_bytes": "2f636166e9"}
    told |= {"build_id": None, "size": 7, "mtime_ns": 8, "go_build_id": "a/b"}
    text = json.dumps({"cookies": [told]}).encode()
    state = FileState(7, 8, "a/b")
    assert parse_cookies(text, 0) == {1: CookieFile("/caf\udce9", None, state)}
