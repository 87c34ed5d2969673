# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test demands.py: conflicts of requirements with tags, and the generated parts."""

from __future__ import annotations

import tomllib

import pytest
from demands import (
    Demands,
    check,
    counts_table,
    differences,
    proofs_file,
    read_demands,
    read_hazards,
    with_part,
)
from proofs import Tag

CHAPTERS = '[chapters]\n"3.1" = "One"\n"P4" = "Four"\n'
SECTION = '[demands."3.1 One"]\n"3.1-01" = "a"\n'
TAGS = [Tag("3.1-01", "guest/x.c", 1, "t")]
TESTS = {"3.1-01": ["guest/x.c: t"]}


def _read(*parts: str) -> Demands:
    found = Demands()
    read_demands("d.toml", CHAPTERS + "".join(parts), found)
    return found


def _check(*parts: str) -> list[str]:
    return check(_read(*parts), TAGS, TESTS)


def test_demands_that_agree_with_the_tags_are_right() -> None:
    reason = '["not done"]\n"P4.2-01" = "c"\n'
    assert not _check(reason, SECTION, '[demands."P4.2"]\n"P4.2-01" = "b"\n')


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        ((SECTION, '"3.1-02" = "b"'), "6: 3.1-02 has neither a test nor a reason"),
        ((SECTION, '"3.1-2" = "b"'), "6: '3.1-2' is not an id"),
        ((SECTION, '[demands.x]\n"3.1-01" = "b"'), "7: 3.1-01 is already in d.toml:"),
        (
            ('["not done"]\n"3.1-01" = "c"\n', SECTION),
            "7: 3.1-01 is 'not done', but guest/x.c: t proves it",
        ),
        (
            ('["out of scope"]\n"3.1-02" = ""\n', SECTION, '"3.1-02" = "b"'),
            "8: 3.1-02 is 'out of scope' without a reason",
        ),
        (
            ('["not done"]\n"3.1-02" = "c"\n', SECTION),
            "5: 3.1-02 has a reason but is not a demand",
        ),
        (
            (
                '["not done"]\n"3.1-02" = "c"\n["out of scope"]\n"3.1-02" = "c"\n',
                SECTION + '"3.1-02" = "b"',
            ),
            "7: 3.1-02 already has a reason",
        ),
        (
            ('["not done"]\n"3.2-01" = "c"\n', SECTION, '"3.2-01" = "b"'),
            "8: 3.2-01 belongs to no chapter",
        ),
    ],
)
def test_demand_that_disagrees_is_wrong(parts: tuple[str, ...], problem: str) -> None:
    problems = _check(*parts)
    assert len(problems) == 1
    assert problems[0].startswith(f"d.toml:{problem}")


def test_demand_off_perf_events_needs_reason_and_test() -> None:
    reason = '["not on perf_events"]\n"3.1-01" = "c"\n'
    assert not _check(reason, SECTION)
    problems = _check(reason.replace("01", "02"), SECTION, '"3.1-02" = "b"\n')
    assert problems == ["d.toml:8: 3.1-02 has neither a test nor a reason"]


def test_tag_without_a_demand_is_wrong() -> None:
    assert _check('[demands."3.1 One"]\n') == [
        "tests/guest/x.c:1: requirement 3.1-01 does not exist"
    ]


def test_hazards_are_demands_of_their_page() -> None:
    found = Demands()
    read_hazards("p.md", "# A\n\n- **H01** a\n- **H2** b\n- x **H03**\n", found)
    assert check(found, [], {"H01": ["vm/x.py: t"]}) == ["p.md:4: 'H2' is not an id"]


def test_proofs_file_lists_found_tests() -> None:
    proofs = {"3.1-01": ["guest/a.c: b", "vm/c.py: test_d"], "H01": ["guest/a.c: b"]}
    assert tomllib.loads(proofs_file(proofs)) == proofs


def test_demands_are_counted_by_chapter() -> None:
    reason = '["not done"]\n"P4.2-01" = "c"\n'
    found = _read(reason, SECTION, '[demands."P4.2"]\n"P4.2-01" = "b"\n')
    assert counts_table(found).split("\n")[2:] == [
        "| 3.1 One | 1 | 0 |",
        "| P4 Four | 1 | 1 |",
        "| all | 2 | 1 |",
        "",
    ]


def test_differences_are_the_demands_with_reasons() -> None:
    found = _read('["not done"]\n"3.1-02" = "c"\n', SECTION, '"3.1-02" = "b"\n')
    assert differences(found).endswith("### Not done\n\n- **3.1-02** *b* c\n")


def test_generated_part_replaces_marked_text_only() -> None:
    page = "a\n<!-- begin x -->\n{}<!-- end x -->\nb\n<!-- begin y -->\n"
    new = with_part(page.format("old\n"), "x", "new\\1\n")
    assert new == page.format("new\\1\n")
    assert with_part(new, "x", "new\\1\n") == new
