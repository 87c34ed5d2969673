# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check that export time is linear in threads, functions, mappings and buffers."""

from __future__ import annotations

from pathlib import Path
from typing import Callable

import pytest
from helpers.exporting import called
from helpers.stacks_capture import TGID, Stack, stack_capture
from helpers.work import growth
from helpers.writers import Sample, captured, json_chunk, mapping, maps
from pfmparse import recording


def threads(count: int) -> bytes:
    """Build a capture with ``count`` threads."""
    return stack_capture([Stack(("hot",), tid=TGID + at) for at in range(count)])


def functions(count: int) -> bytes:
    """Build a capture with ``count`` functions."""
    names = [f"f{at}" for at in range(count)]
    return stack_capture([Stack((name,)) for name in names], names)


def buffers(count: int) -> bytes:
    """Build a capture with ``count`` buffers, each with a new function."""
    names = [f"f{at}" for at in range(count)]
    return stack_capture([Stack((name,)) for name in names], names, at_once=1)


def mappings(count: int) -> bytes:
    """Build a capture with ``count`` mappings."""
    starts = [0x1000 * (1 + at) for at in range(count)]
    found = [mapping(at, at + 0x1000, 0, f"/lib/{at:x}") for at in starts]
    samples = [Sample(ip=at) for at in starts]
    return captured(samples, json_chunk("MAPS", maps(TGID, found)))


@pytest.mark.parametrize(
    "to, size, made",
    [
        ("firefox", 100, threads),
        ("speedscope", 100, threads),
        ("callgrind", 200, functions),
        ("pprof", 200, mappings),
        ("csv", 50, buffers),
    ],
)
def test_export_time_is_linear(
    to: str,
    size: int,
    made: Callable[[int], bytes],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(recording, "ENOUGH", 1)  # makes each buffer a batch
    path, out = tmp_path / "x.pfm", tmp_path / "out"

    def task(count: int) -> Callable[[], object]:
        path.write_bytes(made(count))
        argv = ["export", str(path), "--to", to, "-o", str(out)]

        def export() -> None:
            assert called(*argv)[0] == 0

        return export

    assert growth(size, task) < 2.5
