# SPDX-License-Identifier: MIT OR GPL-2.0
"""Typed access to JSON; errors name the path of the bad value."""

from __future__ import annotations

import json
from typing import Callable, Optional, TypeVar

from ..errors import PfmParseError

U16_MAX = (1 << 16) - 1
U32_MAX = (1 << 32) - 1
U64_MAX = (1 << 64) - 1

T = TypeVar("T")


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


class Node:
    """A value in a JSON document, and the path that leads to it.

    Every access checks the type and raises PfmParseError, whose offset is that of
    the document (``offset``, in bytes) and whose message names the path.
    """

    def __init__(self, value: object, path: str, offset: int) -> None:
        self._value = value
        self._path = path
        self._offset = offset

    @classmethod
    def parse(cls, text: bytes, name: str, offset: int) -> Node:
        """The root of a UTF-8 document; ``name`` starts all its paths."""
        try:
            value = json.loads(text.decode(), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise PfmParseError(f"{name}: {error}", offset) from None
        return cls(value, name, offset)

    def error(self, message: str) -> PfmParseError:
        """An error at this place of the document."""
        return PfmParseError(f"{self._path}: {message}", self._offset)

    def __getitem__(self, key: str) -> Node:
        """The member of an object."""
        if not isinstance(self._value, dict):
            raise self.error("not an object")
        if key not in self._value:
            raise self.error(f"no member {key!r}")
        return Node(self._value[key], f"{self._path}.{key}", self._offset)

    def items(self) -> list[Node]:
        """The elements of an array."""
        if not isinstance(self._value, list):
            raise self.error("not an array")
        return [
            Node(item, f"{self._path}[{i}]", self._offset)
            for i, item in enumerate(self._value)
        ]

    def integer(self, low: int, high: int) -> int:
        """An integer from ``low`` to ``high``, both included."""
        if not isinstance(self._value, int) or isinstance(self._value, bool):
            raise self.error("not an integer")
        if not low <= self._value <= high:
            raise self.error(f"not from {low} to {high}")
        return self._value

    def u16(self) -> int:
        """An integer of 16 bits."""
        return self.integer(0, U16_MAX)

    def u32(self) -> int:
        """An integer of 32 bits."""
        return self.integer(0, U32_MAX)

    def u64(self) -> int:
        """An integer of 64 bits."""
        return self.integer(0, U64_MAX)

    def boolean(self) -> bool:
        """true or false."""
        if not isinstance(self._value, bool):
            raise self.error("not true or false")
        return self._value

    def string(self) -> str:
        """A string."""
        if not isinstance(self._value, str):
            raise self.error("not a string")
        return self._value

    def hexadecimal(self) -> bytes:
        """The bytes that a string of hexadecimal digits stands for."""
        try:
            return bytes.fromhex(self.string())
        except ValueError:
            raise self.error("not hexadecimal digits") from None

    def unless_null(self, read: Callable[[Node], T]) -> Optional[T]:
        """None for null, else what ``read`` makes of the value."""
        return None if self._value is None else read(self)
