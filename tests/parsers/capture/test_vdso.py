# SPDX-License-Identifier: MIT OR GPL-2.0
"""VDSO chunks: the image of this process's own vDSO."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile  # type: ignore[import]
from helpers.readers import read_capture, reported
from helpers.writers import Sample, captured, chunk, mapped, mapping
from pfmparse.capture.vdso import VdsoImages
from pfmparse.errors import PfmParseError

BUILD_ID = bytes(range(20))


def payload(build_id: bytes, image: bytes) -> bytes:
    """Build the payload of a chunk."""
    return struct.pack("<II64s", len(build_id), 0, build_id) + image


def own_image(tmp_path: Path) -> bytes:
    """Return the vDSO of this process."""
    line = re.search(r"(\w+)-(\w+) .*\[vdso\]", Path("/proc/self/maps").read_text())
    assert line is not None
    start, end = (int(number, 16) for number in line.groups())
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        memory.seek(start)
        return memory.read(end - start)


def test_vdso_functions_are_found(tmp_path: Path) -> None:
    image = own_image(tmp_path)
    (tmp_path / "vdso").write_bytes(image)
    with open(tmp_path / "vdso", "rb") as stream:
        elf = ELFFile(stream)
        build_id = elf.get_section_by_name(".note").iter_notes()
        text = next(n["n_desc"] for n in build_id if n["n_type"] == "NT_GNU_BUILD_ID")
        table = elf.get_section_by_name(".dynsym")
        (symbol,) = table.get_symbol_by_name("__vdso_clock_gettime")
        base = next(elf.iter_segments("PT_LOAD"))["p_vaddr"]
    at = 0x7F0000000000 + symbol["st_value"] - base + 1
    where = mapping(0x7F0000000000, 0x7F0000000000 + len(image), 0, "[vdso]", text)
    stored = chunk("VDSO", payload(bytes.fromhex(text), image), compress=True)
    data = captured([Sample(ip=at)], mapped(where), stored)
    (row,) = reported(data).rows
    assert row[0] in ("clock_gettime", "__vdso_clock_gettime")
    assert row[2:] == ("[vdso]", 1)
    # Old captures lack the image, others have a damaged one.
    damaged = chunk("VDSO", payload(bytes.fromhex(text), image[:100]))
    for more, warnings in (((), 0), ((damaged,), 1)):
        found = reported(captured([Sample(ip=at)], mapped(where), *more))
        assert found.rows == [("[vdso]", None, "[vdso]", 1)]
        assert len(found.warnings) == warnings


@pytest.mark.parametrize(
    "data,why",
    [
        (b"", "without a header"),
        (payload(BUILD_ID, b"")[:-1], "without a header"),
        (payload(b"", b"x"), "build ID of 0 bytes"),
        (payload(bytes(65), b"x"), "build ID of 65 bytes"),
    ],
)
def test_bad_vdso_chunk_is_refused(data: bytes, why: str) -> None:
    with pytest.raises(PfmParseError, match=why):
        VdsoImages().add(data, 0)
    _, recording = read_capture(captured([Sample()], chunk("VDSO", data)))
    (problem,) = recording.problems
    assert why in problem.message and recording.samples == 1


def test_number_of_vdsos_is_limited() -> None:
    images = VdsoImages()
    for number in range(16):
        images.add(payload(bytes([number]), b"image"), 0)
    assert images[b"\1"] == b"image" and b"\x10" not in images
    with pytest.raises(PfmParseError, match="more than 16"):
        images.add(payload(b"\x10", b""), 0)
