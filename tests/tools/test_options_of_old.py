# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare docs/pfmon_options_of_old.md with the option table and its aliases."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from pfmon import Pfmon

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tools" / "pfmon"
PAGE = ROOT / "docs" / "pfmon_options_of_old.md"
STATES = ("here", "elsewhere", "no")


def rows() -> list[tuple[list[str], str, str]]:
    """Return each row's options, state and explanation."""
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("| `-"):
            options, state, how = line[1:-1].split(" | ")
            names = re.findall(r"`(-[\w-]+)`", options)
            found.append((names, state.strip(), how.strip()))
    return found


def options_of_the_table() -> set[str]:
    table = (SOURCES / "options/option_table.c").read_text("utf-8")
    return {
        *(f"--{name}" for name in re.findall(r'\.name = "([\w-]+)"', table)),
        *(f"-{letter}" for letter in re.findall(r"\.letter = '(.)'", table)),
    }


def aliases() -> dict[str, str]:
    text = (SOURCES / "options/option_table.c").read_text("utf-8")
    found: dict[str, str] = {}
    entry = re.compile(r"\{ (?:\"([\w-]+)\"|NULL),\s+(?:'(.)'|0),\s+\"([\w-]+)\" \}")
    for name, letter, option in entry.findall(text):
        found |= {f"--{name}": option} if name else {}
        found |= {f"-{letter}": option} if letter else {}
    return found


def test_old_option_rows_have_state_and_text() -> None:
    assert len(rows()) > 50
    for names, state, how in rows():
        assert names and state in STATES
        assert how or state == "here"


def test_supported_old_options_are_known() -> None:
    known = options_of_the_table() | set(aliases())
    here = [name for names, state, _ in rows() for name in names if state == "here"]
    assert len(here) > 30
    assert [name for name in here if name not in known] == []


def test_aliases_are_documented_and_name_options() -> None:
    listed = {name for names, _, _ in rows() for name in names}
    for alias, option in aliases().items():
        assert alias in listed
        assert f"--{option}" in options_of_the_table()


def test_aliases_do_not_repeat_option_names() -> None:
    assert not options_of_the_table() & set(aliases())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("-0",), ("--kernel-level",)),
        (("-3", "-0"), ("-u", "-k")),
        (("--priv-levels=0",), ("-k",)),
        (("--priv-levels=u3",), ("-u",)),
        (("-t", "2"), ("--session-timeout=2",)),
        (("--smpl-outfile=x",), ("-o", "x")),
        (("--extra-smpl-pmds=3-5",), ("--smpl-pmds=3,4,5",)),
    ],
)
def test_old_names_mean_the_same(
    pfmon: Pfmon, old: tuple[str, ...], new: tuple[str, ...]
) -> None:
    plan = ("--dry-run", "-e", "cycles", "--long-smpl-periods=9")
    runs = [pfmon(*plan, *options) for options in (old, new)]
    assert runs[0].stdout == runs[1].stdout
    assert [run.returncode for run in runs] == [0, 0]


def test_manual_page_names_old_options(programs: Path) -> None:
    page = subprocess.run(
        [programs / "option_docs", "man"], capture_output=True, text=True, check=True
    ).stdout.replace("\\-", "-")
    assert [alias for alias in aliases() if f"\\fB{alias}\\fP" not in page] == []
