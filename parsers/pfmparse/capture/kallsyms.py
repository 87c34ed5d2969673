# SPDX-License-Identifier: MIT OR GPL-2.0
"""Kernel symbols: the text of /proc/kallsyms (KSYM chunk), and later changes."""

from __future__ import annotations

import re
from itertools import compress, groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Iterator, NamedTuple, Optional, Union

import numpy as np

from ..errors import PfmParseError
from ..layout import KERNEL_START
from .json_node import U64_MAX
from .overlaps import NONE, Ids, Overlaps, U64s

if TYPE_CHECKING:
    from .process_events import Code

KERNEL = "[kernel]"
# The objects of generated functions, as in /proc/kallsyms.
BPF, BUILTIN = "[bpf]", "[__builtin__"
PROGRAM = "bpf_prog_"  # the beginning of the names of BPF programs
MAX_SYMBOLS = 1 << 20  # lines of /proc/kallsyms
MAX_CODE = 1 << 18  # functions that the kernel generated or freed

# The assumed maximum size of a function. If the closest symbol before an address is
# further away, the function at the address is unknown.
MAX_FUNCTION = 64 * 1024

_LINE = re.compile(r"([0-9a-f]+) (\S) (\S+)(?:[ \t]+(\[\S+\]))?")
_TEXT_TYPES = "tTwW"

# The objects of code other than BPF, as in /proc/kallsyms.
_OBJECTS = {
    "kprobe_insn_page": "[__builtin__kprobes]",
    "kprobe_optinsn_page": "[__builtin__kprobes]",
    "ftrace_trampoline": "[__builtin__ftrace]",
}


class KernelSymbol(NamedTuple):
    """The name, object and address of a function; other symbols have the name ""."""

    name: str
    object: str
    start: int


_START = attrgetter("start")

NO_SYMBOL = KernelSymbol("", KERNEL, 0)


class KernelSymbols:
    """Functions of the kernel and its modules, by address."""

    def __init__(
        self, text: bytes, offset: int, earlier: Optional[KernelSymbols] = None
    ) -> None:
        """Parses the text, which starts at byte ``offset`` of the file.

        With ``earlier`` symbols, adds to them the symbols of modules in the text.
        """
        known = 0 if earlier is None else earlier.starts.size
        if text.count(b"\n") + known > MAX_SYMBOLS:
            raise PfmParseError(f"more than {MAX_SYMBOLS} kernel symbols", offset)
        symbols = _parse(text, offset)
        if earlier is not None:
            symbols = earlier._with_modules(symbols)
        self._symbols = symbols
        self._starts = np.array([symbol.start for symbol in self._symbols], np.uint64)

    def _with_modules(self, later: list[KernelSymbol]) -> list[KernelSymbol]:
        """Adds modules' symbols, and removes older ones from the modules' memory."""
        keep = np.ones(len(self._symbols), np.bool_)
        added: list[KernelSymbol] = []
        for where, group in groupby(later, attrgetter("object")):
            if where not in (KERNEL, BPF) and not where.startswith(BUILTIN):
                symbols = list(group)
                begin = self._starts.searchsorted(np.uint64(symbols[0].start))
                last = np.uint64(symbols[-1].start)
                end = self._starts.searchsorted(last, side="right")
                keep[int(begin) : int(end)] = False
                added += symbols
        return sorted([*compress(self._symbols, keep), *added], key=_START)

    def all(self) -> Iterator[KernelSymbol]:
        """Returns all symbols by address; those other than functions have no name."""
        return iter(self._symbols)

    @property
    def starts(self) -> U64s:
        """The addresses of all symbols, in ascending order."""
        return self._starts

    def find(self, addresses: U64s) -> list[KernelSymbol]:
        """Returns the function of each address, or NO_SYMBOL."""
        found = np.searchsorted(self._starts, addresses, side="right") - 1
        near = found >= 0
        near[near] = addresses[near] - self._starts[found[near]] < MAX_FUNCTION
        return [
            self._symbols[at] if ok else NO_SYMBOL
            for at, ok in zip(found.tolist(), near.tolist())
        ]


def _parse(text: bytes, offset: int) -> list[KernelSymbol]:
    """Returns the symbols in the text by address, one for each address."""
    # The address, and further sort keys for several names of the same address.
    symbols: list[tuple[int, bool, bool, int, str, str]] = []
    for number, line in enumerate(text.decode(errors="replace").split("\n"), 1):
        if not line:
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            problem = f"kernel symbols, line {number}: not a symbol"
            raise PfmParseError(problem, offset)
        address, kind, name, module = match.groups()
        start = int(address, 16)
        if KERNEL_START <= start < 1 << 64:
            local, alias = kind.islower(), name.startswith("_")
            shown = name if kind in _TEXT_TYPES else ""
            where = module or KERNEL
            symbols.append((start, local, alias, number, shown, where))
    symbols.sort(reverse=True)
    known = {
        start: KernelSymbol(shown, where, start) for start, *_, shown, where in symbols
    }
    return list(reversed(known.values()))


class KernelCode:
    """Functions that the kernel generated or freed during the recording."""

    def __init__(self, symbols: Optional[KernelSymbols] = None) -> None:
        """``symbols`` have the functions that are older than the recording."""
        self._older = np.empty(0, np.uint64) if symbols is None else symbols.starts
        self._events: list[Code] = []
        self._ranks: Optional[_Ranks] = None

    def add(self, event: Code, offset: int) -> None:
        """Adds an event of a chunk that starts at byte ``offset`` of the file."""
        if len(self._events) == MAX_CODE:
            raise PfmParseError(f"more than {MAX_CODE} functions of the kernel", offset)
        self._events.append(event)
        self._ranks = None

    def forget(self) -> None:
        """Forgets old events if there are many, and changes indices.

        Keeps the last event of each function that the kernel has not freed.
        """
        if len(self._events) > MAX_CODE // 8:
            old = len(self._events) - MAX_CODE // 16
            last = {(event.start, event.end): event for event in self._events[:old]}
            self._events[:old] = [event for event in last.values() if not event.gone]
            self._ranks = None

    def find(self, addresses: U64s, times: Optional[U64s] = None) -> Ids:
        """Returns the index of the function at each address and time, or NONE.

        Without ``times``, this is the last function at the address. A function may
        still run when the kernel is about to free it, so it is found until another
        function has the address. It is found at all earlier times if the recording
        began after the kernel generated it. Both arrays have shape (n,).
        """
        if self._ranks is None:
            self._ranks = _Ranks(self._events, self._older)
        return self._ranks.find(addresses, times)

    def symbol(self, index: int) -> KernelSymbol:
        """Returns a function by its index."""
        event = self._events[index]
        where = BPF if event.bpf else _OBJECTS.get(event.name, KERNEL)
        return KernelSymbol(event.name, where, event.start)


class _Ranks:
    """Events in order of their times; an event's index in this order is its rank."""

    def __init__(self, events: list[Code], older: U64s) -> None:
        """``older`` are the sorted starts of functions before the recording."""
        times = np.array([event.time for event in events], np.uint64)
        self._order = order = np.argsort(times, kind="stable")
        self._times = times[order]
        self._gone = np.array([event.gone for event in events])[order]
        starts, ends = (
            np.array(column, np.uint64)[order]
            for column in zip(*((event.start, event.end) for event in events))
        )
        long = np.array([_may_be_too_long(event) for event in events])[order]
        # Functions without events were not freed.
        for others in (np.sort(starts[long]), np.setdiff1d(older, starts)):
            ends[long] = np.minimum(ends[long], _following(starts[long], others))
        self._exact, self._long = (
            (np.flatnonzero(which), Overlaps(starts[which], ends[which]))
            for which in (~long, long)
        )

    def find(self, addresses: U64s, times: Optional[U64s]) -> Ids:
        """Returns the index of the event that applies to each address, or NONE."""
        limits: Union[int, Ids] = self._times.size
        if times is not None:
            limits = np.searchsorted(self._times, times, side="right")
        exact, long = (
            self._last(*which, addresses, limits) for which in (self._exact, self._long)
        )
        freed = self._gone[exact] & (exact < long) & (long < limits)
        ranks: Ids = np.where((exact == NONE) | freed, long, exact)
        return np.append(self._order, NONE)[ranks]

    def _last(
        self, ranks: Ids, ranges: Overlaps, addresses: U64s, limits: Union[int, Ids]
    ) -> Ids:
        """Returns the last event up to each limit whose range has the address.

        If all of these events are later, the first one applies only if it frees the
        function, which thus existed before.
        """
        found = ranges.last(addresses, np.searchsorted(ranks, limits))
        last: Ids = np.append(ranks, NONE)[found]
        last[(last >= limits) & ~self._gone[last]] = NONE
        return last


def _may_be_too_long(event: Code) -> bool:
    """Returns whether the function may end earlier than the event says.

    perf records 4096 bytes for each trampoline. It records the correct sizes of BPF
    programs, whose names begin with PROGRAM.
    """
    return event.bpf and not event.name.startswith(PROGRAM)


def _following(starts: U64s, others: U64s) -> U64s:
    """Returns the first of the sorted ``others`` after each start, or U64_MAX."""
    following = np.searchsorted(others, starts, side="right")
    return np.append(others, np.uint64(U64_MAX))[following]
