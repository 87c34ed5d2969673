# SPDX-License-Identifier: MIT OR GPL-2.0
"""Obstacles that guests have, and what pfmon doctor says of them there."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boot import Boot

SCRIPT = Path(__file__).with_name("doctor.sh")


@dataclass(frozen=True)
class Obstacle:
    """What stands in the way: the check that finds it, and what it says.

    provoke: shell commands that put it there, ask, mend it and ask again; if it lasts
    until a reboot, only the first. works: whether samples can be recorded afterwards.
    """

    check: str
    says: str
    provoke: str
    status: str = "problem"
    works: bool = True


def kmod_options() -> Iterator[str]:
    """Yield the options of the harness for what Debian has of kmod."""
    kmod = shutil.which("kmod", path="/usr/bin:/bin")
    for tool in ("modinfo", "modprobe", "depmod"):
        yield f"--add={kmod}:/usr/sbin/{tool}"


def findings(printed: str) -> list[dict[str, Any]]:
    """Return what pfmon doctor said, each time: works, and its checks by name."""
    said = [json.loads(line) for line in printed.splitlines() if line[:1] == "{"]
    for one in said:
        one["checks"] = {check["check"]: check for check in one["checks"]}
    return said


def followed(printed: str) -> list[str]:
    """Return the commands that were followed."""
    return [line for line in printed.splitlines() if line[:2] == "+ "]


def check_named(obstacle: Obstacle, said: Mapping[str, Any]) -> None:
    """Let the test fail unless the obstacle is named, and nothing above it is."""
    found = said["checks"][obstacle.check]
    assert found["status"] == obstacle.status, said
    assert obstacle.says in found["text"]
    problems = [
        name for name, check in said["checks"].items() if check["status"] == "problem"
    ]
    if obstacle.status == "problem":
        assert not said["works"]
        assert problems == [obstacle.check]


def check_mended(boot: Boot, name: str, obstacle: Obstacle) -> None:
    """Let the test fail unless the obstacle is named, mended, and then not named."""
    printed = boot.printed(name)
    said = findings(printed)
    assert len(said) == 2, printed + boot.errors()
    check_named(obstacle, said[0])
    after = said[1]["checks"][obstacle.check]
    assert after["status"] in ("ok", "skipped"), printed
    assert said[1]["works"] == obstacle.works, printed
