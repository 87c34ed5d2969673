# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test that pfm-conform accepts correct formats, and finds each broken format's error.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import build_parts
import checks
import host
import pytest
import verdict
from conform_report import results
from installed_sdk import Sdk
from programs import FORMATS

BROKEN = Path(__file__).resolve().parent / "broken"
PEBS = ("pebs32", "pebs64")
EXAMPLES = (
    *("cgroups", "lines", "mini", "mispredicts", "requests", "sharing", "slowest"),
    *("chains", "intervals", "spans", "threshold"),
)
MODELS = ("linear", "regions", "table", "device")
# Formats whose argument has a live field, which may change while the format is used.
LIVE = ("flight", "my_fields", "lines", "intervals", "threshold")
# The options of pfm-new-format for each new format that is checked.
MADE = {
    **{f"my_{model}": [model] for model in MODELS},
    "my_fields": [
        *("linear", "--field=chain:u64x3", "--field=hits:s8"),
        "--arg=a:u8=5,live",
    ],
    "my_merged": ["table", "--field=addr:u64", "--field=latency:u16=sum,max"],
}
# For each broken format, the checks that find its error, and their messages.
EXPECTED = {
    "address": {
        "levels": "wrote past the record .*: at offset 8, but the record has 8 bytes",
        "registers": "wrote past the record .*: at offset 8",
        "sizes": "wrote past the (record|end of the buffer)",
        "nmis": "wrote past the record .*: at offset 8",
    },
    "area": {
        "full": "wrote past the end of the private area: byte 100 of 100",
        "interrupts": "wrote past the end of the private area",
        "nmis": "wrote past the end of the private area",
    },
    "begins": {
        "recording": "pfmon cannot record with the format: .*; perfmon: format "
        "broken_begins: fmt_init returns 11, which is neither 0 nor a negative errno$",
    },
    "behind": {
        "levels": "wrote past the end of the buffer: .*, after 0 single overflows",
        "sizes": r"wrote past the end of the buffer: byte (\d+) of \1, in a buffer of",
    },
    "bits": {"records": "sets undefined control bits: 0x80000002"},
    "deep": {
        "registers": "wrote past the record .*: at offset 136, but the record has 136 "
        r"bytes .*, with (1[5-9]|[2-9]\d|[12]\d\d) callers in user space",
    },
    "default": {
        "full": "the default argument is rejected with -22",
        "recording": "pfmon cannot record with the format: .* rejects its argument",
    },
    "exits": {
        "full": "fmt_exit returns -16: .* must return 0",
        "unload": "cannot be unloaded although no context uses the format: .*; "
        "perfmon: format broken_exits: fmt_exit returns -16$",
    },
    "filters": {
        "records": "recorded nothing: .* give an argument with which it records",
        "levels": "recorded nothing",
        "nmis": "recorded nothing",
    },
    "grows": {
        "live": "wrote past the end of the buffer: .*, with words=([2-9]|1[0-6])$",
    },
    "late": {"exit": "wrote to its buffer after fmt_exit, byte 0"},
    "leaks": {"leaks": r"leaked \d+ kB, about (1[89]|2[0-2])\d\d bytes each"},
    "notifies": {
        "full": "fmt_restart sets control bits 0x3: it may set only reset_ovfl_pmds",
        "restart": "fmt_restart sets control bits 0x1: .*, after 0 overflows",
    },
    "old": {
        "load": "built for interface 3 .*, but perfmon has interface [4-9]: "
        'rebuild it, see "Formats for older interfaces" in docs/writing_a_format.md',
    },
    "packet": {
        "full": "wrote past the record .*: at offset 8, but the record has 8 bytes",
        "nmis": "wrote past the record",
    },
    "positive": {
        "full": "fmt_handler returns 105, which is neither 0 nor a negative errno"
    },
    "registers": {"records": "uses a NULL pointer: the registers can be"},
    "refuses": {
        "live": r"fmt_validate accepts a value with which .* be created \(-34\): .*, "
        "with words=0",
    },
    "resizes": {
        "live": "size of the format's memory depends on a live field, .*, with words=2",
    },
    "scribbles": {
        "registers": "changes its overflow argument: it may write only ovfl_ctrl",
        "arguments": "changes its overflow argument.*, with the argument 00 00 01 00",
    },
    "silent": {"full": "sets no control bit and returns 0: the counter is not"},
    "sleeps": {"records": "sleeps where it must not .*scheduling while atomic"},
    "stuck": {"full": "fmt_restart resumes but the buffer is still full"},
    "tail": {
        "records": "past the record .*: at offset 24, but the record has 24 bytes",
    },
    "traced": {"notrace": "traced_handler, can be traced, .*: declare it notrace"},
    "trusting": {"forged": "wrote (past|in front)|uses an unmapped address"},
    "unchecked": {"sizes": "wrote past the end of the buffer"},
    "unnamed": {"load": "fmt_name is missing"},
    "unowned": {
        "unload": "can be unloaded while a context uses the format",
        "alias": "the module has no alias perfmon-fmt-b0b0b0b0-",
    },
}
LATE = "late"


@pytest.fixture(name="vm", scope="module")
def fixture_vm() -> None:
    """Skip a test if this machine cannot boot a guest."""
    reason = build_parts.left_out(f"vm-x86_64-{host.kernel()}")
    if reason:
        pytest.skip(reason)


@pytest.mark.usefixtures("vm")
def test_installed_and_new_formats_pass(sdk: Sdk, tmp_path: Path) -> None:
    made_here = [*FORMATS, *MADE]
    for name, options in MADE.items():
        words: list[str | Path] = [sdk.prefix / "bin/pfm-new-format", name]
        made = sdk.run([*words, "--model", *options], tmp_path, {})
        assert made.returncode == 0, made.stderr
    words = ["--quick", "--kernel", host.kernel(), *made_here]
    words += [sdk.share / f"examples/format_{name}" for name in EXAMPLES]
    done = sdk.conform(*words, cwd=tmp_path)
    names = [*made_here, *EXAMPLES]
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
    # oprofile and my_device have no buffer and no argument, which these checks need.
    without = {"records", "sizes", "arguments", "forged"}
    without |= {"decoded", "layout", "prefixes", "damaged"}
    assert skipped == {
        *((name, check) for name in ("oprofile", "my_device") for check in without),
        *((name, "live") for name in names if name not in LIVE),
        # The guest has no PMU that writes PEBS records.
        *((name, check) for name in PEBS for check in ("recording", "unload")),
    }


def find(
    sdk: Sdk, where: Path, names: Iterable[str], chosen: Iterable[str]
) -> dict[str, dict[str, tuple[str, str]]]:
    """Return the results of the ``chosen`` checks for these broken formats."""
    folder = where / "broken"
    shutil.copytree(BROKEN, folder)
    objects = " ".join(f"pfm_fmt_broken_{name}.o" for name in names)
    (folder / "Makefile").write_text(f"obj-m := {objects}\n")
    words: list[str | Path] = ["--quick", "--kernel", host.kernel(), folder]
    for check in chosen:
        words += ["--check", check]
    done = sdk.conform(*words, cwd=where)
    assert done.returncode == 1, done.stdout + done.stderr
    return results(done.stdout)


@pytest.mark.usefixtures("vm")
def test_broken_format_gives_expected_finding(sdk: Sdk, tmp_path: Path) -> None:
    names = sorted(set(EXPECTED) - {LATE})
    found = find(sdk, tmp_path, names, (*checks.GUEST, *checks.HOST))
    assert sorted(found) == [f"broken_{name}" for name in names]
    for name in names:
        for check, said in EXPECTED[name].items():
            outcome, text = found[f"broken_{name}"][check]
            assert outcome == "not ok", (name, check, text)
            assert re.search(said, text), (name, check, text)


@pytest.mark.usefixtures("vm")
def test_write_after_exit_is_found(sdk: Sdk, tmp_path: Path) -> None:
    # Run only this check. The format writes to freed memory, so other checks could
    # crash when this memory is reused.
    found = find(sdk, tmp_path, [LATE], ["exit"])
    assert re.search(EXPECTED[LATE]["exit"], found[f"broken_{LATE}"]["exit"][1])


def test_each_check_of_a_format_can_fail() -> None:
    failing = {check for findings in EXPECTED.values() for check in findings}
    assert failing == {*checks.GUEST, *checks.HOST}


@pytest.mark.usefixtures("vm")
def test_old_source_is_explained(sdk: Sdk, tmp_path: Path) -> None:
    made = sdk.run([sdk.prefix / "bin/pfm-new-format", "old"], tmp_path, {})
    assert made.returncode == 0, made.stderr
    source = tmp_path / "old/pfm_fmt_old.c"
    text, data = source.read_text(), "struct pfm_ovfl_data *data"
    assert data in text
    source.write_text(text.replace(data, "void *data"))
    kernel = ("--kernel", host.kernel())
    for done in (
        sdk.conform(*kernel, source.parent),
        sdk.vm(*kernel, "--format", source.parent, "--", "true"),
    ):
        assert done.returncode == verdict.SETUP
        assert re.search(r"pfm_fmt_old\.c:\d+: the SDK has changed: ", done.stderr)
        assert 'see "Formats for older interfaces" in docs/writing' in done.stderr


def test_missing_input_is_named(sdk: Sdk) -> None:
    done = sdk.conform("--kernel", "6.1", "nosuch")
    assert (done.returncode, done.stdout) == (verdict.SETUP, "")
    assert "nosuch: no such folder or module, and no such format in " in done.stderr


def test_list_describes_checks(sdk: Sdk) -> None:
    done = sdk.conform("--list")
    assert done.returncode == 0
    assert re.search(r"^levels +at every fill level", done.stdout, re.MULTILINE)


def test_usage_error_is_not_a_finding(sdk: Sdk) -> None:
    for line in ("--check nosuch nway", "", "--debug --kernel 6.1 nway"):
        done = sdk.conform(*line.split())
        assert done.returncode == verdict.SETUP
        assert "Traceback" not in done.stderr


def test_guest_script_is_valid_shell(sdk: Sdk) -> None:
    script = sdk.share / "src/sdk/conform/guest.sh"
    subprocess.run(["sh", "-n", str(script)], check=True)
