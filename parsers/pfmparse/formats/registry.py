# SPDX-License-Identifier: MIT OR GPL-2.0
"""The formats that can be decoded: ours and those of other packages."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Iterable

from ..errors import PfmParseError, blamed
from . import callstack, default, flight, histogram, nway, oprofile, pebs32, pebs64
from .decoding import Format

GROUP = "pfmparse.formats"  # entry points of other packages' formats
OURS = "pfmparse"

OWN = (
    *default.FORMATS,
    *nway.FORMATS,
    *pebs32.FORMATS,
    *pebs64.FORMATS,
    *oprofile.FORMATS,
    *histogram.FORMATS,
    *callstack.FORMATS,
    *flight.FORMATS,
)


@dataclass(frozen=True)
class Parser:
    """A format, and what has brought it: our package or "ENTRY POINT (OBJECT)"."""

    format: Format
    origin: str

    def __str__(self) -> str:
        return f"{self.format.uuid} ({self.format.name})"


@cache
def known() -> dict[str, Parser]:
    """All parsers by UUID: ours, and those of installed packages.

    A package whose formats cannot be used is named on standard error.
    """
    parsers = {form.uuid: Parser(form, OURS) for form in OWN}
    for entry in entry_points(group=GROUP):
        origin = f"{entry.name} ({entry.value})"
        try:
            formats = _load(entry)
        # Whatever another package does, our formats must keep working.
        except (Exception, SystemExit) as error:
            _warn(origin, blamed(error))
            continue
        for form in formats:
            first = parsers.setdefault(form.uuid, Parser(form, origin))
            if first.origin != origin:
                _warn(
                    origin,
                    f"{form.uuid} is that of {first.format.name}, which "
                    f"{first.origin} reads",
                )
    return parsers


def find_parser(uuid: str) -> Parser:
    """What reads the format of that UUID; PfmParseError if nothing does."""
    parsers = known()
    try:
        return parsers[uuid.lower()]
    except KeyError:
        names = ", ".join(map(str, parsers.values()))
        message = f"no parser for format {uuid}; known are {names}"
        raise PfmParseError(message, 0) from None


def find(uuid: str) -> Format:
    """The format of that UUID; PfmParseError if there is no parser."""
    return find_parser(uuid).format


def _load(entry: EntryPoint) -> Iterable[Format]:
    """The formats of an entry point, after all of them have been checked."""
    loaded = entry.load()
    formats = (loaded,) if isinstance(loaded, Format) else tuple(loaded)
    for form in formats:
        if not isinstance(form, Format):
            raise TypeError(f"{form!r} is not a pfmparse.Format")
    return formats


def _warn(origin: str, message: str) -> None:
    print(f"pfmparse: format {origin}: {message}", file=sys.stderr)
