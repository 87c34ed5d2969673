# SPDX-License-Identifier: MIT OR GPL-2.0
"""Options that commands have in common, and what they mean."""

from __future__ import annotations

import argparse
import math
import re
from typing import Callable, TypeVar

from ..analysis.inputs import Options
from ..analysis.selection import Selection
from ..analysis.times import parse_span, parse_window
from ..symbols.options import symbol_options

T = TypeVar("T")

MAX_RANGE = 1 << 16  # numbers in a range such as 0-3
NUMBER = re.compile("[0-9]{1,18}")
KHZ = {"k": 1, "M": 10**3, "G": 10**6}


def add_files(parser: argparse.ArgumentParser, many: bool) -> None:
    """What is read: one capture or several, or a raw buffer."""
    what = "capture, or buffer if --raw"
    if many:
        parser.add_argument("file", metavar="FILE", nargs="+", help=what)
    else:
        parser.add_argument("file", metavar="FILE", help=what)
    add_flags(parser)


def add_flags(parser: argparse.ArgumentParser) -> None:
    """How the files are read, and what is printed."""
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--raw", action="store_true", help="FILE is the image of one buffer"
    )
    parser.add_argument(
        "--session",
        metavar="SESSION.json",
        help="with --raw: the session, as in a capture's SESS chunk",
    )


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Which samples are meant."""
    group = parser.add_argument_group(
        "selection",
        "Each option can be given several times, but for --time and the level; "
        "all but --symbol and --time take a,b,c.",
    )

    def add(
        option: str, metavar: str, read: Callable[[str], object], what: str
    ) -> None:
        group.add_argument(
            option,
            metavar=metavar,
            action="extend",
            type=_argument(read),
            default=[],
            help=f"only samples of {what}",
        )

    add("--event", "NAME", _words, "an event of the session")
    add("--pid", "PID", _numbers, "a process")
    add("--tid", "TID", _numbers, "a thread")
    add("--comm", "PATTERN", _words, "a thread or process of this name; * and ? match")
    add("--cgroup", "PATTERN", _words, "a control group and those below; * and ? match")
    add("--container", "ID", _words, "a container, whose ID may be cut off")
    add("--cpu", "CPU", _numbers, "a CPU; 0-3 are several")
    add("--set", "SET", _numbers, "an event set")
    add("--object", "PATTERN", _words, "a program, library or [module]; * and ? match")
    group.add_argument(
        "--symbol",
        metavar="REGEX",
        action="append",
        type=pattern,
        default=[],
        help="only samples of functions whose name has this in it",
    )
    group.add_argument(
        "--time",
        metavar="FROM-TO",
        type=_argument(parse_window),
        help="only samples of that time, from the first one on: 2s-5s, 2s-, -300ms",
    )
    level = group.add_mutually_exclusive_group()
    level.add_argument(
        "--kernel",
        dest="level",
        action="store_const",
        const=True,
        help="only samples at kernel level",
    )
    level.add_argument(
        "--user",
        dest="level",
        action="store_const",
        const=False,
        help="only samples at user level",
    )


def add_top(parser: argparse.ArgumentParser) -> None:
    """How many rows are shown."""
    parser.add_argument(
        "--top", type=positive, metavar="N", help="only the first N rows"
    )


def add_weight(parser: argparse.ArgumentParser) -> None:
    """What is added up."""
    parser.add_argument(
        "--weight",
        metavar="WHAT",
        default="count",
        help="add up samples (count), their periods (period), or a column of the "
        "format, also pmdN; default: count",
    )


def options_of(arguments: argparse.Namespace) -> Options:
    """What the options of add_selection() and add_symbol_options() say."""
    selection = Selection(
        events=arguments.event,
        pids=arguments.pid,
        tids=arguments.tid,
        comms=arguments.comm,
        cgroups=arguments.cgroup,
        containers=arguments.container,
        cpus=arguments.cpu,
        sets=arguments.set,
        objects=arguments.object,
        symbols=arguments.symbol,
        kernel=arguments.level,
        time=arguments.time,
    )
    return Options(selection, symbol_options(arguments))


def positive(text: str) -> int:
    """A number from 1 on; for add_argument()."""
    return _argument(_positive)(text)


def percentage(text: str) -> float:
    """A number from 0 to 100, with or without a % sign; for add_argument()."""
    return _argument(_percentage)(text)


def difference(text: str) -> float:
    """A number of percent from 0 on; for add_argument()."""
    return _argument(_difference)(text)


def span(text: str) -> int:
    """A time in ns that samples' clocks can show; for add_argument()."""
    return _argument(_span)(text)


def each(read: Callable[[str], T]) -> Callable[[str], list[T]]:
    """What reads a,b,c as a list of things; for add_argument()."""
    return _argument(lambda text: [read(word) for word in _words(text)])


def frequency(text: str) -> int:
    """A frequency such as 1.4GHz or 800MHz in kHz; for add_argument()."""
    return _argument(_khz)(text)


def words(text: str) -> list[str]:
    """a,b,c as a list; for add_argument()."""
    return _argument(_words)(text)


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression; for add_argument()."""
    return _argument(_pattern)(text)


def _argument(read: Callable[[str], T]) -> Callable[[str], T]:
    """The same for argparse, which prints the message of its own error only."""

    def checked(text: str) -> T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return checked


def _positive(text: str) -> int:
    number = int(text) if NUMBER.fullmatch(text) else 0
    if not number:
        raise ValueError(f"{text!r} is no number from 1 on")
    return number


def _percentage(text: str) -> float:
    number = _percents(text)
    if not 0 <= number <= 100:
        raise ValueError(f"{text!r} is no percentage from 0 to 100")
    return number


def _difference(text: str) -> float:
    number = _percents(text)
    if not 0 <= number < math.inf:
        raise ValueError(f"{text!r} is no number of percent from 0 on")
    return number


def _percents(text: str) -> float:
    """The number before a % sign, or without one; what is none is not in any range."""
    try:
        return float(text.removesuffix("%"))
    except ValueError:
        return math.nan


def _span(text: str) -> int:
    ns = parse_span(text)
    if ns >> 64:
        raise ValueError(f"{text!r} is longer than clocks of 64 bits run, 2^64 ns")
    return ns


def _khz(text: str) -> int:
    match = re.fullmatch(r"([0-9]{1,9}(?:\.[0-9]{1,9})?)([kMG])Hz", text)
    from decimal import Decimal  # takes long, and is rarely needed

    khz = int(Decimal(match[1]) * KHZ[match[2]]) if match else 0
    if not khz:
        raise ValueError(f"{text!r} is no frequency such as 1.4GHz or 800MHz")
    return khz


def _words(text: str) -> list[str]:
    found = [word for word in text.split(",") if word]
    if not found:
        raise ValueError("it is empty")
    return found


def _numbers(text: str) -> list[int]:
    """0,2-4 as a list."""
    found: list[int] = []
    for part in _words(text):
        match = re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", part)
        if match is None:
            raise ValueError(f"{part!r} is neither a number nor a range such as 0-3")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= MAX_RANGE or last >> 32:
            raise ValueError(f"{part!r} is no range of numbers that there can be")
        found += range(first, last + 1)
    return found


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as error:
        raise ValueError(f"{text!r} is no regular expression: {error}") from None
