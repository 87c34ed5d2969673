# SPDX-License-Identifier: MIT OR GPL-2.0
"""The formats that can be decoded, by UUID."""

from __future__ import annotations

from . import default, nway, oprofile, pebs32, pebs64
from .errors import PfmParseError
from .samples import Format

FORMATS: dict[str, Format] = {
    f.uuid: f
    for f in (
        *default.FORMATS,
        *nway.FORMATS,
        *pebs32.FORMATS,
        *pebs64.FORMATS,
        *oprofile.FORMATS,
    )
}


def find(uuid: str) -> Format:
    """The format of that UUID, lower case; PfmParseError if there is no parser."""
    try:
        return FORMATS[uuid]
    except KeyError:
        known = ", ".join(f"{f.uuid} ({f.name})" for f in FORMATS.values())
        message = f"no parser for format {uuid}; known are {known}"
        raise PfmParseError(message, 0) from None
