# SPDX-License-Identifier: MIT OR GPL-2.0
"""Format text as all commands do."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Sequence

import pytest
from helpers.cli import run
from helpers.exporting import called
from helpers.writers import (
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    captured,
    chunk,
    json_chunk,
    mapping,
    maps,
    pmd,
    session,
    thread,
    totals,
)
from pfmparse.text import amount, exact_bytes, json_text, known, printable

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
        ("caf\udce9\udc80\udcff", "caf\\xe9\\x80\\xff"),  # bytes that are not UTF-8
    ],
)
def test_only_printable_characters_are_printed(text: str, shown: str) -> None:
    assert printable(text) == shown and shown.isprintable()


@pytest.mark.parametrize(
    "text,read",
    [
        ("caf\udce9", "caf\\xe9"),
        ("\\\udc80\udcff", "\\\\x80\\xff"),
        ("\\udc80", "\\udc80"),
        ("\U0001f480\ud83d", "\U0001f480\ud83d"),
    ],
)
def test_json_has_no_surrogates_for_bytes(text: str, read: str) -> None:
    assert json.loads(json_text({text: [text, 1]})) == {read: [read, 1]}


EXPORTS = [
    *("callgrind", "csv", "firefox", "folded", "html", "otlp", "perf-data", "pprof"),
    *("speedscope", "svg"),
]
BYTES = [
    *(("report", "--json"), ("report", "--by", "comm")),
    *(("report", "--cumulative", "--json"), ("timeline", "--by", "comm", "--json")),
    *(("export", "--to", to) for to in EXPORTS),
]


@pytest.mark.parametrize("words", BYTES, ids="".join)
def test_bytes_that_are_not_utf8_are_escaped(
    words: Sequence[str], tmp_path: Path
) -> None:
    where: Json = {
        **mapping(0x1000, 0x2000, 0, "/caf?"),
        "path_bytes": b"/caf\xe9".hex(),
    }
    process: Json = {**maps(100, [where], "caf?"), "comm_bytes": b"caf\xe9".hex()}
    path, out = tmp_path / "x.pfm", tmp_path / "x"
    path.write_bytes(captured([Sample(ip=0x1000)], json_chunk("MAPS", process)))
    output = ("-o", str(out)) if words[0] == "export" else ()
    status, printed, err = called(*words, str(path), *output)
    assert status == 0 and "udce9" not in err
    data = out.read_bytes() if output else printed.encode()
    if data.startswith(b"\x1f\x8b"):
        data = gzip.decompress(data)
    expected = b"caf\xe9" if "perf-data" in words else b"caf\\xe9"
    assert expected in data.replace(b"\\\\", b"\\")
    assert b"udce9" not in data


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the path of a capture in which every text has control characters."""
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


@pytest.mark.parametrize(
    ("text", "data"),
    [("\xe4", b"\xc3\xa4"), ("a\udcff", b"a\xff"), ("a\ud800\udcff", b"a??")],
)
def test_only_surrogates_of_bytes_become_bytes(text: str, data: bytes) -> None:
    assert exact_bytes(text) == data
