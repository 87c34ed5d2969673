# SPDX-License-Identifier: MIT OR GPL-2.0
"""Options that several commands share, and parsers of their values."""

from __future__ import annotations

import argparse
import math
import re
from typing import Callable, TypeVar

from ..analysis.requests import (
    CONDITIONS,
    parse_span,
    parse_window,
    read_pattern,
    read_words,
)

T = TypeVar("T")

NUMBER = re.compile("[0-9]{1,18}")
KHZ = {"k": 1, "M": 10**3, "G": 10**6}


def add_files(parser: argparse.ArgumentParser, many: bool) -> None:
    """Adds the argument for input files: one or several captures, or a raw buffer."""
    what = "capture; with --raw: image of a buffer"
    if many:
        parser.add_argument("file", metavar="FILE", nargs="+", help=what)
    else:
        parser.add_argument("file", metavar="FILE", help=what)
    add_flags(parser)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Adds --json, and the options for raw buffers."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--raw", action="store_true", help="FILE is the image of one sampling buffer"
    )
    parser.add_argument(
        "--session",
        metavar="SESSION.json",
        help="with --raw: file with the session, as JSON like that of a SESS chunk",
    )


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Adds the options that select samples."""
    group = parser.add_argument_group(
        "selection",
        "All options except --time, --kernel and --user can be repeated. "
        "All values except those of --symbol and --time can be lists: a,b,c.",
    )

    for name, condition in CONDITIONS.items():
        group.add_argument(
            f"--{name}",
            metavar=condition.metavar,
            action="extend",
            type=_argument(condition.read),
            default=[],
            help=f"only samples of {condition.what}",
        )
    group.add_argument(
        "--time",
        metavar="FROM-TO",
        type=_argument(parse_window),
        help="only samples in this time range, such as 2s-5s, 2s- or -300ms; "
        "0 is the time of the first sample",
    )
    level = group.add_mutually_exclusive_group()
    level.add_argument(
        "--kernel",
        dest="level",
        action="store_const",
        const=True,
        help="only samples taken in the kernel",
    )
    level.add_argument(
        "--user",
        dest="level",
        action="store_const",
        const=False,
        help="only samples taken in user space",
    )


def add_top(parser: argparse.ArgumentParser) -> None:
    """Adds the option that limits the rows."""
    parser.add_argument(
        "--top", type=positive, metavar="N", help="print only the first N rows"
    )


def add_weight(
    parser: argparse.ArgumentParser,
    default: str = "the first sum that the format records, else count",
) -> None:
    """Adds the option that chooses the weight of samples."""
    parser.add_argument(
        "--weight",
        metavar="WHAT",
        help="what to sum: samples (count), sampling periods (period), a column of the "
        f"format, or pmdN; default: {default}",
    )


def add_symbol_options(parser: argparse.ArgumentParser) -> None:
    """Adds the options of commands that show symbols."""
    group = parser.add_argument_group("symbols")
    group.add_argument(
        "--symfs",
        action="append",
        default=[],
        metavar="DIR",
        help="look for mapped files in DIR first; can be repeated",
    )
    group.add_argument(
        "--no-demangle",
        action="store_true",
        help="show C++ and Rust names mangled, as they are in the files",
    )
    group.add_argument(
        "--no-inlines",
        action="store_true",
        help="count inlined functions as part of their callers",
    )
    group.add_argument(
        "--debuginfod",
        metavar="URLS",
        help="servers from which to get missing files, or '' for none; "
        "default: $DEBUGINFOD_URLS",
    )


# The functions from here to pattern() are for the argument ``type`` of add_argument().


def positive(text: str) -> int:
    """Parses a positive integer."""
    return _argument(_positive)(text)


def percentage(text: str) -> float:
    """Parses a number from 0 to 100, with or without a % sign."""
    return _argument(_percentage)(text)


def difference(text: str) -> float:
    """Parses a percentage of 0 or more, which may exceed 100."""
    return _argument(_difference)(text)


def span(text: str) -> int:
    """Parses a time; returns ns, less than 2^64."""
    return _argument(_span)(text)


def each(read: Callable[[str], T]) -> Callable[[str], list[T]]:
    """Returns a function that parses a list a,b,c.

    ``read`` parses one element.
    """
    return _argument(lambda text: [read(word) for word in read_words(text)])


def frequency(text: str) -> int:
    """Parses a frequency such as 1.4GHz; returns kHz."""
    return _argument(_khz)(text)


def words(text: str) -> list[str]:
    """Parses a,b,c as a list."""
    return _argument(read_words)(text)


def pattern(text: str) -> re.Pattern[str]:
    """Parses a regular expression."""
    return _argument(read_pattern)(text)


def _argument(read: Callable[[str], T]) -> Callable[[str], T]:
    """Makes ``read`` raise an error whose text argparse prints, not ValueError."""

    def checked(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return checked


def _positive(text: str) -> int:
    number = int(text) if NUMBER.fullmatch(text) else 0
    if not number:
        raise ValueError(f"must be a number of at least 1, not {text!r}")
    return number


def _percentage(text: str) -> float:
    number = _percents(text)
    if not 0 <= number <= 100:
        raise ValueError(f"must be a percentage from 0 to 100, not {text!r}")
    return number


def _difference(text: str) -> float:
    number = _percents(text)
    if not 0 <= number < math.inf:
        raise ValueError(f"must be a percentage of at least 0, not {text!r}")
    return number


def _percents(text: str) -> float:
    """Parses a number, with or without a % sign.

    Returns NaN, which is outside of all ranges, if the text is invalid.
    """
    try:
        return float(text.removesuffix("%"))
    except ValueError:
        return math.nan


def _span(text: str) -> int:
    ns = parse_span(text)
    if ns >> 64:
        raise ValueError(f"must be less than 2^64 ns, not {text!r}")
    return ns


def _khz(text: str) -> int:
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([kMG])Hz", text)
    from decimal import Decimal  # slow to import, and rarely needed

    khz = int(Decimal(match[1]) * KHZ[match[2]]) if match else 0
    if not khz:
        raise ValueError(f"must be a frequency such as 1.4GHz or 800MHz, not {text!r}")
    return khz
