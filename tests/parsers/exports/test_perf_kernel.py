# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write the kernel's mapping and symbols to perf.data."""

from __future__ import annotations

import struct

import numpy as np
from helpers import perf_file
from helpers.every_format import KALLSYMS, KERNEL, MODULE
from pfmparse.capture.kallsyms import KernelSymbols
from pfmparse.exports.perf_kernel import Kernel

KNOWN = Kernel(KernelSymbols(KALLSYMS, 0))


def mapped(kernel: Kernel) -> tuple[int, int, int, bytes]:
    """Return the start, end, relocation reference and name of the kernel mapping."""
    (record,) = perf_file.parsed(kernel.mapping(), 0)
    assert (record.kind, record.misc) == (1, 1)
    pid, _, start, length, reference = struct.unpack_from("<iIQQQ", record.body)
    assert pid == -1
    return start, start + length, reference, record.body[32:].rstrip(b"\0")


def test_perf_kernel_mapping_starts_at_first_symbol() -> None:
    name = b"[kernel.kallsyms]_text"
    assert mapped(KNOWN) == (KERNEL, (1 << 64) - 1, KERNEL, name)


def test_perf_unknown_kernel_maps_upper_half() -> None:
    start, end, reference, _ = mapped(Kernel(None))
    assert (start, end, reference) == (1 << 63, (1 << 64) - 1, 0)
    assert Kernel(None).kallsyms() == b""


def test_perf_kallsyms_has_kernel_and_modules() -> None:
    lines = KNOWN.kallsyms().decode().splitlines()
    assert lines[0] == f"{KERNEL:x} T _text"
    assert f"{MODULE:x} T mod_work" in lines
    assert len(lines) == len(KALLSYMS.splitlines())


def test_perf_kallsyms_adds_missing_text_symbol() -> None:
    text = b"ffffffff81000000 D data\nffffffff81000100 T start\n"
    kernel = Kernel(KernelSymbols(text, 0))
    assert kernel.kallsyms().decode().splitlines() == [
        "ffffffff81000000 T _text",
        "ffffffff81000100 T start",
    ]


def test_perf_kernel_build_id_depends_on_symbols() -> None:
    assert len(KNOWN.identifier()) == 20
    assert KNOWN.identifier() == Kernel(KernelSymbols(KALLSYMS, 0)).identifier()
    assert KNOWN.identifier() != Kernel(None).identifier()


def test_perf_kernel_finds_addresses_in_modules() -> None:
    def is_in(*addresses: int) -> bool:
        return KNOWN.is_in_modules(np.array(addresses, np.uint64))

    assert is_in(MODULE + 5) and is_in(KERNEL, MODULE)
    assert not is_in(KERNEL, KERNEL + 5, 0x1000)
    assert not Kernel(None).is_in_modules(np.array([MODULE], np.uint64))
