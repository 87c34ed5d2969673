# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test tutorial.py: which blocks are steps, and which output is expected."""

from __future__ import annotations

import pytest
import tutorial
from pages import ROOT, Page
from tutorial import Step, TutorialError

KERNEL = "<!-- tried: on its kernel -->\n"
NUMBERS = "<!-- tried: other numbers -->\n"


def steps(text: str) -> list[Step]:
    """Return the steps of a page with this text."""
    return tutorial.steps(Page("p.md", text))


def block(language: str, *lines: str) -> str:
    """Return a fenced block."""
    return "\n".join([f"```{language}", *lines, "```", ""])


def test_commands_and_changes_are_steps() -> None:
    commands, change = steps(block("sh", "a", "b") + block("diff", "--- a/x", "+b"))
    assert commands.script == "a\nb\n" and commands.where == "p.md:1"
    assert (
        change.script.startswith("patch -p1 <<") and "\n--- a/x\n+b\n" in change.script
    )


def test_block_that_would_not_run_is_refused() -> None:
    for language in ("", "c", "text"):
        with pytest.raises(TutorialError, match="p.md:1"):
            steps(block(language, "x"))


def test_root_step_after_boot_is_refused() -> None:
    with pytest.raises(TutorialError, match="p.md"):
        steps(KERNEL + block("sh", "a") + block("sh", "b"))


def test_missing_output_line_is_found() -> None:
    (step,) = steps(block("sh", "a") + block("text", "one  1", "...", "three 3"))
    assert not step.lacks("zero\none 1\ntwo\nthree 3\n")
    assert step.lacks("one 1\nthree 4\n") == "three 3"
    assert step.lacks("three 3\none 1\n") == "three 3"


def test_numbers_may_differ_if_marked() -> None:
    (step,) = steps(block("sh", "a") + NUMBERS + block("text", "  12 50.31% main"))
    assert not step.lacks("7 9.1% main\n")
    assert step.lacks("7 9.1% exit\n")
    (step,) = steps(block("sh", "a") + NUMBERS + block("text", "3 samples, 0 lost"))
    assert not step.lacks("1 sample, 2 lost\n")


def test_kernel_for_kunit_step_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERFMON_COUNTED", "/x/counted")
    (step,) = steps(block("sh", "make kunit"))
    assert " PERFMON_COUNTED=/x/counted\n" in tutorial.command(step)


def test_tutorial_line_count_is_right() -> None:
    page = Page(tutorial.PAGE, (ROOT / tutorial.PAGE).read_text())
    changes = [block.text for block in page.blocks() if block.language == "diff"]
    lines = "".join(changes).splitlines()
    written = [line for line in lines if line[:1] == "+" and line[:3] != "+++"]
    assert f"You write {len(written)} lines" in " ".join(page.text.split())
