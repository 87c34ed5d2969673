# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test proofs.py: which tests the tags belong to, and which tags are invalid."""

from __future__ import annotations

from pathlib import Path

import pytest
from proofs import Tag, Tags, read, read_tags


def _tagged(name: str, text: str) -> list[tuple[str, int, str]]:
    found = Tags()
    read_tags(name, text, found)
    assert not found.problems
    return [(tag.id, tag.line, tag.test) for tag in found.tags]


def _problems_of_tags(name: str, text: str) -> list[str]:
    found = Tags()
    read_tags(name, text, found)
    return found.problems


def test_tag_belongs_to_the_guest_test_that_follows() -> None:
    source = "TEST(a)\n{\n}\n\n/* Proves 3.1-01, P4.1-02 */\nTEST(b)\n{\n}\n\nTEST(c)\n"
    assert _tagged("guest/x.c", source) == [("3.1-01", 5, "b"), ("P4.1-02", 5, "b")]


def test_tag_list_continues_on_next_line() -> None:
    source = "/*\n * Why.\n * Proves 3.1-01,\n *\t  H02\n */\nTEST(a)\n"
    assert _tagged("guest/x.c", source) == [("3.1-01", 3, "a"), ("H02", 4, "a")]


def test_tag_belongs_to_kunit_case() -> None:
    source = (
        "/* Proves 3.2-01 */\nstatic void a_long_name(\n\tstruct kunit *test)\n{\n}\n"
        "static struct kunit_case c[] = {\n\tKUNIT_CASE_PARAM(a_long_name, gen),\n};\n"
    )
    assert _tagged("kunit/x.c", source) == [("3.2-01", 1, "a_long_name")]


def test_tag_precedes_python_decorators() -> None:
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


def test_tag_behind_a_sentence_is_wrong() -> None:
    assert _problems_of_tags("guest/x.c", "/* Why. Proves H02 */\nTEST(a)\n") == [
        "tests/guest/x.c:1: 'Why. Proves H02' is not an id"
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


def test_tag_in_a_header_is_wrong(tmp_path: Path) -> None:
    (tmp_path / "x.c").write_text("/* Proves 3.1-01 */\nTEST(a)\n{\n}\n")
    (tmp_path / "y.h").write_text("/* Proves 3.1-01 */\nint helper(void);\n")
    assert read(tmp_path).problems == ["tests/y.h:1: no test follows the tag 3.1-01"]


def test_proofs_are_sorted_without_duplicates() -> None:
    tags = [
        Tag("3.1-02", "vm/b.py", 1, "test_c"),
        Tag("3.1-01", "vm/b.py", 1, "test_c"),
        Tag("3.1-01", "guest/a.c", 1, "z"),
        Tag("3.1-01", "guest/a.c", 9, "z"),
    ]
    assert list(Tags(tags).tests().items()) == [
        ("3.1-01", ["guest/a.c: z", "vm/b.py: test_c"]),
        ("3.1-02", ["vm/b.py: test_c"]),
    ]
