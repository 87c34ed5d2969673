# SPDX-License-Identifier: MIT OR GPL-2.0
"""pfm-conform: all formats pass, and each broken one fails with the words for it."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import host
import parts
import pytest
import verdict
from conform_report import results
from installed_sdk import Sdk

BROKEN = Path(__file__).resolve().parent / "broken"
PEBS = ("pebs32", "pebs64")
MODELS = "linear regions histogram device".split()
OURS = "default nway pebs32 pebs64 oprofile callstack histogram flight".split()
# What finds each broken format, and the words for its author.
EXPECTED = {
    "area": ("full", "wrote behind the private area: byte 100 of 100"),
    "behind": ("sizes", r"wrote behind the buffer: byte (\d+) of \1, in a buffer of"),
    "bits": ("full", "sets control bits that there are not: 0x80000002"),
    "default": ("full", "the argument that tools give by default is refused with -22"),
    "exits": ("full", "fmt_exit returns -16: .* it is to return 0"),
    "late": ("exit", "wrote to its buffer after fmt_exit, byte 0"),
    "leaks": ("leaks", r"have left \d+ kB behind, about 2\d\d\d bytes each"),
    "notifies": ("full", "fmt_restart sets control bits 0x3: only reset_ovfl_pmds and"),
    "positive": ("full", "fmt_handler returns 105, which is neither 0 nor an errno"),
    "registers": ("registers", "is NULL that it uses: registers may be"),
    "scribbles": ("full", "changes the overflow that it is told of: only ovfl_ctrl"),
    "silent": ("full", "sets no control bit and returns 0: the counter goes on"),
    "sleeps": ("full", "may not sleep does .*scheduling while atomic"),
    "stuck": ("full", "fmt_restart resumes and there is no room"),
    "traced": ("notrace", "traced_handler, can be traced, .*: declare it notrace"),
    "trusting": ("forged", "wrote (behind|in front of)|uses an address where there is"),
    "unchecked": ("sizes", "wrote behind the buffer"),
    "unnamed": ("load", "fmt_name is missing"),
    "unowned": ("unload", "can be unloaded while a context uses the format"),
}
# What only the debug kernel finds: tests/debug has these.
DEBUG = ("allocates", "faults", "locks", "reads")


@pytest.fixture(name="vm", scope="module")
def fixture_vm() -> None:
    """Skip a test if this machine has no guest."""
    reason = parts.left_out(f"vm-x86_64-{host.kernel()}")
    if reason:
        pytest.skip(reason)


@pytest.mark.usefixtures("vm")
def test_our_formats_and_what_pfm_new_format_makes_pass(
    sdk: Sdk, tmp_path: Path
) -> None:
    for model in MODELS:
        words: list[str | Path] = [sdk.prefix / "bin/pfm-new-format", f"my_{model}"]
        made = sdk.run([*words, "--model", model], tmp_path, {})
        assert made.returncode == 0, made.stderr
    names = [*OURS, *(f"my_{model}" for model in MODELS)]
    done = sdk.conform("--quick", "--kernel", host.kernel(), *names, cwd=tmp_path)
    found = results(done.stdout)
    bad = [
        (name, check, text)
        for name in found
        for check, (outcome, text) in found[name].items()
        if outcome == "not ok"
    ]
    assert not bad
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(found) == names
    skipped = {
        (name, check)
        for name in found
        for check, (outcome, _) in found[name].items()
        if outcome == "skip"
    }
    # What needs a buffer, an argument, or a PMU that writes records.
    without = {"records", "sizes", "arguments", "forged"}
    without |= {"decoded", "layout", "prefixes", "damaged"}
    assert skipped == {
        *((name, check) for name in ("oprofile", "my_device") for check in without),
        *((name, check) for name in PEBS for check in ("recording", "unload")),
    }


@pytest.mark.usefixtures("vm")
def test_each_broken_format_is_found_with_the_words_for_it(
    sdk: Sdk, tmp_path: Path
) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(BROKEN, folder)
    for name in DEBUG:
        makefile = folder / "Makefile"
        text = makefile.read_text().replace(f"pfm_fmt_broken_{name}.o", "")
        makefile.write_text(text)
    chosen = {check for check, _ in EXPECTED.values()} | {"alias"}
    words: list[str | Path] = ["--quick", "--kernel", host.kernel(), folder]
    for check in sorted(chosen):
        words += ["--check", check]
    done = sdk.conform(*words, cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    found = results(done.stdout)
    assert sorted(found) == [f"broken_{name}" for name in sorted(EXPECTED)]
    for name, (check, said) in EXPECTED.items():
        outcome, text = found[f"broken_{name}"][check]
        assert outcome == "not ok", (name, check, text)
        assert re.search(said, text), (name, text)
    assert found["broken_unowned"]["alias"][1].startswith("the module has no alias")


def test_what_is_not_there_is_named(sdk: Sdk) -> None:
    done = sdk.conform("--kernel", "6.1", "nosuch")
    assert (done.returncode, done.stdout) == (verdict.SETUP, "")
    assert "nosuch is neither a folder or a module nor a format in " in done.stderr


def test_the_checks_are_listed_with_what_they_look_at(sdk: Sdk) -> None:
    done = sdk.conform("--list")
    assert done.returncode == 0
    assert re.search(r"^levels +every fill level, then", done.stdout, re.MULTILINE)


def test_bad_arguments_are_none_of_the_format_s(sdk: Sdk) -> None:
    for line in ("--check nosuch nway", "", "--debug --kernel 6.1 nway"):
        done = sdk.conform(*line.split())
        assert done.returncode == verdict.SETUP
        assert "Traceback" not in done.stderr


def test_the_guest_s_script_is_as_others(sdk: Sdk) -> None:
    script = sdk.share / "src/sdk/conform/guest.sh"
    subprocess.run(["sh", "-n", str(script)], check=True)
