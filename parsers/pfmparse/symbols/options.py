# SPDX-License-Identifier: MIT OR GPL-2.0
"""The options for looking up symbols."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Optional, Sequence


@dataclass(frozen=True)
class SymbolOptions:
    """``symfs`` are directories with copies of the mapped files, searched first.

    With ``demangle``, names of C++ and Rust are demangled. With ``inlines``, views that
    support it show inlined functions. ``debuginfod`` are the servers, None for those of
    DEBUGINFOD_URLS.
    """

    symfs: Sequence[str] = ()
    demangle: bool = True
    inlines: bool = True
    debuginfod: Optional[str] = None


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
        help="show names of C++ and Rust as they are in the files",
    )
    group.add_argument(
        "--no-inlines",
        action="store_true",
        help="count inlined functions as part of their callers",
    )
    group.add_argument(
        "--debuginfod",
        metavar="URLS",
        help="servers to ask for missing files, '' for none; "
        "default: $DEBUGINFOD_URLS",
    )


def symbol_options(arguments: argparse.Namespace) -> SymbolOptions:
    """The values of the options."""
    return SymbolOptions(
        arguments.symfs,
        not arguments.no_demangle,
        not arguments.no_inlines,
        arguments.debuginfod,
    )
