# SPDX-License-Identifier: MIT OR GPL-2.0
"""List registered and installed formats in a private mount namespace."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from namespaces import run_with
from pfmon import SAMPLING, without_kernel

CALLSTACK = "bad42f83-abb5-4fb1-bc94-36de0415f7ca"
MINE = "00000000-0000-0000-0000-00000000000a"
OTHER = "00000000-0000-0000-0000-00000000000b"
LAYOUT = """\
buf_size 0 8 65536 bytes
num_regions 8 4 1 regions
flags 12 4 0 flags
max_depth 16 4 32 addresses live
"""
ALIASES = f"""\
# Aliases extracted from modules themselves.
alias perfmon-fmt-{CALLSTACK} pfm_fmt_callstack
alias perfmon-fmt-{OTHER} pfm_fmt_other_one
alias perfmon-fmt-{OTHER[:-1]}c pfm_fmt_
alias perfmon-fmt-{OTHER[:-1]}d
alias perfmon-fmt-{OTHER[:-1]}e elsewhere
alias perfmon-fmt-nothing pfm_fmt_nothing
"""


class Formats:
    """Run pfmon with simulated formats."""

    def __init__(self, program: Path, root: Path) -> None:
        self.program = program
        self.registered = root / "kernel/perfmon/formats"
        self.modules = root / "modules" / os.uname().release
        self.replaced = {
            "/sys/kernel": root / "kernel",
            "/lib/modules": root / "modules",
        }
        self.registered.mkdir(parents=True)
        self.modules.mkdir(parents=True)

    def register(self, uuid: str, **files: str) -> None:
        """Register a format with these files."""
        folder = self.registered / uuid
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text)

    def install(self, aliases: str) -> None:
        """Install modules with these aliases."""
        (self.modules / "modules.alias").write_text(aliases)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return run_with(self.replaced, self.program, *arguments)

    def fields(self, *options: str) -> str:
        """Return the fields of the format's argument, as a dry run prints them."""
        run = self.run("--dry-run", *SAMPLING, *options, "true")
        assert run.returncode == 0, run.stderr
        (fields,) = [line for line in run.stdout.splitlines() if "\tfields: " in line]
        return fields.removeprefix("\tfields: ")

    def complaint(self, *options: str) -> str:
        """Return the message of a dry run that fails."""
        run = self.run("--dry-run", *SAMPLING, *options, "true")
        assert run.returncode == 1
        return run.stderr


@pytest.fixture(name="formats")
def fixture_formats(programs: Path, tmp_path: Path) -> Formats:
    without_kernel()
    made = Formats(programs / "pfmon", tmp_path)
    made.register(CALLSTACK, name="callstack\n", arg_size="24\n", arg_layout=LAYOUT)
    made.register(MINE, name="mine\n", arg_size="8\n")
    made.install(ALIASES)
    return made


def test_registered_and_installed_formats_are_listed(formats: Formats) -> None:
    run = formats.run("--list-formats")
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    heads = [line for line in run.stdout.splitlines() if not line.startswith("\t")]
    assert heads == [
        f"{MINE} mine (argument: 8 bytes)",
        f"{CALLSTACK} callstack (argument: 24 bytes)",
        f"{OTHER} other_one",
    ]
    assert "\tflags=0 (flags, in 4 bytes)\n" in run.stdout
    assert "\tmax_depth=32 (addresses, in 4 bytes, live)\n" in run.stdout
    assert run.stdout.endswith(
        "other_one\n\tinstalled: the kernel loads it when a session uses it\n"
    )


def test_formats_as_json(formats: Formats) -> None:
    listed = json.loads(formats.run("--list-formats", "--json").stdout)["formats"]
    by_name = {one["name"]: one for one in listed}
    assert by_name["callstack"]["registered"]
    fields = by_name["callstack"]["fields"]
    assert fields[0]["name"] == "buf_size"
    assert [field["name"] for field in fields if field["live"]] == ["max_depth"]
    assert by_name["other_one"] == {
        "uuid": OTHER,
        "name": "other_one",
        "summary": None,
        "registered": False,
    }


@pytest.mark.parametrize("name", ["other_one", "other-one"])
def test_installed_format_keeps_its_name(formats: Formats, name: str) -> None:
    run = formats.run("--dry-run", *SAMPLING, f"--smpl-module={name}", "true")
    assert f"Format:   {name}, {OTHER}\n" in run.stdout


def test_mistyped_installed_format_is_suggested(formats: Formats) -> None:
    assert "did you mean 'other_one'?" in formats.complaint("--smpl-module=othr_one")


def test_entries_size_the_buffer_after_the_other_fields(formats: Formats) -> None:
    module = "--smpl-module=callstack"
    assert formats.fields(module) == "buf_size=65536,num_regions=1,flags=0,max_depth=32"
    one = int(formats.fields(module, "--smpl-entries=1").split(",")[0].split("=")[1])
    arg = "--smpl-arg=max_depth=2,num_regions=3"
    found = formats.fields(module, "--smpl-entries=10", arg, "--smpl-regions=2")
    size, *others = found.split(",")
    # Each of three regions has room for three records and one of the largest size.
    longest = one - 128 - 32 - 32 - 2 * 30 * 8
    assert size == f"buf_size={128 + 32 + 3 * (32 + longest + 3 * (40 + 2 * 2 * 8))}"
    assert others == ["num_regions=3", "flags=0", "max_depth=2"]


def test_call_graph_has_the_largest_depth(formats: Formats) -> None:
    fields = "buf_size=65536,num_regions=4,flags=0,max_depth="
    assert formats.fields("-g") == f"{fields}128"
    assert formats.fields("--call-graph=fp", "--smpl-arg=max_depth=9") == f"{fields}9"


def test_call_graph_of_first_thread_has_one_region(formats: Formats) -> None:
    assert "num_regions=1," in formats.fields("-g", "--no-inherit")
    assert "num_regions=2," in formats.fields("-g", "--smpl-regions=2")


def test_call_graph_without_event_samples_a_clock(formats: Formats) -> None:
    run = formats.run("--dry-run", "-g", "true")
    assert "PMD0   0xfffffffffff0bdc0  counts cpu-clock\n" in run.stdout
    assert "Format:   callstack, " in run.stdout
    run = formats.run("--dry-run", "-g", "--smpl-module=stacks", "true")
    assert "Format:   stacks, " in run.stdout


def test_call_graph_without_tables_says_so(formats: Formats) -> None:
    said = "call chains follow frame pointers"
    assert said in formats.run("--dry-run", "-g", "true").stderr
    assert said not in formats.run("--dry-run", "--call-graph=fp", "true").stderr


def test_entries_need_the_known_argument(formats: Formats) -> None:
    formats.register(CALLSTACK, arg_size="16\n")
    said = formats.complaint("--smpl-module=callstack", "--smpl-entries=10")
    assert "callstack has 16 bytes, but pfmon expects 24" in said


def test_fields_replaced_bytes(formats: Formats) -> None:
    options = ("--smpl-module=callstack", f"--smpl-arg={'00' * 24}")
    found = formats.fields(*options, "--smpl-arg=max_depth=4")
    assert found == "buf_size=65536,num_regions=1,flags=0,max_depth=4"


def test_regions_need_a_field(formats: Formats) -> None:
    said = formats.complaint("--smpl-module=mine", "--smpl-regions=4")
    assert "requires a field 'num_regions'" in said
    assert "the argument of the sampling format mine has none" in said


@pytest.mark.parametrize(
    ("argument", "complaint"),
    [
        ("0011", "mine takes 8 bytes as its argument, but --smpl-arg has 2"),
        ("level=1", "mine does not publish the fields of its argument: give all 8"),
    ],
)
def test_argument_without_fields_needs_all_bytes(
    formats: Formats, argument: str, complaint: str
) -> None:
    module = "--smpl-module=mine"
    assert complaint in formats.complaint(module, f"--smpl-arg={argument}")
    whole = ("--smpl-arg=0011", "--smpl-arg=0123456789abcdef")
    run = formats.run("--dry-run", *SAMPLING, module, *whole, "true")
    assert "\targument: 8 bytes: 0123456789abcdef\n" in run.stdout


@pytest.mark.parametrize(
    "option", ["--smpl-arg=00", "--smpl-entries=9", "--smpl-regions=2"]
)
def test_format_without_argument_has_no_options(formats: Formats, option: str) -> None:
    formats.register(CALLSTACK, arg_size="0\n")
    said = formats.complaint("--smpl-module=callstack", option)
    assert "callstack takes no argument: omit --smpl-arg, --smpl-entries and" in said
    run = formats.run("--dry-run", *SAMPLING, "--smpl-module=callstack", "true")
    assert run.returncode == 0, run.stderr
