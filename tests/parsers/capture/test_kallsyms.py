# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find kernel symbols in the text of /proc/kallsyms."""

from __future__ import annotations

import numpy as np
import pytest
from pfmparse.capture.kallsyms import KernelSymbols
from pfmparse.errors import PfmParseError

TEXT = b"""\
0000000000000000 A fixed_percpu_data
ffffffff81000000 T _text
ffffffff81000000 T startup
ffffffff81000000 t alias
ffffffff81000100 t helper
ffffffff81000200 T _etext
ffffffff81000300 D data
ffffffffc0001000 t ext4_read\t[ext4]
ffffffffc0000000 t veth_xmit\t[veth]
"""


@pytest.mark.parametrize(
    "address,symbol,where,start",
    [
        (0xFFFFFFFF80FFFFFF, "", "[kernel]", 0),
        (0xFFFFFFFF81000000, "startup", "[kernel]", 0xFFFFFFFF81000000),
        (0xFFFFFFFF810000FF, "startup", "[kernel]", 0xFFFFFFFF81000000),
        (0xFFFFFFFF81000100, "helper", "[kernel]", 0xFFFFFFFF81000100),
        (0xFFFFFFFF81000300, "", "[kernel]", 0xFFFFFFFF81000300),
        (0xFFFFFFFFC0000010, "veth_xmit", "[veth]", 0xFFFFFFFFC0000000),
        (0xFFFFFFFFC0001010, "ext4_read", "[ext4]", 0xFFFFFFFFC0001000),
        (0xFFFFFFFFC0100000, "", "[kernel]", 0),
        (0xFFFFFFFFFFFFFFFF, "", "[kernel]", 0),
    ],
)
def test_address_has_its_function_and_module(
    address: int, symbol: str, where: str, start: int
) -> None:
    found = KernelSymbols(TEXT, 0).find(np.array([address], np.uint64))
    assert found == [(symbol, where, start)]


@pytest.mark.parametrize("text", [b"", b"0000000000000000 T hidden\n"])
def test_hidden_addresses_give_no_symbols(text: bytes) -> None:
    found = KernelSymbols(text, 0).find(np.array([1 << 63], np.uint64))
    assert found == [("", "[kernel]", 0)]


@pytest.mark.parametrize("line", [b"x T f", b"1 T", b"1 T f extra", b"f" * 200 + b" T"])
def test_bad_kallsyms_line_is_named(line: bytes) -> None:
    with pytest.raises(PfmParseError, match="line 2"):
        KernelSymbols(b"ffffffff81000000 T f\n" + line + b"\n", 5)


def test_kallsyms_skips_user_addresses() -> None:
    text = (
        b"00007f0000000000 T user\n8000000000000000 T first\n" + b"f" * 17 + b" T no\n"
    )
    found = KernelSymbols(text, 0).find(np.array([0x7F0000000000, 1 << 63], np.uint64))
    assert found == [("", "[kernel]", 0), ("first", "[kernel]", 1 << 63)]
    last = np.array([(1 << 64) - 1], np.uint64)
    assert KernelSymbols(text, 0).find(last) == [("", "[kernel]", 0)]
