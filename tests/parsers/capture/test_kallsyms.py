# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find kernel symbols in the text of /proc/kallsyms, and in later changes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Optional

import numpy as np
import pytest
from pfmparse.capture import kallsyms
from pfmparse.capture.kallsyms import KernelCode, KernelSymbols
from pfmparse.capture.process_events import Code
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


def test_number_of_symbols_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kallsyms, "MAX_SYMBOLS", 2)
    KernelSymbols(b"1 t x\n2 t y\n", 0)
    with pytest.raises(PfmParseError, match="more than 2 kernel symbols"):
        KernelSymbols(b"\n\n\n", 5)
    earlier = KernelSymbols(b"8000000000000001 t x\n", 0)
    KernelSymbols(b"8000000000000002 t y [m]\n", 0, earlier)
    with pytest.raises(PfmParseError, match="more than 2 kernel symbols"):
        KernelSymbols(b"\n\n", 5, earlier)


def merged(first: str, last: str) -> list[tuple[int, str, str]]:
    """Merge symbols, given as "address name object ..."; return them like that."""
    kernel: Optional[KernelSymbols] = None
    for words in map(str.split, (first, last)):
        lines = [
            f"ffffffffc000{at:0>4} t {name}\t[{where}]\n"
            for at, name, where in zip(*(words[n::3] for n in range(3)))
        ]
        kernel = KernelSymbols("".join(lines).encode(), 0, kernel)
    assert kernel is not None
    assert kernel.starts.tolist() == [symbol.start for symbol in kernel.all()]
    return [(s.start & 0xFFFF, s.name, s.object[1:-1]) for s in kernel.all()]


def test_symbols_of_later_modules_are_added() -> None:
    assert merged("0 old a 1000 moved a", "1000 new b 800 more b 2000 x c") == [
        (0, "old", "a"),
        (0x800, "more", "b"),
        (0x1000, "new", "b"),
        (0x2000, "x", "c"),
    ]


def test_later_module_replaces_all_symbols_in_its_memory() -> None:
    assert merged("0 a old 10 b old 20 c old 30 d old", "8 e new 28 f new") == [
        *((0, "a", "old"), (8, "e", "new"), (0x28, "f", "new"), (0x30, "d", "old")),
    ]


def test_symbols_between_parts_of_later_module_are_kept() -> None:
    first = "0 x new 10 y other 18 gone old 20 z new"
    assert merged(first, "0 x new 10 y other 20 z new") == [
        *((0, "x", "new"), (0x10, "y", "other"), (0x18, "gone", "old")),
        (0x20, "z", "new"),
    ]


@pytest.mark.parametrize("where", ["bpf", "__builtin__ftrace", "__builtin__kprobes"])
def test_later_symbols_other_than_of_modules_do_not_count(where: str) -> None:
    assert merged("0 a old", f"0 later {where} 10 late {where}") == [(0, "a", "old")]


def test_later_symbols_of_the_kernel_do_not_count() -> None:
    one, two = (f"ffffffff81000000 T {name}\n".encode() for name in ("one", "two"))
    kernel = KernelSymbols(two, 0, KernelSymbols(one, 0))
    assert [symbol.name for symbol in kernel.all()] == ["one"]


def code(time: int, start: int, end: int, gone: bool = False, bpf: bool = True) -> Code:
    return Code(time, start, end, f"bpf_prog_{start}_{end}_{time}", bpf, gone)


def trampoline(time: int, start: int, gone: bool = False) -> Code:
    return Code(time, start, start + 4096, "bpf_trampoline_7", True, gone)


def made(events: Sequence[Code], symbols: Optional[KernelSymbols] = None) -> KernelCode:
    generated = KernelCode(symbols)
    for event in events:
        generated.add(event, 0)
    return generated


def found(events: Sequence[Code], *where: tuple[int, int]) -> list[int]:
    """Return the index of the function at each address and time."""
    addresses, times = (np.array(column, np.uint64) for column in zip(*where))
    return list(made(events).find(addresses, times))


def test_kernel_code_is_found_from_start_to_end() -> None:
    where = [(address, 5) for address in (99, 100, 199, 200)]
    assert found([code(5, 100, 200)], *where) == [-1, 0, 0, -1]


def test_kernel_code_is_not_found_earlier() -> None:
    assert found([code(5, 100, 200)], (100, 4), (100, 5)) == [-1, 0]


def test_freed_code_is_found_until_address_is_reused() -> None:
    events = [code(1, 100, 200), code(5, 100, 200, gone=True), code(9, 150, 300)]
    where = (150, 4), (150, 6), (150, 9), (149, 9)
    assert found(events, *where) == [0, 1, 2, 1]


def test_code_that_is_older_than_the_recording_is_found() -> None:
    events = [code(5, 100, 200, gone=True), code(6, 100, 150, gone=True)]
    assert found(events, (100, 0), (199, 0), (100, 7)) == [0, 0, 1]


def test_events_that_are_not_in_order_are_found() -> None:
    events = [code(9, 100, 200), code(5, 100, 200)]
    assert found(events, (100, 8), (100, 9)) == [1, 0]


def test_code_is_found_at_the_ends_of_the_address_space() -> None:
    last = (1 << 64) - 1
    events = [code(last, 0, 10, gone=True), code(0, last - 1, last)]
    assert found(events, (0, 0), (9, last), (10, 5), (last - 1, 0)) == [0, 0, -1, 1]
    assert found(events, (last, last), (last - 2, last)) == [-1, -1]


def test_trampoline_does_not_hide_programs_behind_it() -> None:
    events = [code(1, 0x400, 0x500), trampoline(5, 0x100), trampoline(6, 0x100, True)]
    where = (0x4FF, 4), (0x4FF, 5), (0x4FF, 6), (0x3FF, 4), (0x3FF, 5), (0x3FF, 6)
    assert found(events, *where) == [0, 0, 0, -1, 1, 2]


def test_trampoline_does_not_hide_older_program_behind_it() -> None:
    events = [trampoline(5, 0x100, True), code(6, 0x400, 0x500, gone=True)]
    assert found(events, (0x4FF, 4), (0x4FF, 5), (0x4FF, 6)) == [1, 1, 1]
    # The trampoline existed before the program was freed, so it did not replace it.
    assert found(events[::-1], (0x4FF, 5), (0x4FF, 6)) == [0, 0]
    late = [code(3, 0x400, 0x500, gone=True), trampoline(5, 0x100, True)]
    assert found(late, (0x4FF, 4)) == [0]


def test_trampoline_replaces_freed_program() -> None:
    events = [code(1, 0x140, 0x500), code(2, 0x140, 0x500, gone=True)]
    events.append(trampoline(5, 0x100))
    assert found(events, (0x180, 1), (0x180, 4), (0x180, 5)) == [0, 1, 2]


def test_trampoline_ends_at_next_trampoline() -> None:
    events = [trampoline(5, 0x600), trampoline(7, 0x100), trampoline(8, 0x100, True)]
    where = (0x5FF, 7), (0x600, 6), (0x600, 7), (0x10FF, 8)
    assert found(events, *where) == [1, 0, 0, 0]


def test_trampoline_ends_at_next_older_function() -> None:
    start = 1 << 63
    program, freed = start + 4096, start + 32
    symbols = (start, freed, start + 64, program + 64)
    lines = [f"{at:x} t f\t[bpf]\n" for at in symbols]
    events = [
        *(code(2, freed, freed + 1, gone=True), trampoline(6, start)),
        code(7, program, program + 128),
    ]
    generated = made(events, KernelSymbols("".join(lines).encode(), 0))
    addresses = [start + 63, start + 64, program + 63, program + 64]
    # perf records the correct size of a program.
    assert generated.find(np.array(addresses, np.uint64)).tolist() == [1, -1, 2, 2]


def expected(events: Sequence[Code], address: int, time: int) -> int:
    """Find one address without arrays."""
    order = sorted(range(len(events)), key=lambda index: events[index].time)
    here = [i for i in order if events[i].start <= address < events[i].end]
    before = [i for i in here if events[i].time <= time]
    after = [i for i in here[len(before) :][:1] if events[i].gone]
    return [-1, *after, *before[-1:]][-1]


def test_random_code_is_found() -> None:
    source = random.Random(1)
    for size in (1, 2, 5, 50):
        events = []
        for _ in range(size):
            start, time = source.randrange(30), source.randrange(20)
            end = start + source.randrange(1, 12)
            events.append(code(time, start, end, source.random() < 0.5))
        where = [(address, time) for address in range(45) for time in range(22)]
        assert found(events, *where) == [expected(events, *one) for one in where]


def test_kernel_code_has_name_and_object() -> None:
    generated = made([code(1, 100, 200), code(2, 300, 400, bpf=False)])
    assert generated.symbol(0) == ("bpf_prog_100_200_1", "[bpf]", 100)
    assert generated.symbol(1) == ("bpf_prog_300_400_2", "[kernel]", 300)


@pytest.mark.parametrize(
    "name,where",
    [
        ("kprobe_insn_page", "[__builtin__kprobes]"),
        ("kprobe_optinsn_page", "[__builtin__kprobes]"),
        ("ftrace_trampoline", "[__builtin__ftrace]"),
    ],
)
def test_code_has_the_object_that_kallsyms_shows(name: str, where: str) -> None:
    event = Code(1, 100, 200, name, bpf=False, gone=False)
    assert made([event]).symbol(0) == (name, where, 100)


def test_added_code_is_found_after_a_search() -> None:
    generated = made([code(1, 100, 200)])
    where = np.array([150], np.uint64), np.array([5], np.uint64)
    assert generated.find(*where).tolist() == [0]
    generated.add(code(2, 150, 160), 0)
    assert generated.find(*where).tolist() == [1]


def test_kernel_code_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kallsyms, "MAX_CODE", 2)
    generated = made([code(1, 100, 200), code(2, 100, 200)])
    with pytest.raises(PfmParseError, match="more than 2 functions"):
        generated.add(code(3, 100, 200), 7)


def test_old_kernel_code_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kallsyms, "MAX_CODE", 32)
    events = [
        *(code(0, 10, 20), code(1, 20, 30), code(2, 20, 30, gone=True)),
        *(code(3, 30, 40), code(4, 30, 40), code(5, 40, 50), code(6, 50, 60)),
    ]
    generated = made(events)
    where = np.array([10, 20, 30, 40, 50], np.uint64), np.full(5, 9, np.uint64)
    for expected_now in ([0, 2, 4, 5, 6], [0, -1, 1, 2, 3], [0, -1, 1, 2, 3]):
        assert generated.find(*where).tolist() == expected_now
        generated.forget()
