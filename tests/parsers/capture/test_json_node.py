# SPDX-License-Identifier: MIT OR GPL-2.0
"""Access JSON values, with checks of their types."""

from __future__ import annotations

import json
from typing import Callable

import pytest
from pfmparse.capture.json_node import Node
from pfmparse.errors import PfmParseError

TEXT = b"\xc3\xa4"  # a letter in UTF-8


def node(value: object) -> Node:
    """Parse a document with this value and return its root."""
    return Node.parse(json.dumps(value).encode(), "DOC", 40)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b"NaN", b"[Infinity]", b"\xff", b'"\xc3"', b"{} {}", b"[" * 100_000],
)
def test_invalid_json_is_refused(text: bytes) -> None:
    with pytest.raises(PfmParseError, match="^offset 0x28: DOC: "):
        Node.parse(text, "DOC", 40)


def test_json_document_is_utf8() -> None:
    assert Node.parse(b'"' + TEXT + b'"', "DOC", 0).string() == TEXT.decode()


def test_optional_member_may_be_missing_or_null() -> None:
    assert node({}).optional("a", Node.u64) is None
    assert node({"a": None}).optional("a", Node.u64) is None
    assert node({"a": 5}).optional("a", Node.u64) == 5
    with pytest.raises(PfmParseError, match="DOC.a: not an integer"):
        node({"a": "x"}).optional("a", Node.u64)
    with pytest.raises(PfmParseError, match="DOC: not an object"):
        node([]).optional("a", Node.u64)


def test_json_error_names_its_path() -> None:
    with pytest.raises(PfmParseError) as error:
        node({"a": [1, {"b": "x"}]})["a"].items()[1]["b"].u64()
    assert error.value.message == "DOC.a[1].b: not an integer"
    assert error.value.offset == 40


@pytest.mark.parametrize(
    "read,good,bad",
    [
        (Node.u16, [0, (1 << 16) - 1], [-1, 1 << 16, 1.0, "1", True, None, [], {}]),
        (Node.u32, [0, (1 << 32) - 1], [-1, 1 << 32, False]),
        (Node.u64, [0, (1 << 64) - 1], [-1, 1 << 64, 1e3]),
        (Node.boolean, [True, False], [0, 1, "true", None]),
        (Node.string, ["", "text"], [1, None, ["x"]]),
        (lambda n: n.integer(-5, 5), [-5, 5], [-6, 6, "5"]),
    ],
)
def test_json_values_are_checked_for_type_and_range(
    read: Callable[[Node], object], good: list[object], bad: list[object]
) -> None:
    for value in good:
        assert read(node(value)) == value
    for value in bad:
        with pytest.raises(PfmParseError, match="DOC: (not|must be) "):
            read(node(value))


@pytest.mark.parametrize("text,value", [("", b""), ("00fF", b"\0\xff")])
def test_hexadecimal_digits_are_bytes(text: str, value: bytes) -> None:
    assert node(text).hexadecimal() == value


@pytest.mark.parametrize("value", ["0", "0x12", "gg", 12])
def test_invalid_hexadecimal_is_refused(value: object) -> None:
    with pytest.raises(PfmParseError, match="DOC: not"):
        node(value).hexadecimal()


@pytest.mark.parametrize("value", [[], "text", 1, None])
def test_only_objects_have_members(value: object) -> None:
    with pytest.raises(PfmParseError, match="DOC: not an object"):
        node(value)["a"]


@pytest.mark.parametrize("value", [{}, "text", 1, None])
def test_only_arrays_have_items(value: object) -> None:
    with pytest.raises(PfmParseError, match="DOC: not an array"):
        node(value).items()


def test_missing_member_is_named() -> None:
    with pytest.raises(PfmParseError, match="DOC: missing member 'b'"):
        node({"a": 1})["b"]


def test_null_is_accepted_only_where_allowed() -> None:
    assert node(None).unless_null(Node.u64) is None
    assert node(5).unless_null(Node.u64) == 5
    with pytest.raises(PfmParseError):
        node("5").unless_null(Node.u64)
