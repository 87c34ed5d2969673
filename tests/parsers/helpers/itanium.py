# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build captures of Itanium 2 event address registers (EAR), and the sampled program.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Mapping, Sequence

from helpers.writers import (
    UUID_IA64,
    Json,
    Sample,
    buffer,
    bufr,
    capture,
    json_chunk,
    mapping,
    maps,
    pmd,
    session,
    totals,
)

CODE = 0x4000000000000000  # start of a program's code
DATA_EAR, CODE_EAR = (2, 3, 17), (0, 1)  # numbers of PMDs
PER_BUFFER = 4000  # samples
EM_IA_64, ET_EXEC, STT_FUNC, SHT_SYMTAB, SHT_STRTAB = 50, 2, 2, 2, 3


def load(
    ip: int, address: int, latency: int = 0, found_by: int = 0, valid: bool = True
) -> Sample:
    """Build a sample of a load. ``ip`` is the address of its bundle plus its slot."""
    bundle, slot = ip & ~0xF, ip & 0x3
    # The register covers two bundles; a bit selects the second one.
    in_second = bool(bundle & 0x10)
    window = bundle - 16 if in_second else bundle
    instruction = window | valid << 3 | in_second << 2 | slot
    values = (address, latency | found_by << 14, instruction)
    return Sample(ip=ip + 0x40, ovfl_pmd=4, pmds=tuple(zip(DATA_EAR, values)))


def fetch(line: int, latency: int = 0, found_by: int = 0) -> Sample:
    """Build a sample of a fetch of a code line."""
    values = (line | found_by, latency)
    return Sample(ip=line + 0x40, ovfl_pmd=4, pmds=tuple(zip(CODE_EAR, values)))


def ear_session(event: str, pmds: Sequence[int] = DATA_EAR) -> Json:
    """Return the JSON of a session at 1.4 GHz that samples an EAR event."""
    sampled = {**pmd(4, list(pmds)), "event": event}
    sess = session({0: [sampled]}, UUID_IA64)
    kinds = [{**sess["machine"]["processors"][0], "khz": 1400000, "caches": []}]
    sess["machine"] |= {"arch": "ia64", "page_size": 16384, "processors": kinds}
    return sess


def ear_capture(
    samples: Sequence[Sample], sess: Json, mappings: Sequence[Json] = ()
) -> bytes:
    """Build a capture of EAR samples."""
    parts = range(0, len(samples), PER_BUFFER)
    return capture(
        json_chunk("SESS", sess),
        json_chunk("MAPS", maps(100, list(mappings), "foo")),
        *(
            bufr(buffer(samples[at : at + PER_BUFFER], UUID_IA64, buf_size=1 << 24))
            for at in parts
        ),
        json_chunk("DONE", totals(len(samples), lost=0)),
    )


def program(path: Path, functions: Mapping[str, tuple[int, int]]) -> Json:
    """Write a program with functions at these addresses; return its mapping."""
    names, symbols = b"\0", bytes(24)
    for name, (start, size) in functions.items():
        at = len(names)
        symbols += struct.pack("<IBBHQQ", at, 1 << 4 | STT_FUNC, 0, 1, start, size)
        names += name.encode() + b"\0"
    size = 0x10000  # bytes of code, from the start of the file
    tables = size, size + len(symbols), size + len(symbols) + len(names)
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head += struct.pack("<HHIQQQI", ET_EXEC, EM_IA_64, 1, CODE, 64, tables[2], 0)
    head += struct.pack("<HHHHHH", 64, 56, 1, 64, 4, 3)
    head += struct.pack("<IIQQQQQQ", 1, 5, 0, CODE, CODE, size, size, 0x10000)
    sections = [
        bytes(64),
        _section(1, 0x6, CODE, 0, size),
        _section(SHT_SYMTAB, 0, 0, tables[0], len(symbols), link=3, info=1, entry=24),
        _section(SHT_STRTAB, 0, 0, tables[1], len(names)),
    ]
    text = head.ljust(size, b"\0") + symbols + names + b"".join(sections)
    path.write_bytes(text)
    return mapping(CODE, CODE + size, 0, str(path))


def _section(
    kind: int,
    flags: int,
    address: int,
    offset: int,
    size: int,
    link: int = 0,
    info: int = 0,
    entry: int = 0,
) -> bytes:
    """Build the header of a section without a name."""
    head = struct.pack("<IIQQQQ", 0, kind, flags, address, offset, size)
    return head + struct.pack("<IIQQ", link, info, 1, entry)
