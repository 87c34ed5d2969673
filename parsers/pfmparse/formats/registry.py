# SPDX-License-Identifier: MIT OR GPL-2.0
"""The registry of formats: built-in ones, and those of other packages."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Iterable

from .. import text
from ..errors import RequestError, blamed
from .decoding import Format

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "pfmparse.formats"  # entry points of other packages' formats
OURS = "pfmparse"

# The modules of built-in formats by UUID. They are imported on demand.
OWN = {
    "d139b29e-62e8-40e4-b402-73078792e937": "default",
    "4d72bec0-0664-4143-82b4-d3fd27243c97": "default",
    "70fa5e60-0e12-4a8b-8a49-beac1a9d51ce": "nway",
    "0d8591e7-493f-49ae-8cfc-e8b933e4eb8b": "pebs32",
    "36be9794-1fbf-41df-b463-1062eb729bad": "pebs64",
    "777a6e61-2065-7369-746e-722061650a6c": "oprofile",
    "7e053c7a-52c0-4536-84e9-10d7885f57c9": "histogram",
    "bad42f83-abb5-4fb1-bc94-36de0415f7ca": "callstack",
    "b9d0cd6e-d66e-486b-aa83-880009473ebf": "flight",
    "d2f2aba2-e8d3-408b-af5f-54ed08df8b1c": "stacks",
    "f970f848-ac78-4b5c-a2ff-e716da8de985": "cgroup_counts",
}


@dataclass(frozen=True)
class Parser:
    """A format and its origin: "pfmparse", or another package's "NAME (OBJECT)"."""

    format: Format
    origin: str

    def __str__(self) -> str:
        return f"{self.format.uuid} ({self.format.name})"


def _own(uuid: str) -> Parser:
    """Returns the parser of a built-in format."""
    formats: Iterable[Format] = import_module(f".{OWN[uuid]}", __package__).FORMATS
    return Parser(next(form for form in formats if form.uuid == uuid), OURS)


@cache
def known() -> dict[str, Parser]:
    """Returns all parsers by UUID: built-in ones, and those of other packages.

    Prints a warning about packages whose formats cannot be used.
    """
    from importlib.metadata import entry_points  # slow to import, and rarely needed

    parsers = {uuid: _own(uuid) for uuid in OWN}
    for entry in entry_points(group=GROUP):
        origin = f"{entry.name} ({entry.value})"
        try:
            formats = _load(entry)
        # Another package may raise any exception; built-in formats must keep working.
        except (Exception, SystemExit) as error:
            _warn(origin, blamed(error))
            continue
        for form in formats:
            first = parsers.setdefault(form.uuid, Parser(form, origin))
            if first.origin != origin:
                _warn(
                    origin,
                    f"{form.uuid} is already used by format {first.format.name} of "
                    f"{first.origin}",
                )
    return parsers


def find_parser(uuid: str) -> Parser:
    """Returns the parser of the format with this UUID.

    Raises PfmParseError if the format is unknown. Loads other packages only if the
    format is not built in.
    """
    wanted = uuid.lower()
    if wanted in OWN:
        return _own(wanted)
    parsers = known()
    if wanted not in parsers:
        names = ", ".join(map(str, parsers.values()))
        message = f"no parser for format {uuid}; known formats: {names}"
        raise RequestError(message)
    return parsers[wanted]


def find_format(uuid: str) -> Format:
    """Returns the format with this UUID; raises PfmParseError if it has no parser."""
    return find_parser(uuid).format


def _load(entry: EntryPoint) -> Iterable[Format]:
    """Returns the formats of an entry point, after type checks."""
    loaded = entry.load()
    formats = (loaded,) if isinstance(loaded, Format) else tuple(loaded)
    for form in formats:
        if not isinstance(form, Format):
            raise TypeError(f"{form!r} is not a pfmparse.Format")
    return formats


def _warn(origin: str, message: str) -> None:
    text.message(f"format {origin}: {message}")
