# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test which checks `make quick` selects."""

from __future__ import annotations

import pytest
import quick


def titles(*files: str) -> list[str]:
    """Return the titles of the steps, except that of the style check."""
    return [title for title, _ in quick.steps(files) if title != "style"]


KERNEL = ["tests in Python", "suites", "modules", "guest"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("core/restart.c", KERNEL),
        ("core/gone.c", KERNEL),
        ("sdk/include/perfmon/perfmon_nway_smpl.h", KERNEL),
        ("tests/kunit/fixture.h", ["suites"]),
        ("tests/mutants/mutants.toml", ["tests in Python"]),
        ("tests/guest/harness/check.h", ["modules", "guest"]),
        ("parsers/pfmparse/layout.py", ["tests in Python"]),
        ("tests/parsers/helpers/writers.py", ["tests in Python"]),
        ("tools/pfmon/session/plan.c", ["build", "tests in Python"]),
        ("README.md", []),
    ],
)
def test_quick_steps_depend_on_changed_files(name: str, expected: list[str]) -> None:
    assert titles(name) == expected


def test_quick_runs_suite_and_program_of_same_name() -> None:
    assert quick.suites(["core/restart.c"]) == "pfm_restart*"
    assert quick.guest_programs(["core/restart.c"]) == ["restart"]
    assert quick.guest_programs(["formats/nway/pfm_fmt_nway.c"]) == ["nway"]
    assert quick.suites(["core/restart.c", "tests/kunit/fixture.h"]) == "*"
    assert quick.guest_programs(["pmu/perf/main.c"]) == list(quick.USUAL)


def test_quick_runs_nearest_python_tests() -> None:
    assert quick.python_tests(["tools/pfmon/session/plan.c"]) == [
        "tests/tools/test_plan.py"
    ]
    assert quick.python_tests(["tools/pfmon/process/breakpoints/x.c"]) == [
        "tests/tools"
    ]
    both = ["tools/pfmon/session/plan.c", "tools/pfmon/no_test_of_it.c"]
    assert quick.python_tests(both) == ["tests/tools"]


def test_quick_lists_files_without_checks() -> None:
    assert "everything but the style of README.md" in quick._left_out(["README.md"], [])


def test_quick_advises_check_all() -> None:
    assert quick.advice(["docs/testing.md", "core/gone.c"]) is not None
    assert quick.advice(["docs/testing.md"]) is None
