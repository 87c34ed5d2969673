# SPDX-License-Identifier: MIT OR GPL-2.0
"""Compare the machine in a capture with /proc and /sys."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from sessions import EVENTS, Printer

CPUS = Path("/sys/devices/system/cpu")


@pytest.fixture(scope="module", name="machine")
def fixture_machine(printer: Printer) -> Any:
    return printer.session(*EVENTS)["machine"]


def cpuinfo() -> list[dict[str, str]]:
    """Return the fields in /proc/cpuinfo of each CPU."""
    blocks = Path("/proc/cpuinfo").read_text().split("\n\n")
    pairs = [[line.partition(":") for line in block.splitlines()] for block in blocks]
    cpus = [
        {name.strip(): value.strip() for name, _, value in block} for block in pairs
    ]
    return [cpu for cpu in cpus if "processor" in cpu]


def expanded(text: str) -> list[int]:
    """Return the CPUs in a list such as 0,2-3."""
    ranges = [part.partition("-") for part in text.split(",")]
    return [
        cpu
        for first, _, last in ranges
        for cpu in range(int(first), int(last or first) + 1)
    ]


def caches(cpu: int) -> list[dict[str, object]]:
    """Return the caches of a CPU according to /sys."""
    found = []
    for index in sorted((CPUS / f"cpu{cpu}/cache").glob("index*")):
        lines = {file.name: file.read_text().strip() for file in index.glob("[!u]*")}
        found.append(
            {
                "level": int(lines["level"]),
                "type": lines["type"].lower(),
                "size": int(lines["size"].removesuffix("K")) << 10,
                "line_size": int(lines["coherency_line_size"]),
                "ways": int(lines["ways_of_associativity"]),
                "shared_by": len(expanded(lines["shared_cpu_list"])),
            }
        )
    return found


def test_machine_is_named(machine: Any) -> None:
    assert machine["host"] == os.uname().nodename
    boot_id = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    assert machine["boot_id"] == boot_id


def test_each_cpu_has_one_type(machine: Any) -> None:
    listed = [cpu for kind in machine["processors"] for cpu in expanded(kind["cpus"])]
    assert sorted(listed) == sorted(int(cpu["processor"]) for cpu in cpuinfo())
    kinds = [{**kind, "cpus": None} for kind in machine["processors"]]
    assert all(kinds.count(kind) == 1 for kind in kinds)


def test_cpu_types_match_the_kernel(machine: Any) -> None:
    cpus = {int(cpu["processor"]): cpu for cpu in cpuinfo()}
    for kind in machine["processors"]:
        for number in expanded(kind["cpus"]):
            cpu = cpus[number]
            assert kind["model"] == cpu.get("model name")
            if "vendor_id" in cpu:
                names = ("vendor_id", "cpu family", "model", "stepping")
                assert kind["id"] == ",".join(cpu[name] for name in names)
            assert kind["caches"] == caches(number)


def test_cpu_khz_is_maximum_or_current(machine: Any) -> None:
    for kind in machine["processors"]:
        for number in expanded(kind["cpus"]):
            highest = CPUS / f"cpu{number}/cpufreq/cpuinfo_max_freq"
            if highest.exists():
                assert kind["khz"] == int(highest.read_text())
            else:
                assert (kind["khz"] is None) == ("cpu MHz" not in cpuinfo()[0])
