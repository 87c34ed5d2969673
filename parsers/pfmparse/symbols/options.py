# SPDX-License-Identifier: MIT OR GPL-2.0
"""How symbols are looked up, and the options of a command line that say so."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Optional, Sequence


@dataclass(frozen=True)
class SymbolOptions:
    """``symfs`` are directories with copies of the mapped files, searched first.

    With ``demangle``, names of C++ and Rust are shown as their sources have them; with
    ``inlines``, functions that were inlined where a view shows them. ``debuginfod`` are
    the servers, None for those of DEBUGINFOD_URLS.
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
        help="look for mapped files in DIR first; can be given several times",
    )
    group.add_argument(
        "--no-demangle",
        action="store_true",
        help="names of C++ and Rust as they are in the files",
    )
    group.add_argument(
        "--no-inlines",
        action="store_true",
        help="functions that were inlined are part of those that called them",
    )
    group.add_argument(
        "--debuginfod",
        metavar="URLS",
        help="servers to ask for files that are not here, '' for none; "
        "default: $DEBUGINFOD_URLS",
    )


def symbol_options(arguments: argparse.Namespace) -> SymbolOptions:
    """What these options were."""
    return SymbolOptions(
        arguments.symfs,
        not arguments.no_demangle,
        not arguments.no_inlines,
        arguments.debuginfod,
    )
