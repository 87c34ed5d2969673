# SPDX-License-Identifier: MIT OR GPL-2.0
"""Tests of the checks that make quick chooses."""

from __future__ import annotations

import pytest
import quick


def titles(*files: str) -> list[str]:
    """Return the titles of the steps, except for the style."""
    return [title for title, _ in quick.steps(files) if title != "style"]


KERNEL = ["suites", "modules", "guest"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("core/restart.c", KERNEL),
        ("core/gone.c", KERNEL),
        ("sdk/include/perfmon/perfmon_nway_smpl.h", KERNEL),
        ("tests/kunit/fixture.h", ["suites"]),
        ("tests/guest/harness/check.h", ["modules", "guest"]),
        ("parsers/pfmparse/layout.py", ["tests in Python"]),
        ("tests/parsers/helpers/writers.py", ["tests in Python"]),
        ("tools/pfmon/session/plan.c", ["build", "tests in Python"]),
        ("README.md", []),
    ],
)
def test_kind_of_file_chooses_what_is_run(name: str, expected: list[str]) -> None:
    assert titles(name) == expected


def test_suite_and_program_of_the_name_are_run() -> None:
    assert quick.suites(["core/restart.c"]) == "pfm_restart*"
    assert quick.guest_programs(["core/restart.c"]) == ["restart"]
    assert quick.guest_programs(["formats/nway/pfm_fmt_nway.c"]) == ["nway"]
    assert quick.suites(["core/restart.c", "tests/kunit/fixture.h"]) == "*"
    assert quick.guest_programs(["pmu/perf/main.c"]) == list(quick.USUAL)


def test_nearest_tests_of_a_file_are_run() -> None:
    assert quick.python_tests(["tools/pfmon/session/plan.c"]) == [
        "tests/tools/test_plan.py"
    ]
    assert quick.python_tests(["tools/pfmon/process/breakpoints/x.c"]) == [
        "tests/tools"
    ]
    both = ["tools/pfmon/session/plan.c", "tools/pfmon/no_test_of_it.c"]
    assert quick.python_tests(both) == ["tests/tools"]


def test_files_without_a_check_are_named() -> None:
    assert "everything but the style of README.md" in quick._left_out(["README.md"], [])


def test_changes_that_need_all_repetitions_are_told() -> None:
    assert quick.advice(["docs/testing.md", "core/gone.c"]) is not None
    assert quick.advice(["docs/testing.md"]) is None
