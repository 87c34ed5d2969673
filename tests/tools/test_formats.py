# SPDX-License-Identifier: MIT OR GPL-2.0
"""What pfmon asks of each format, against the layouts in sdk/include/perfmon."""

from __future__ import annotations

import json
import struct
import subprocess
from pathlib import Path
from typing import Any

import pytest

EVENTS = ("-e", "cycles,instructions", "--long-smpl-periods=1000")
PERIOD = 1000
EVERY_PMD = 320
ENTRY_HEADER = 40
PRECISE_SHIFT = 52


class Printer:
    """Runs session_printer and decodes what it prints."""

    def __init__(self, program: Path) -> None:
        self.program = program

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, *arguments, "true"],
            capture_output=True,
            text=True,
            check=False,
        )

    def session(self, *arguments: str) -> Any:
        run = self.run(*arguments)
        assert run.returncode == 0, run.stderr
        return json.loads(run.stdout)

    def arg(self, *arguments: str) -> bytes:
        return bytes.fromhex(self.session(*EVENTS, *arguments)["format"]["arg"])


@pytest.fixture(scope="module", name="printer")
def fixture_printer(programs: Path) -> Printer:
    return Printer(programs / "session_printer")


def without_kernel() -> None:
    if Path("/sys/kernel/perfmon/pmu_desc").exists():
        pytest.skip("this machine has a PMU description, and its own number of PMDs")


UUIDS = {
    "default": "d139b29e-62e8-40e4-b402-73078792e937",
    "nway": "70fa5e60-0e12-4a8b-8a49-beac1a9d51ce",
    "pebs32": "0d8591e7-493f-49ae-8cfc-e8b933e4eb8b",
    "pebs64": "36be9794-1fbf-41df-b463-1062eb729bad",
    "oprofile": "777a6e61-2065-7369-746e-722061650a6c",
}


@pytest.mark.parametrize(("name", "uuid"), UUIDS.items())
def test_format_is_found_by_name_and_by_uuid(
    printer: Printer, name: str, uuid: str
) -> None:
    by_name = printer.session(*EVENTS, f"--smpl-module={name}")["format"]
    by_uuid = printer.session(*EVENTS, f"--smpl-module={uuid.upper()}")["format"]
    assert by_name == by_uuid
    assert (by_name["name"], by_name["uuid"]) == (name, uuid)


def room(entries: int, pmds: int) -> int:
    """Bytes that are full when so many entries with so many PMDs are in them."""
    largest = ENTRY_HEADER + 8 * EVERY_PMD
    return (entries - 1) * (ENTRY_HEADER + 8 * pmds) + largest


def test_default_buffer_is_full_with_the_last_entry(printer: Printer) -> None:
    without_kernel()
    arg = printer.arg("--smpl-entries=10")
    assert arg == struct.pack("<QII48x", 128 + room(10, pmds=1), 0, 0)


@pytest.mark.parametrize(
    ("options", "regions", "flags", "per_region"),
    [
        ((), 4, 0, 3),
        (("--smpl-regions=2",), 2, 0, 5),
        (("--smpl-regions=64", "--smpl-mask-when-full"), 64, 1, 1),
    ],
)
def test_nway_regions_share_the_entries(
    printer: Printer,
    options: tuple[str, ...],
    regions: int,
    flags: int,
    per_region: int,
) -> None:
    without_kernel()
    arg = printer.arg("--smpl-module=nway", "--smpl-entries=10", *options)
    size = 128 + 64 * regions + regions * room(per_region, pmds=1)
    assert arg == struct.pack("<QII48x", size, flags, regions)


@pytest.mark.parametrize(("options", "flags"), [((), 0), (("--smpl-imprecise",), 1)])
def test_pebs32_has_room_for_the_entries(
    printer: Printer, options: tuple[str, ...], flags: int
) -> None:
    arg = printer.arg("--smpl-module=pebs32", "--smpl-entries=10", *options)
    reset = 2**64 - PERIOD
    assert arg == struct.pack("<IIIQ20x", 256 + 10 * 40, 10, flags, reset)


@pytest.mark.parametrize(
    ("options", "record", "flags"),
    [
        ((), 144, 0),
        (("--smpl-record=base",), 144, 0),
        (("--smpl-record=nehalem",), 176, 0x10),
        (("--smpl-record=haswell",), 192, 0x20),
        (("--smpl-record=skylake", "--smpl-imprecise"), 200, 0x31),
    ],
)
def test_pebs64_has_room_for_the_entries(
    printer: Printer, options: tuple[str, ...], record: int, flags: int
) -> None:
    arg = printer.arg("--smpl-module=pebs64", "--smpl-entries=10", *options)
    reset = 2**64 - PERIOD
    size = 256 + 10 * record
    assert arg == struct.pack("<QQI4xQ24x", size, 10, flags, reset)


def test_oprofile_has_no_argument(printer: Printer) -> None:
    assert printer.arg("--smpl-module=oprofile") == b""


@pytest.mark.parametrize("name", UUIDS)
def test_events_are_numbered(printer: Printer, name: str) -> None:
    session = printer.session(
        *("-e", "cycles,instructions,branches", f"--smpl-module={name}"),
        "--long-smpl-periods=1000,1000",
    )
    pmds = session["sets"][0]["pmds"]
    assert [pmd["eventid"] for pmd in pmds] == [0, 1, 2]


@pytest.mark.parametrize("name", ["pebs32", "pebs64"])
def test_pebs_counter_is_loaded_with_the_short_period(
    printer: Printer, name: str
) -> None:
    arg = printer.arg(f"--smpl-module={name}", "--short-smpl-periods=300")
    assert struct.pack("<Q", 2**64 - 300) in arg
    assert struct.pack("<Q", 2**64 - 1000) not in arg


def precise_levels(session: Any) -> list[int]:
    return [pmc["value"] >> PRECISE_SHIFT & 3 for pmc in session["sets"][0]["pmcs"]]


@pytest.mark.parametrize(
    ("options", "event", "levels"),
    [
        (("--smpl-module=pebs64",), "cycles", [1, 0]),
        (("--smpl-module=pebs32",), "cycles:pp", [2, 0]),
        (("--smpl-module=pebs64", "--smpl-imprecise"), "cycles", [0, 0]),
        (("--smpl-module=pebs64", "--smpl-imprecise"), "cycles:p", [1, 0]),
        (("--smpl-module=nway",), "cycles", [0, 0]),
    ],
)
def test_pebs_makes_sampling_events_precise(
    printer: Printer, options: tuple[str, ...], event: str, levels: list[int]
) -> None:
    events = ("-e", f"{event},instructions", "--long-smpl-periods=1000")
    assert precise_levels(printer.session(*events, *options)) == levels


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--smpl-regions=3",), "default does not take --smpl-regions; these do: nway"),
        (
            ("--smpl-mask-when-full", "--smpl-regions=3"),
            "default does not take --smpl-regions; these do: nway",
        ),
        (("--smpl-mask-when-full",), "default does not take --smpl-mask-when-full"),
        (
            ("--smpl-module=pebs32", "--smpl-record=base"),
            "pebs32 does not take --smpl-record; these do: pebs64",
        ),
        (
            ("--smpl-module=nway", "--smpl-imprecise"),
            "nway does not take --smpl-imprecise; these do: pebs32, pebs64",
        ),
        (
            ("--smpl-module=nway", "--smpl-ip-only"),
            "nway does not take --smpl-ip-only; these do: default",
        ),
        (
            ("--smpl-module=pebs64", "--smpl-pmds=tid"),
            "pebs64 does not take --smpl-pmds; these do: default, nway",
        ),
        (
            ("--smpl-module=pebs64", "--smpl-periods-random=1:1"),
            "pebs64 does not take --smpl-periods-random",
        ),
        (
            ("--smpl-module=oprofile", "--smpl-entries=10"),
            "oprofile does not take --smpl-entries",
        ),
        (
            ("--smpl-module=oprofile", "--smpl-pmds=tid"),
            "oprofile does not take --smpl-pmds",
        ),
        (
            ("--smpl-module=00000000-0000-0000-0000-000000000001", "--smpl-regions=3"),
            "0001 does not take --smpl-regions; these do: nway",
        ),
        (
            ("--smpl-module=pebs32", "--smpl-entries=107374182"),
            "lower --smpl-entries",
        ),
        (
            ("--smpl-module=pebs32", "--long-smpl-periods=1000,2000"),
            "one short period for all events, not 1000 and 2000",
        ),
        (("--smpl-module=nway", "--smpl-arg=00"), "makes the argument of the format"),
    ],
)
def test_what_a_format_does_not_take_is_refused(
    printer: Printer, options: tuple[str, ...], complaint: str
) -> None:
    run = printer.run(*EVENTS, *options)
    assert run.returncode == 1
    assert complaint in run.stderr
    assert run.stdout == ""


def test_largest_pebs32_buffer(printer: Printer) -> None:
    arg = printer.arg("--smpl-module=pebs32", "--smpl-entries=107374175")
    assert struct.unpack_from("<I", arg) == (256 + 107374175 * 40,)
