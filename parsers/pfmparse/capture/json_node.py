# SPDX-License-Identifier: MIT OR GPL-2.0
"""Typed access to JSON, with errors that name the path of the bad value."""

from __future__ import annotations

import json
from typing import Callable, Optional, TypeVar

from ..errors import PfmParseError

U16_MAX = (1 << 16) - 1
U32_MAX = (1 << 32) - 1
U64_MAX = (1 << 64) - 1

T = TypeVar("T")

MISSING = object()  # the value of a missing member
MAX_WRONG = 20  # maximum number of errors that are reported for one document


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not JSON")


class Node:
    """A value in a JSON document, and its path.

    Every access checks the type. If it is wrong, raises PfmParseError, with the path in
    the message and with ``offset``, the document's position in bytes. If ``wrong`` is
    given, adds the error to this list instead, and returns a default value of the right
    type.
    """

    def __init__(
        self,
        value: object,
        path: str,
        offset: int,
        wrong: Optional[list[PfmParseError]] = None,
    ) -> None:
        self._value = value
        self._path = path
        self._offset = offset
        self._wrong = wrong

    @classmethod
    def parse(
        cls,
        text: bytes,
        name: str,
        offset: int,
        wrong: Optional[list[PfmParseError]] = None,
    ) -> Node:
        """Parses a UTF-8 document; all paths start with ``name``."""
        try:
            value = json.loads(text.decode(), parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise PfmParseError(f"{name}: {error}", offset) from None
        return cls(value, name, offset, wrong)

    def check(self) -> None:
        """Raises PfmParseError with all collected errors, if there are any."""
        if self._wrong:
            texts = [error.message for error in self._wrong[:MAX_WRONG]]
            more = len(self._wrong) - len(texts)
            texts += [f"and {more} more"] if more else []
            raise PfmParseError("; ".join(texts), self._offset)

    def refuse(self, message: str) -> None:
        """Raises or collects an error about this value."""
        if self._wrong is None:
            raise self.error(message)
        # A missing member has already been reported.
        if self._value is not MISSING:
            self._wrong.append(self.error(message))

    def error(self, message: str) -> PfmParseError:
        """Makes an error about this value."""
        return PfmParseError(f"{self._path}: {message}", self._offset)

    def __getitem__(self, key: str) -> Node:
        """Returns a member of the object."""
        value = MISSING
        if not isinstance(self._value, dict):
            self.refuse("not an object")
        elif key not in self._value:
            self.refuse(f"missing member {key!r}")
        else:
            value = self._value[key]
        return Node(value, f"{self._path}.{key}", self._offset, self._wrong)

    def optional(self, key: str, read: Callable[[Node], T]) -> Optional[T]:
        """Returns a member's value as ``read`` returns it; None if missing or null."""
        if isinstance(self._value, dict) and key not in self._value:
            return None
        return self[key].unless_null(read)

    def members(self) -> dict[str, Node]:
        """Returns the members of the object, by name."""
        if not isinstance(self._value, dict):
            self.refuse("not an object")
            return {}
        return {name: self[name] for name in self._value}

    def items(self) -> list[Node]:
        """Returns the elements of the array."""
        if not isinstance(self._value, list):
            self.refuse("not an array")
            return []
        return [
            Node(item, f"{self._path}[{i}]", self._offset, self._wrong)
            for i, item in enumerate(self._value)
        ]

    def integer(self, low: int, high: int) -> int:
        """Returns the integer, which must be from ``low`` to ``high``."""
        if not isinstance(self._value, int) or isinstance(self._value, bool):
            self.refuse("not an integer")
            return low
        if not low <= self._value <= high:
            self.refuse(f"must be from {low} to {high}")
            return low
        return self._value

    def u16(self) -> int:
        """Returns the unsigned integer of 16 bits."""
        return self.integer(0, U16_MAX)

    def u32(self) -> int:
        """Returns the unsigned integer of 32 bits."""
        return self.integer(0, U32_MAX)

    def u64(self) -> int:
        """Returns the unsigned integer of 64 bits."""
        return self.integer(0, U64_MAX)

    def boolean(self) -> bool:
        """Returns the boolean."""
        if not isinstance(self._value, bool):
            self.refuse("not true or false")
            return False
        return self._value

    def string(self) -> str:
        """Returns the string."""
        if not isinstance(self._value, str):
            self.refuse("not a string")
            return ""
        return self._value

    def exact_text(self, key: str) -> str:
        """Returns a text member; bytes that are not UTF-8 become surrogates.

        If there are such bytes, the member has question marks in their place, and a
        second member "KEY_bytes" has the bytes.
        """
        text = self[key].string()
        exact = self.optional(f"{key}_bytes", Node.hexadecimal)
        return text if exact is None else exact.decode("utf-8", "surrogateescape")

    def hexadecimal(self) -> bytes:
        """Returns the bytes of a string of hexadecimal digits."""
        try:
            return bytes.fromhex(self.string())
        except ValueError:
            self.refuse("not hexadecimal digits")
            return b""

    def unless_null(self, read: Callable[[Node], T]) -> Optional[T]:
        """Returns None for null, otherwise the value that ``read`` returns."""
        return None if self._value is None else read(self)
