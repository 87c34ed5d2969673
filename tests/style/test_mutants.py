# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that the mutants of tests/mutants fit the code and the tags of the tests."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import mutants
import proofs
import pytest
from mutants import Mutant, MutantError
from pages import expect_none

ROOT = Path(__file__).resolve().parents[2]
LISTED = mutants.read((ROOT / mutants.LIST).read_text())

ONE = Mutant("3.1-01", "x.c", "a = 1;", "a = 2;", "kunit/x.c: t", "It is wrong.")
TAGS = {"3.1-01": ["guest/x.c: u", "kunit/x.c: t"]}


def test_mutants_fit_the_tree() -> None:
    expect_none(mutants.problems(LISTED, ROOT, proofs.read(ROOT / "tests").tests()))


def test_mutants_name_unique_kunit_cases() -> None:
    suites = (ROOT / "tests/kunit").glob("*.c")
    cases = Counter(c for path in suites for c in proofs.CASE.findall(path.read_text()))
    tested = {mutant.case for mutant in LISTED if mutant.in_kunit}
    expect_none(case for case in tested if cases[case] != 1)


def test_at_most_5_percent_of_mutants_may_survive() -> None:
    assert sum(bool(mutant.survives) for mutant in LISTED) <= len(LISTED) * 0.05


@pytest.mark.parametrize("text", ["a = 3;\n", "a = 1;\na = 1;\n"])
def test_old_text_must_occur_once(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.c").write_text(text)
    (problem,) = mutants.problems([ONE], tmp_path, TAGS)
    assert problem.startswith(f"3.1-01: old text occurs {text.count('1')} times in x.c")
    with pytest.raises(MutantError):
        ONE.applied(text)


def test_test_of_mutant_must_have_the_tag(tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text("a = 1;\n")
    expect_none(mutants.problems([ONE], tmp_path, TAGS))
    (problem,) = mutants.problems([ONE], tmp_path, {"3.1-02": TAGS["3.1-01"]})
    assert problem == "3.1-01: 'kunit/x.c: t' is not tagged with this requirement"


def test_mutant_replaces_old_text() -> None:
    assert ONE.applied("b\na = 1;\n") == "b\na = 2;\n"
