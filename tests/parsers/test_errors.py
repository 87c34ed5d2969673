# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the error type and its offset in the file that contains the data."""

from __future__ import annotations

import pytest
from pfmparse.errors import PfmParseError, RequestError


def test_error_text_starts_with_the_offset() -> None:
    assert str(PfmParseError("bad", 0x1234)) == "offset 0x1234: bad"


def test_request_error_has_no_offset() -> None:
    assert str(RequestError("no such column")) == "no such column"


def test_fault_in_a_buffer_has_the_buffers_offset() -> None:
    problem = RequestError("decoder: fault").within(0x40, stored="", whole=True)
    assert str(problem) == "offset 0x40: decoder: fault"


def test_error_offset_is_relative_to_the_file() -> None:
    problem = PfmParseError("bad", 5).within(100, stored="", whole=False)
    assert (problem.message, problem.offset) == ("bad", 105)


def test_error_in_converted_data_names_its_byte() -> None:
    problem = PfmParseError("bad", 0x20).within(100, stored="assembled", whole=False)
    assert problem.message == "assembled, byte 0x20: bad"
    assert problem.offset == 100


@pytest.mark.parametrize("stored", ["", "decompressed"])
@pytest.mark.parametrize(
    "truncated,whole,still", [(True, False, True), (True, True, False)]
)
def test_short_complete_data_are_not_truncated(
    stored: str, truncated: bool, whole: bool, still: bool
) -> None:
    problem = PfmParseError("short", 0, truncated).within(8, stored, whole)
    assert problem.truncated is still
    assert not PfmParseError("bad", 0).within(8, stored, whole).truncated
