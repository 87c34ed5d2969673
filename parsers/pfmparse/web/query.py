# SPDX-License-Identifier: MIT OR GPL-2.0
"""The parameters of a request."""

from __future__ import annotations

import re
from typing import Callable, Optional, Sequence, TypeVar
from urllib.parse import parse_qs

from ..errors import RequestError

T = TypeVar("T")

NUMBER = re.compile("[0-9]{1,18}")


class Query:
    """Parameters by name. The methods raise RequestError if a value is invalid."""

    def __init__(self, text: str, known: Sequence[str]) -> None:
        """``text`` is the part of a URL after the "?"; ``known`` are valid names."""
        try:
            self._values = parse_qs(text, True, True, errors="strict") if text else {}
        except ValueError:
            raise RequestError(f"the parameters {text!r} are not valid") from None
        for name in self._values:
            if name not in known:
                text = f"unknown parameter {name!r}; known: {', '.join(known)}"
                raise RequestError(text)

    def texts(self, name: str) -> Sequence[str]:
        """Returns all values of a parameter that may be repeated."""
        return self._values.get(name, ())

    def text(self, name: str, default: str = "") -> str:
        """Returns the value of a parameter that must not be repeated."""
        values = self.texts(name)
        if len(values) > 1:
            raise RequestError(f"parameter '{name}' is given more than once")
        return values[0] if values else default

    def number(self, name: str, below: int, default: Optional[int] = None) -> int:
        """Returns a number from 0 up to but excluding ``below``."""
        text = self.text(name)
        if not text and default is not None:
            return default
        number = int(text) if NUMBER.fullmatch(text) else below
        if number >= below:
            limit = f"must be a number below {below}"
            raise RequestError(f"parameter '{name}' {limit}, not {text!r}")
        return number

    def read(self, name: str, read: Callable[[str], Sequence[T]]) -> list[T]:
        """Parses a parameter's values with ``read``, which may raise ValueError."""
        try:
            return [value for text in self.texts(name) for value in read(text)]
        except ValueError as error:
            raise RequestError(f"parameter '{name}': {error}") from None

    def pattern(self, name: str) -> Optional[re.Pattern[str]]:
        """Returns a pattern that finds any of the texts between "|"; None for no text.

        The pattern ignores case. Users cannot request regular expressions, because some
        of these take years and would block all threads.
        """
        texts = [re.escape(text) for text in self.text(name).split("|") if text]
        return re.compile("|".join(texts), re.IGNORECASE) if texts else None
