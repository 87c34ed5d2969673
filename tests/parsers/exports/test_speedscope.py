# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export in speedscope's file format."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from helpers.exporting import NAMES, by_label, called, exported, reported


def read(path: Path) -> Any:
    """Return the document in a file."""
    return json.loads(path.read_text())


def innermost(document: Any, title: str = "") -> Counter[str]:
    """Sum weights by innermost function in the profiles with this title."""
    names = [frame["name"] for frame in document["shared"]["frames"]]
    counts: Counter[str] = Counter()
    for profile in document["profiles"]:
        assert profile["endValue"] == sum(profile["weights"])
        assert len(profile["samples"]) == len(profile["weights"])
        if title in profile["name"]:
            for stack, weight in zip(profile["samples"], profile["weights"]):
                counts[names[stack[-1]]] += weight
    return counts


@pytest.mark.parametrize("name", NAMES)
def test_speedscope_functions_agree_with_report(
    name: str, captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures[name]
    document = read(exported(file, "speedscope", tmp_path / "s"))
    assert innermost(document) == by_label(file)
    if name != "pebs32":
        assert innermost(document, "loads, ") == by_label(file, "--event", "loads")


def test_speedscope_accepts_other_weights(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    options = ("--weight", "period")
    file = captures["default"]
    document = read(exported(file, "speedscope", tmp_path / "s", *options))
    assert innermost(document) == by_label(file, *options)


def test_speedscope_profiles_are_per_event_and_thread(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    file = captures["flight"]
    document = read(exported(file, "speedscope", tmp_path / "s"))
    assert [profile["name"] for profile in document["profiles"]] == [
        f"{event}, {thread}"
        for event in ("cycles", "loads")
        for thread in ("program 100/100", "worker 100/101")
    ]
    (worker,) = reported(file, "--by", "tid", "--tid", "101")
    assert sum(innermost(document, "worker").values()) == worker["count"]


def test_speedscope_stacks_start_outermost(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    document = read(exported(captures["callstack"], "speedscope", tmp_path / "s"))
    frames = document["shared"]["frames"]
    stacks: Counter[tuple[str, ...]] = Counter()
    for profile in document["profiles"]:
        for stack, weight in zip(profile["samples"], profile["weights"]):
            stacks[tuple(frames[at]["name"] for at in stack)] += weight
    assert stacks["main", "hot"] == 60 and stacks["main", "warm"] == 30
    assert stacks["main", "hot", "_text", "do_work"] == 3
    files = {frame["name"]: frame["file"] for frame in frames}
    assert files["hot"].endswith("hotspots.c") and files["do_work"] == "[kernel]"


def test_speedscope_notes_sums_beyond_53_bits(
    captures: dict[str, Path], tmp_path: Path
) -> None:
    argv = ["export", str(captures["default"]), "--to", "speedscope", "-o"]
    argv += [str(tmp_path / "s"), "--weight", "last_reset_val"]
    status, _, err = called(*argv)
    assert status == 0
    assert "speedscope does not store sums above 2^53 exactly\n" in err
