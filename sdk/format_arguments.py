# SPDX-License-Identifier: MIT OR GPL-2.0
"""Generate the C lines of a new format's argument from the command line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from format_members import (
    SIZES,
    Member,
    MemberError,
    check_name,
    each,
    expect_different,
    packed,
)

ARGUMENT = re.compile(r"([^:=]*):(?P<type>[^=]*)=(?P<default>[^,]*)(?:,(?P<unit>.*))?")
TYPES = ("u8", "u16", "u32", "u64")
UNIT = re.compile(r"\w{1,31}", re.ASCII)
BYTES = re.compile(r"b|bytes?", re.IGNORECASE)
LIVE = "live"
# A line of the templates. If a field is live, fmt_set_arg is added after this line.
HANDLER = ".fmt_handler\t= newfmt_handler,"
# An argument has at most PFM_ARG_MAX_FIELDS fields, including those of pfm_sink_arg_t.
SINK = ("buf_size", "num_regions", "flags")
MOST = 32 - len(SINK)
# Maximum width of a PFM_ARG() between the tab and ", \" at the end of the line
WIDTH = 80 - 8 - len(", \\")


@dataclass(frozen=True)
class Argument(Member):
    """A member of the format's argument, which users can set.

    default: its default value in C. live: it can be changed while monitoring continues.
    """

    default: str = "0"
    unit: str = "number"
    live: bool = False


def arguments(texts: Sequence[str]) -> list[Argument]:
    """Return the fields that the options --arg describe. Raises MemberError."""
    if len(texts) > MOST:
        raise MemberError(f"--arg is given {len(texts)} times: use at most {MOST}")
    found = each("--arg", texts, _argument)
    expect_different([*(Member(name, "u64") for name in ("sink", *SINK)), *found])
    return found


def lines(name: str, found: Sequence[Argument], regions: int) -> dict[str, str]:
    """Return the replacements of the templates' placeholders for a format's argument.

    regions: default number of regions of the buffer.
    """
    sink = Member("sink", "u64", about="the buffer")
    members = packed(found)
    width = max(len(member.name) for member in (sink, *members)) + 1
    settings = [
        Argument("sink.buf_size", "u64", default="65536", unit="bytes"),
        Argument("sink.num_regions", "u32", default=f"{regions}", unit="regions"),
        Argument("sink.flags", "u32", unit="flags"),
        *found,
    ]
    handler = [HANDLER.replace("newfmt", name)]
    if any(field.live for field in found):
        handler.append(f".fmt_set_arg\t= {name}_set_arg,")
    return {
        "ARG_ABOUT": "\n".join(
            f"@{member.name + ':':{width}} {member.about}"
            for member in (sink, *members)
        ),
        "ARG_MEMBERS": "\n".join(
            ["pfm_sink_arg_t\tsink;"]
            + [member.declaration().replace("\t", "\t\t") for member in members]
        ),
        "ARG_LAYOUT": ", \\\n".join(_setting(name, field) for field in settings),
        HANDLER: "\n".join(handler),
    }


def _setting(name: str, field: Argument) -> str:
    """Return the PFM_ARG() of a field, in two lines if necessary."""
    start = f"PFM_ARG{'_LIVE' if field.live else ''}(pfm_{name}_arg_t,"
    rest = f'{field.name}, {field.default}, "{field.unit}")'
    line = f"{start} {rest}"
    return line if len(line) <= WIDTH else f"{start} \\\n\t{rest}"


def _argument(text: str) -> Argument:
    """Return the field that an --arg describes: NAME:TYPE=DEFAULT[,UNIT][,live]."""
    found = ARGUMENT.fullmatch(text)
    if found is None:
        raise MemberError(
            "use NAME:TYPE=DEFAULT[,UNIT][,live], such as min:u64=0,cycles"
        )
    name, type_ = found[1], found["type"]
    *unit_words, last = (found["unit"] or "").split(",")
    unit = ",".join(unit_words if last == LIVE else [*unit_words, last]) or "number"
    check_name(name)
    if type_ not in TYPES:
        raise MemberError(f"unknown type '{type_}'; use {', '.join(TYPES)}")
    default = _number(found["default"], (1 << 8 * SIZES[type_]) - 1)
    if not UNIT.fullmatch(unit):
        raise MemberError(
            f"invalid unit '{unit}': use one word of at most 31 letters, digits and "
            "underscores, such as bytes, ns or events"
        )
    if BYTES.fullmatch(unit) and unit != "bytes":
        raise MemberError(f"unit '{unit}': did you mean 'bytes'?")
    return Argument(name, type_, default=default, unit=unit, live=last == LIVE)


def _number(text: str, largest: int) -> str:
    """Return a default value as an integer constant of C. Raises MemberError."""
    try:
        value = int(text, 0)
    except ValueError:
        value = -1
    if not 0 <= value <= largest:
        raise MemberError(f"default '{text}' is not a number from 0 to {largest}")
    return f"{value}ULL" if value >> 31 else f"{value}"
