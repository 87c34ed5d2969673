# SPDX-License-Identifier: MIT OR GPL-2.0
"""Parse options that several commands share."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Callable

import pytest
from pfmparse.analysis.inputs import Options
from pfmparse.analysis.requests import Window
from pfmparse.analysis.selection import Selection
from pfmparse.commands.arguments import (
    add_selection,
    add_symbol_options,
    difference,
    frequency,
    percentage,
    positive,
    span,
)
from pfmparse.commands.opening import options_of
from pfmparse.symbols.location import SymbolOptions


def options(*words: str) -> Options:
    """Return the view options that a command line selects."""
    parser = argparse.ArgumentParser()
    add_selection(parser)
    add_symbol_options(parser)
    return options_of(parser.parse_args(words))


def selection(*words: str) -> Selection:
    """Return the selection that these options describe."""
    return options(*words).selection


def test_selection_options_default_to_everything() -> None:
    assert selection() == Selection(
        [], [], [], [], [], [], [], [], cgroups=[], containers=[]
    )


def test_repeated_selection_options_add_up() -> None:
    found = selection("--cpu", "0,2-4", "--cpu", "9", "--event", "a,b", "--event", "c")
    assert (found.cpus, found.events) == ([0, 2, 3, 4, 9], ["a", "b", "c"])
    found = selection("--symbol", "a{1,2}", "--symbol", "b")
    assert [symbol.pattern for symbol in found.symbols] == ["a{1,2}", "b"]


def test_selection_options_set_their_own_fields() -> None:
    found = selection(
        *["--pid", "1", "--tid", "2", "--set", "3", "--comm", "c*", "--object", "[o]"],
        *["--symbol", "^f", "--time", "1s-2s", "--user"],
    )
    assert (found.pids, found.tids, found.sets) == ([1], [2], [3])
    assert (found.comms, found.objects) == (["c*"], ["[o]"])
    assert [symbol.pattern for symbol in found.symbols] == ["^f"]
    assert found.time == Window(10**9, 2 * 10**9)
    assert found.kernel is False and selection("--kernel").kernel is True


@pytest.mark.parametrize(
    "words,message",
    [
        (["--cpu", "x"], "must be a number or a range such as 0-3, not 'x'"),
        (["--cpu", "3-1"], "invalid range '3-1': it must ascend"),
        (["--cpu", "0-99999999"], "invalid range '0-99999999'"),
        (["--pid", "4294967296"], "invalid range '4294967296'"),
        (["--pid", ","], "must not be empty"),
        (["--symbol", "("], "invalid regular expression '('"),
        (["--time", "soon"], "must be a time range such as 2s-5s"),
        (["--time", "5s-2s"], "'5s-2s' ends before it begins"),
        (["--kernel", "--user"], "not allowed with argument"),
    ],
)
def test_invalid_option_value_is_explained(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        selection(*words)
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "text,khz",
    [("1.4GHz", 1400000), ("800MHz", 800000), ("2800000kHz", 2800000)],
)
def test_frequencies_have_units(text: str, khz: int) -> None:
    assert frequency(text) == khz


@pytest.mark.parametrize("text", ["1400", "0GHz", "-1GHz", "1e9GHz", "GHz", "1.4Ghz"])
def test_invalid_frequency_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be a frequency such as"):
        frequency(text)


@pytest.mark.parametrize(
    "read,text,number",
    [(positive, "1", 1), (percentage, "12.5%", 12.5), (percentage, "100", 100.0)]
    + [(difference, "250%", 250.0), (span, "18446744073s", 18446744073 * 10**9)],
)
def test_number_options_are_parsed(
    read: Callable[[str], float], text: str, number: float
) -> None:
    assert read(text) == number


@pytest.mark.parametrize(
    "read,texts,message",
    [
        (
            positive,
            ["0", "-1", "x", "1.5", "9" * 5000],
            "must be a number of at least 1",
        ),
        (percentage, ["-1", "101", "nan", "x"], "must be a percentage from 0 to 100"),
        (difference, ["-1", "nan", "inf", "x"], "must be a percentage of at least 0"),
        (span, ["20000000000s", "18446744073709551616ns"], "must be less than 2.64 ns"),
    ],
)
def test_refused_number_states_the_valid_range(
    read: Callable[[str], float], texts: list[str], message: str
) -> None:
    for text in texts:
        with pytest.raises(argparse.ArgumentTypeError, match=message):
            read(text)


@pytest.mark.parametrize(
    "argv,wanted",
    [
        ([], SymbolOptions()),
        (["--symfs", "a", "--symfs", "b"], SymbolOptions(symfs=["a", "b"])),
        (["--no-demangle"], SymbolOptions(demangle=False)),
        (["--no-inlines"], SymbolOptions(inlines=False)),
        (["--debuginfod", "http://x"], SymbolOptions(debuginfod="http://x")),
    ],
)
def test_symbol_options_come_from_the_command_line(
    argv: list[str], wanted: SymbolOptions
) -> None:
    found = options(*argv).symbols
    assert replace(found, symfs=list(found.symfs)) == replace(
        wanted, symfs=list(wanted.symfs)
    )
