# SPDX-License-Identifier: MIT OR GPL-2.0
"""The options of commands that show symbols."""

from __future__ import annotations

import argparse
from dataclasses import replace

import pytest
from pfmparse.symbols.options import SymbolOptions, add_symbol_options, symbol_options


@pytest.mark.parametrize(
    "argv,options",
    [
        ([], SymbolOptions()),
        (["--symfs", "a", "--symfs", "b"], SymbolOptions(symfs=["a", "b"])),
        (["--no-demangle"], SymbolOptions(demangle=False)),
        (["--no-inlines"], SymbolOptions(inlines=False)),
        (["--debuginfod", "http://x"], SymbolOptions(debuginfod="http://x")),
    ],
)
def test_symbol_options_come_from_the_command_line(
    argv: list[str], options: SymbolOptions
) -> None:
    parser = argparse.ArgumentParser()
    add_symbol_options(parser)
    found = symbol_options(parser.parse_args(argv))
    assert replace(found, symfs=list(found.symfs)) == replace(
        options, symfs=list(options.symfs)
    )
