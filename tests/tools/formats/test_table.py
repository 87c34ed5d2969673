# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find formats, and check the options that they accept."""

from __future__ import annotations

import pytest
from pfmon import ERROR, SAMPLING, Pfmon
from sessions import EVENTS, Printer

UUIDS = {
    "default": "d139b29e-62e8-40e4-b402-73078792e937",
    "nway": "70fa5e60-0e12-4a8b-8a49-beac1a9d51ce",
    "pebs32": "0d8591e7-493f-49ae-8cfc-e8b933e4eb8b",
    "pebs64": "36be9794-1fbf-41df-b463-1062eb729bad",
    "oprofile": "777a6e61-2065-7369-746e-722061650a6c",
    "callstack": "bad42f83-abb5-4fb1-bc94-36de0415f7ca",
    "flight": "b9d0cd6e-d66e-486b-aa83-880009473ebf",
    "histogram": "7e053c7a-52c0-4536-84e9-10d7885f57c9",
    "stacks": "d2f2aba2-e8d3-408b-af5f-54ed08df8b1c",
    "cgroup_counts": "f970f848-ac78-4b5c-a2ff-e716da8de985",
}
UNKNOWN = "00000000-0000-0000-0000-000000000001"


@pytest.mark.parametrize(("name", "uuid"), UUIDS.items())
def test_format_is_found_by_name_and_by_uuid(
    printer: Printer, name: str, uuid: str
) -> None:
    by_name = printer.session(*EVENTS, f"--smpl-module={name}")["format"]
    by_uuid = printer.session(*EVENTS, f"--smpl-module={uuid.upper()}")["format"]
    assert by_name == by_uuid
    assert (by_name["name"], by_name["uuid"]) == (name, uuid)


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
            ("--smpl-module=histogram", "--smpl-regions=3"),
            "histogram does not take --smpl-regions; these do: nway, callstack, flight",
        ),
        (
            ("--smpl-module=histogram", "--smpl-pmds=tid"),
            "histogram does not take --smpl-pmds; these do: default, nway, dear-hist",
        ),
        (
            ("--smpl-module=pebs32", "--smpl-entries=107374182"),
            "lower --smpl-entries",
        ),
        (
            ("--smpl-module=pebs32", "--long-smpl-periods=1000,2000"),
            "the same period after a sample for all events, not 1000 and 2000",
        ),
        (
            ("--smpl-module=nway", "--smpl-arg=00"),
            "nway does not take --smpl-arg; "
            "these do: callstack, flight, histogram, stacks, cgroup_counts",
        ),
        (
            ("--smpl-module=default", "--smpl-arg=buf_size=64k"),
            "default does not take --smpl-arg",
        ),
        (
            ("--smpl-module=oprofile", "--smpl-arg=a=1"),
            "oprofile does not take --smpl-arg",
        ),
        (
            (f"--smpl-module={UNKNOWN}", "--smpl-entries=3"),
            "0001 does not take --smpl-entries; these do: default, nway, pebs",
        ),
    ],
)
def test_options_a_format_lacks_are_refused(
    printer: Printer, options: tuple[str, ...], complaint: str
) -> None:
    run = printer.run(*EVENTS, *options)
    assert run.returncode == 1
    assert complaint in run.stderr
    assert run.stdout == ""


def test_unknown_format_is_named(pfmon: Pfmon) -> None:
    run = pfmon(*SAMPLING, "--smpl-module=nonesuch", "true")
    assert run.returncode == ERROR
    assert "unknown sampling format 'nonesuch'; pfmon --list-formats" in run.stderr


def test_mistyped_format_is_suggested(pfmon: Pfmon) -> None:
    run = pfmon(*SAMPLING, "--smpl-module=histgram", "true")
    assert run.returncode == ERROR
    assert "'histgram' (did you mean 'histogram'?)" in run.stderr
