# SPDX-License-Identifier: MIT OR GPL-2.0
"""The options of each command.

This module imports nothing that is slow to import, so that --help and usage errors do
not have to wait for numpy.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from ..analysis import requests
from .arguments import (
    add_files,
    add_flags,
    add_selection,
    add_symbol_options,
    add_top,
    add_weight,
    difference,
    each,
    frequency,
    pattern,
    percentage,
    positive,
    span,
    words,
)

STEP = 100 * 10**6  # default duration of a timeline's step, in ns
COLUMNS = 8  # default number of columns in a timeline's text
ROWS = 20  # default number of rows that top prints at each refresh
TOP_ORDERS = ("samples", "function", "object", "comm")
SOURCE, ASSEMBLY, BOTH = "source", "asm", "both"  # what annotate shows
TOTAL, TIME = "total", "time"  # how diff compares
BY = ["function"]


def _info(parser: argparse.ArgumentParser) -> None:
    add_files(parser, many=False)


def _dump(parser: argparse.ArgumentParser) -> None:
    add_files(parser, many=True)
    add_selection(parser)
    add_symbol_options(parser)


def _report(parser: argparse.ArgumentParser) -> None:
    add_files(parser, many=True)
    parser.add_argument("--csv", action="store_true", help="print the rows as CSV")
    parser.add_argument(
        "--by",
        metavar="KEY,...",
        type=words,
        default=["function"],
        help=f"{', '.join(requests.NAMES)}, or a column of the format; "
        "default: function",
    )
    add_top(parser)
    parser.add_argument(
        "--min-percent",
        type=percentage,
        metavar="P",
        default=0.0,
        help="print only rows with at least P percent of the total",
    )
    parser.add_argument(
        "--of",
        "--pmd",
        dest="of",
        metavar="WHAT,...",
        type=each(requests.parse_wanted),
        default=[],
        help="print figures of these values: a column, the number of a PMD, or a ratio "
        "such as 3/4; default with --stat: the weight",
    )
    parser.add_argument(
        "--stat",
        metavar="FIGURE,...",
        type=each(requests.check_stat),
        help="figures to print: sum, mean, min, max, count, hist (a histogram), "
        "percentiles such as p99; default with --of: sum",
    )
    calls = parser.add_argument_group(
        "calls",
        "Reports about calls, for captures with call chains. Their rows are functions.",
    ).add_mutually_exclusive_group()
    calls.add_argument(
        "--cumulative",
        action="store_true",
        help="count the samples of callees for each function, too",
    )
    calls.add_argument(
        "--callers",
        action="store_true",
        help="like --cumulative, with the callers of each function",
    )
    calls.add_argument(
        "--callees",
        action="store_true",
        help="like --cumulative, with the callees of each function",
    )
    calls.add_argument(
        "--caller-of",
        metavar="REGEX",
        type=pattern,
        help="print callers of the functions whose name matches REGEX anywhere",
    )
    add_weight(parser)
    add_selection(parser)
    add_symbol_options(parser)


def _annotate(parser: argparse.ArgumentParser) -> None:
    add_files(parser, many=True)
    parser.add_argument(
        "-s",
        "--function",
        metavar="FUNCTION",
        required=True,
        help="the function's name, with or without parameters",
    )
    shown = parser.add_mutually_exclusive_group()
    for name, text in (
        (SOURCE, "show only source lines"),
        (ASSEMBLY, "show only instructions"),
    ):
        shown.add_argument(
            f"--{name}", dest="shown", action="store_const", const=name, help=text
        )
    parser.set_defaults(shown=BOTH)
    parser.add_argument(
        "--html", metavar="FILE", type=Path, help="write an HTML page to FILE"
    )
    add_weight(parser)
    add_selection(parser)
    add_symbol_options(parser)


def _diff(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="OLD NEW", nargs="*", help="two captures")
    for side in ("old", "new"):
        parser.add_argument(
            f"--{side}",
            metavar="FILE",
            nargs="+",
            default=[],
            help=f"the captures of the {side} side, if there are several",
        )
    add_flags(parser)
    parser.add_argument(
        "--by",
        metavar="KEY,...",
        type=words,
        default=BY,
        help="what to compare, see report --by; default: function",
    )
    parser.add_argument(
        "--normalise",
        choices=(TOTAL, TIME),
        default=TOTAL,
        help="compare shares of all samples (total), or samples per second (time); "
        "default: total",
    )
    parser.add_argument(
        "--to",
        choices=("html", "svg"),
        help="write a differential flame graph instead of the table: a page or a "
        "picture. Frames show their shares of each side's total, so that captures of "
        "different length are comparable, and colours show the difference",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="with --to: output file; default: standard output",
    )
    parser.add_argument(
        "--widths",
        choices=requests.SIDES,
        help="with --to: make each frame as wide as its share of this side. Frames "
        "that only the other side has are invisible; default: new",
    )
    parser.add_argument(
        "--min-delta",
        type=difference,
        metavar="P",
        default=0.0,
        help="print only differences of at least P percentage points; with --normalise "
        "time, of at least P percent of the old side's total per second",
    )
    add_top(parser)
    add_weight(parser)
    add_selection(parser)
    add_symbol_options(parser)


def _timeline(parser: argparse.ArgumentParser) -> None:
    add_files(parser, many=True)
    parser.add_argument(
        "--step",
        metavar="TIME",
        type=span,
        default=STEP,
        help="time per line, such as 10ms or 1s; default: 100ms",
    )
    parser.add_argument(
        "--by", metavar="KEY", help="one column per value of this key, see report --by"
    )
    parser.add_argument(
        "--top",
        type=positive,
        metavar="N",
        default=COLUMNS,
        help="print the first N columns and the sum of the others; JSON has all; "
        f"default: {COLUMNS}",
    )
    add_weight(parser)
    add_selection(parser)
    add_symbol_options(parser)


def _mem(parser: argparse.ArgumentParser) -> None:
    add_files(parser, many=True)
    parser.add_argument(
        "--view",
        choices=tuple(requests.VIEWS),
        default="inst",
        help="group by instruction (inst), data address (data), memory level (level), "
        "or result of the address translation (tlb); default: inst",
    )
    parser.add_argument(
        "--per",
        choices=requests.PERS,
        help="what each row stands for; default: address, or level for the views level "
        "and tlb",
    )
    parser.add_argument(
        "--sort",
        choices=requests.ORDERS,
        default=requests.COUNT,
        help="sort key; default: count",
    )
    add_top(parser)
    parser.add_argument(
        "--cum",
        type=percentage,
        metavar="P",
        default=100.0,
        help="print only the first rows that together have P percent of all samples",
    )
    for level in ("l2", "l3"):
        parser.add_argument(
            f"--{level}",
            type=positive,
            metavar="CYCLES",
            help=f"maximum latency of {level.upper()}, to derive levels from latencies",
        )
    parser.add_argument(
        "--frequency",
        type=frequency,
        metavar="F",
        help="CPU frequency, such as 1.4GHz, for latencies in ns; "
        "default: the machine's",
    )
    add_weight(parser, "count, or the first sum if the format does not count samples")
    add_selection(parser)
    add_symbol_options(parser)


def _top(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", metavar="FILE", help="pipe to which a capture is written, or a capture"
    )
    parser.add_argument(
        "--batch",
        action="store_true",
        help="print the rows at each refresh, even on a terminal",
    )
    parser.add_argument(
        "--iterations", metavar="N", type=positive, help="exit after N refreshes"
    )
    parser.add_argument(
        "--window",
        metavar="TIME",
        type=span,
        default=5 * 10**9,
        help="show the samples of the last TIME, such as 500ms; default: 5s",
    )
    parser.add_argument(
        "--rows",
        metavar="N",
        type=positive,
        default=ROWS,
        help=f"print at most N rows at each refresh; default: {ROWS}",
    )
    parser.add_argument(
        "--sort",
        choices=TOP_ORDERS,
        default=TOP_ORDERS[0],
        help="sort key of the rows",
    )
    add_selection(parser)
    add_symbol_options(parser)


def _show(parser: argparse.ArgumentParser) -> None:
    add_files(parser, many=False)
    add_selection(parser)
    add_symbol_options(parser)


def _serve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="CAPTURE", nargs="+", help="capture")
    parser.add_argument(
        "--browser", action="store_true", help="open the page in a browser"
    )
    add_weight(parser)
    add_selection(parser)
    add_symbol_options(parser)


def _export(parser: argparse.ArgumentParser) -> None:
    from ..exports.registry import OURS  # only needed by this command

    add_files(parser, many=True)
    parser.add_argument(
        "--to",
        required=True,
        metavar="FORMAT",
        help=f"output format: {', '.join(OURS)}, or one that another package adds",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="output file")
    parser.add_argument(
        "--strict",
        action="store_true",
        help="fail, and write nothing, if the format cannot store everything",
    )
    parser.add_argument(
        "--dsn",
        metavar="DSN",
        help="with --to sql: write to this PostgreSQL database instead of a file",
    )
    parser.add_argument(
        "--rows",
        choices=("location", "sample"),
        help="with --to sql: one row per location or per sample; default: location",
    )
    add_weight(parser)
    add_selection(parser)
    add_symbol_options(parser)


def _extract(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="capture")
    parser.add_argument(
        "directory",
        metavar="DIR",
        type=Path,
        help="output directory, created if it does not exist",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _session_template(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file",
        metavar="FORMAT",
        nargs="?",
        default="default",
        help="name of a known format, or a UUID; the default is the format 'default'",
    )


# The function that adds a command's options, by the name of the command's module.
OPTIONS = {
    "info": _info,
    "dump": _dump,
    "report": _report,
    "annotate": _annotate,
    "diff": _diff,
    "timeline": _timeline,
    "mem": _mem,
    "top": _top,
    "show": _show,
    "serve": _serve,
    "export": _export,
    "extract": _extract,
    "session_template": _session_template,
}
