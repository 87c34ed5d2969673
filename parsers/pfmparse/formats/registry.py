# SPDX-License-Identifier: MIT OR GPL-2.0
"""The formats that can be decoded: ours and those of other packages."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Iterable

from ..errors import PfmParseError
from . import default, nway, oprofile, pebs32, pebs64
from .samples import Format

GROUP = "pfmparse.formats"  # entry points of other packages' formats

OWN = (
    *default.FORMATS,
    *nway.FORMATS,
    *pebs32.FORMATS,
    *pebs64.FORMATS,
    *oprofile.FORMATS,
)


@cache
def known() -> dict[str, Format]:
    """All formats by UUID: ours, and those of installed packages.

    A package whose formats cannot be loaded is named on standard error.
    """
    formats: dict[str, Format] = {}
    for entry in entry_points(group=GROUP):
        try:
            for form in _load(entry):
                formats.setdefault(form.uuid, form)
        # Whatever another package does, our formats must keep working.
        except Exception as error:
            what = f"{entry.name} ({entry.value})"
            print(f"pfmparse: format {what}: {error!r}", file=sys.stderr)
    return formats | {form.uuid: form for form in OWN}


def find(uuid: str) -> Format:
    """The format of that UUID, lower case; PfmParseError if there is no parser."""
    formats = known()
    try:
        return formats[uuid]
    except KeyError:
        names = ", ".join(f"{f.uuid} ({f.name})" for f in formats.values())
        message = f"no parser for format {uuid}; known are {names}"
        raise PfmParseError(message, 0) from None


def _load(entry: EntryPoint) -> Iterable[Format]:
    """The formats of an entry point, after all of them have been checked."""
    loaded = entry.load()
    formats = (loaded,) if isinstance(loaded, Format) else tuple(loaded)
    for form in formats:
        if not isinstance(form, Format):
            raise TypeError(f"{form!r} is not a pfmparse.Format")
    return formats
