# SPDX-License-Identifier: MIT OR GPL-2.0
"""Format text as all commands do."""

from __future__ import annotations

import pytest
from helpers.cli import run
from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    chunk,
    json_chunk,
    mapping,
    maps,
    pmd,
    session,
    thread,
    totals,
)
from pfmparse.text import amount, known, printable

KERNEL = 1 << 63


@pytest.mark.parametrize(
    "text,shown",
    [
        ("", ""),
        ("main (/bin/x)", "main (/bin/x)"),
        ("größe", "größe"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\ud800", "\\ud800"),
        ("\u202e", "\\u202e"),  # right-to-left override
        ("\x9b", "\\x9b"),
    ],
)
def test_only_printable_characters_are_printed(text: str, shown: str) -> None:
    assert printable(text) == shown and shown.isprintable()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Write a capture in which every text contains control characters."""
    odd = "odd\x1b[2J\n"
    sess = session({0: [{**pmd(0), "event": odd}]})
    sess |= {"tool": odd, "command": [odd], "cgroups": ["/", odd]}
    sess |= {"view": {"command": odd, "options": {}}}
    sess["machine"] |= dict.fromkeys(("arch", "release", "pmu", "host"), odd)
    path = tmp_path_factory.mktemp("hostile") / "x.pfm"
    path.write_bytes(
        capture(
            json_chunk("SESS", sess),
            json_chunk("MAPS", maps(100, [mapping(0, 1 << 47, 0, f"/{odd}")], odd)),
            json_chunk("THRD", {"threads": [thread(100, 100, odd)], "cgroup": odd}),
            json_chunk("THRD", {"threads": odd}),
            chunk("KSYM", f"{KERNEL:x} T {odd}".encode()),
            bufr(buffer([Sample(), Sample(ip=KERNEL)])),
            json_chunk("TICK", {"elapsed_ns": 1, "samples": 1, "lost": 0}),
            json_chunk("DONE", totals(2)),
        )
    )
    return str(path)


@pytest.mark.parametrize(
    "argv",
    [
        *("info", "dump", "report", "mem", "show", "top", "timeline --step 1s"),
        *("report --by process,comm,host,event,image,ip", "report --event none"),
        *("report --callers", "report --comm *odd* --symbol odd", "annotate -s odd.*"),
        *("timeline --step 1s --by comm", "timeline --step 1s --by event"),
        *("export --to html -o /dev/null", "diff --by image {}"),
    ],
)
def test_no_command_prints_control_characters(
    argv: str, hostile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    _, out, err = run(capsys, *argv.format(hostile).split(), hostile)
    assert out or err
    assert all(line.isprintable() for line in (out + err).split("\n"))


def test_unknown_number_is_printed_as_unknown() -> None:
    assert (known(0), known(1 << 64), known(None)) == (
        "0",
        "18446744073709551616",
        "unknown",
    )


def test_one_thing_is_singular() -> None:
    assert amount(1, "samples") == "1 sample" and amount(0, "samples") == "0 samples"
    assert amount(1, "processes") == "1 process" and amount(1, "times") == "1 time"
    assert amount(1234, "bytes", ",") == "1,234 bytes"
