# SPDX-License-Identifier: MIT OR GPL-2.0
"""Describe obstacles to measuring, and check what pfmon doctor reports."""

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
    """An obstacle, the check that finds it, and the text that this check prints.

    provoke: shell commands that cause the obstacle, run doctor, apply the remedy and
    run doctor again. For an obstacle that lasts until a reboot, the commands only cause
    it. works: whether sampling works after the remedy.
    """

    check: str
    says: str
    provoke: str
    status: str = "problem"
    works: bool = True


def kmod_options() -> Iterator[str]:
    """Yield options of scripts/vm/run that add kmod's programs at Debian's paths."""
    kmod = shutil.which("kmod", path="/usr/bin:/bin")
    for tool in ("modinfo", "modprobe", "depmod"):
        yield f"--add={kmod}:/usr/sbin/{tool}"


def findings(printed: str) -> list[dict[str, Any]]:
    """Return the checks of each run of doctor, by name."""
    said = [json.loads(line) for line in printed.splitlines() if line[:1] == "{"]
    for one in said:
        one["checks"] = {check["check"]: check for check in one["checks"]}
    return said


def followed(printed: str) -> list[str]:
    """Return the commands of the remedy that were executed."""
    return [line for line in printed.splitlines() if line[:2] == "+ "]


def check_named(obstacle: Obstacle, said: Mapping[str, Any]) -> None:
    """Fail the test unless doctor reports this obstacle and no other problem."""
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
    """Fail the test unless doctor reports the obstacle, and the remedy removes it."""
    printed = boot.printed(name)
    said = findings(printed)
    assert len(said) == 2, printed + boot.errors()
    check_named(obstacle, said[0])
    after = said[1]["checks"][obstacle.check]
    assert after["status"] in ("ok", "skipped"), printed
    assert said[1]["works"] == obstacle.works, printed
