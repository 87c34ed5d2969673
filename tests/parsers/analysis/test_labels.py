# SPDX-License-Identifier: MIT OR GPL-2.0
"""Label frames and events."""

from __future__ import annotations

import gzip
from collections import Counter
from pathlib import Path

import pytest
from helpers.exporting import EXPORTS, called, exported
from helpers.readers import opened
from helpers.stacks_capture import Stack, stack_capture
from helpers.writers import (
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapping,
    maps,
    session,
    thrd,
    thread,
)
from pfmparse.analysis.labels import StackTexts, joined, label, several_events
from pfmparse.analysis.profile import Frame, Profile, Row


def test_frame_label_falls_back_to_the_object() -> None:
    assert label(Frame("f", "/bin/x")) == "f"
    assert label(Frame("[unknown]", "/bin/x")) == "/bin/x"


def test_joined_labels_have_no_separator() -> None:
    assert joined(["main", "<[u8; 32]>::fmt", ""]) == "main;<[u8: 32]>::fmt;"


@pytest.mark.parametrize(
    "to", sorted({*EXPORTS} - {"perf-data", "sql", "npz", "parquet"})
)
def test_unknown_functions_are_named_by_their_object(to: str, tmp_path: Path) -> None:
    file, out = tmp_path / "x.pfm", tmp_path / "out"
    objects = ("/no/a", "/no/b", "[vdso]")
    where = [mapping(at << 20, (at + 1) << 20, 0, o) for at, o in enumerate(objects, 1)]
    samples = [Sample(ip=mapped["start"], pid=100) for mapped in where]
    file.write_bytes(
        capture(
            json_chunk("SESS", session()),
            json_chunk("MAPS", maps(100, where)),
            thrd(thread(100, 100, "program")),
            bufr(buffer(samples)),
        )
    )
    data = exported(file, to, out).read_bytes()
    text = gzip.decompress(data) if to == "pprof" else data
    assert b"[unknown]" not in text
    assert all(name.encode() in text for name in objects)


def test_several_events_ignores_events_without_samples() -> None:
    profile = Profile(events=["a", "b"], rows=[Row(0, 1, 0, 1, 1), Row(1, 1, 0, 1, 1)])
    assert not several_events(profile)
    profile.rows.append(Row(0, 0, 0, 1, 1))
    assert several_events(profile)


def test_stack_texts_begin_with_the_outermost() -> None:
    source = opened(stack_capture())
    (batch,) = source.batches()
    found = Counter(StackTexts(source).texts(source.stacks.ids(batch)))
    assert found == {"main;hot": 6, "main;warm": 3, "main;warm;schedule": 1}


@pytest.mark.parametrize("to", ["folded", "callgrind"])
def test_text_has_no_control_characters(to: str, tmp_path: Path) -> None:
    path, out = tmp_path / "x.pfm", tmp_path / "x"
    name = "red \x1b[31m \x00 \x85 end"
    path.write_bytes(stack_capture([Stack((name,))], [name]))
    assert called("export", str(path), "--to", to, "-o", str(out))[0] == 0
    assert "red \\x1b[31m \\x00 end" in out.read_text()
