# SPDX-License-Identifier: MIT OR GPL-2.0
"""The tags of tests, the rows of the tables, and what is wrong between them."""

from __future__ import annotations

import pytest
from proofs import (
    Found,
    Tag,
    check,
    read_rows,
    read_tags,
    with_differences,
    with_proofs,
)

HEAD = "| id | demand | proof |\n|---|---|---|\n"
GUEST = "/* Proves 3.1.2-07 */\nTEST(a)\n{\n}\n"
PROOF = "guest/x.c: a"
BEGIN = "<!-- differences: written by make conformance -->\n"
END = "<!-- end of the differences -->\n"


def _tagged(name: str, text: str) -> list[tuple[str, int, str]]:
    found = Found()
    read_tags(name, text, found)
    assert not found.problems
    return [(tag.id, tag.line, tag.test) for tag in found.tags]


def _problems_of_tags(name: str, text: str) -> list[str]:
    found = Found()
    read_tags(name, text, found)
    return found.problems


def _check(rows: str, source: str = GUEST) -> list[str]:
    found = Found()
    read_tags("guest/x.c", source, found)
    read_rows("docs/p.md", HEAD + rows, found)
    return check(found)


def test_tag_belongs_to_the_guest_test_that_follows() -> None:
    source = "TEST(a)\n{\n}\n\n/* Proves 3.1-01, P4.1-02 */\nTEST(b)\n{\n}\n\nTEST(c)\n"
    assert _tagged("guest/x.c", source) == [("3.1-01", 5, "b"), ("P4.1-02", 5, "b")]


def test_long_list_of_ids_goes_on_in_the_next_line() -> None:
    source = "/*\n * Why.\n * Proves 3.1-01,\n *\t  H02\n */\nTEST(a)\n"
    assert _tagged("guest/x.c", source) == [("3.1-01", 3, "a"), ("H02", 4, "a")]


def test_tag_belongs_to_a_function_that_is_a_kunit_case() -> None:
    source = (
        "/* Proves 3.2-01 */\nstatic void a_long_name(\n\tstruct kunit *test)\n{\n}\n"
        "static struct kunit_case c[] = {\n\tKUNIT_CASE_PARAM(a_long_name, gen),\n};\n"
    )
    assert _tagged("kunit/x.c", source) == [("3.2-01", 1, "a_long_name")]


def test_tag_stands_before_the_decorators_of_a_python_test() -> None:
    source = "# Proves 3.3-01,\n# 3.3-02\n@mark\ndef test_a() -> None:\n    pass\n"
    assert _tagged("vm/x.py", source) == [
        ("3.3-01", 1, "test_a"),
        ("3.3-02", 2, "test_a"),
    ]


@pytest.mark.parametrize(
    ("name", "rest"),
    [
        ("guest/x.c", "*/\nstatic void helper(int n)\n{\n}\nTEST(a)\n"),
        ("guest/x.c", "*/\nstruct s {\n};\nTEST(a)\n"),
        ("guest/x.c", "*/\n"),
        ("kunit/x.c", "*/\nstatic void helper(struct kunit *test)\n{\n}\n"),
    ],
)
def test_tag_that_no_test_follows_is_wrong(name: str, rest: str) -> None:
    assert _problems_of_tags(name, f"/* Proves 3.1-01 {rest}") == [
        f"tests/{name}:1: no test follows the tag 3.1-01"
    ]


def test_tag_before_a_python_helper_is_wrong() -> None:
    source = "# Proves 3.1-01\ndef helper() -> None:\n\ndef test_a() -> None:\n"
    assert _problems_of_tags("vm/x.py", source) == [
        "tests/vm/x.py:1: no test follows the tag 3.1-01"
    ]


@pytest.mark.parametrize(
    "entry", ["3.1", "3.1-1", "H1", "x", "3.1-01 3.1-02", "3.1-01x"]
)
def test_tag_without_an_id_is_wrong(entry: str) -> None:
    assert _problems_of_tags("guest/x.c", f"\n/* Proves {entry} */\nTEST(a)\n") == [
        f"tests/guest/x.c:2: '{entry}' is not an id"
    ]


def test_rows_that_agree_with_the_tags_are_right() -> None:
    assert not _check(f"| 3.1.2-07 | a \\| b | {PROOF} |\n| H01 | c | not done: d |\n")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("| 3.1.2-07 | a | |", "3: 3.1.2-07: other tests prove it; run 'make conf"),
        ("| 3.1.2-07 | a | other |", "3: 3.1.2-07: other tests prove it"),
        ("| 3.1.2-07 | a | not done: b |", "3: 3.1.2-07 is 'not done', but guest/x.c"),
        (f"| 3.1.2-07 | a | {PROOF} |\n| H01 | b | |", "4: H01 has neither a test nor"),
        (f"| 3.1.2-07 | a | {PROOF} |\n| H01 | b | {PROOF} |", "4: H01 has neither"),
        (f"| 3.1.2-07 | a | {PROOF} |\n" * 2, "4: 3.1.2-07 is in docs/p.md:3 already"),
        (f"| 3.1.2-07 | a | {PROOF} |\n| 3.1-1 | b | |", "4: '3.1-1' is not an id"),
        (f"| 3.1.2-07 | a | {PROOF} |\n| 3.1-01 | b |", "4: a row has an id, a dem"),
        (
            f"| 3.1.2-07 | a | {PROOF} |\n| H01 | b | not attainable: |",
            "4: H01 is 'not attainable', and does not say why",
        ),
    ],
)
def test_row_that_disagrees_is_wrong(rows: str, problem: str) -> None:
    problems = _check(rows)
    assert len(problems) == 1
    assert problems[0].startswith(f"docs/p.md:{problem}")


def test_tag_without_a_row_is_wrong() -> None:
    assert _check("") == ["tests/guest/x.c:1: no page has a row 3.1.2-07"]


def test_other_tables_are_none_of_our_business() -> None:
    found = Found()
    read_rows("docs/p.md", "| id | why |\n|---|---|\n| 3.1 | b |\n", found)
    assert (found.rows, found.problems) == ([], [])


def test_proofs_are_written_and_reasons_kept() -> None:
    tags = [
        Tag("3.1-01", "vm/b.py", 1, "test_c"),
        Tag("3.1-01", "guest/a.c", 1, "z"),
        Tag("3.1-01", "guest/a.c", 9, "b"),
    ]
    rows = "| 3.1-01 | a \\| b | old |\n| 3.1-02 | c | not done: d |\n| H01 | e | f |\n"
    assert with_proofs(f"{HEAD}{rows}\n", tags) == (
        f"{HEAD}| 3.1-01 | a \\| b | guest/a.c: b, z; vm/b.py: test_c |\n"
        "| 3.1-02 | c | not done: d |\n| H01 | e | |\n\n"
    )


def test_differences_are_the_rows_with_reasons() -> None:
    found = Found()
    rows = f"| 3.1-01 | a | {PROOF} |\n| 3.1-02 | b | out of scope: c |\n"
    text = f"{BEGIN}old\n{END}\n{HEAD}{rows}"
    read_rows("docs/p.md", text, found)
    new = with_differences(text, found.rows)
    table = "| id | demand | |\n|---|---|---|\n| 3.1-02 | b | out of scope: c |\n"
    assert new == f"{BEGIN}{table}{END}\n{HEAD}{rows}"
    assert with_differences(new, found.rows) == new
