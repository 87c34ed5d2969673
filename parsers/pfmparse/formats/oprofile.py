# SPDX-License-Identifier: MIT OR GPL-2.0
"""The OProfile format: a stream of pairs (offset, event) and escape sequences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Callable, Mapping, Optional

import numpy as np

from ..capture.session import Session
from ..errors import PfmParseError
from ..layout import Data, NDArray
from .chains import Chains
from .decoding import Decoded, Format, Region
from .samples import Column, Lazy, Samples, constant, made_once

# Codes of escape sequences.
CTX_SWITCH = 1
CPU_SWITCH = 2
COOKIE_SWITCH = 3
KERNEL_ENTER = 4
KERNEL_EXIT = 5
CTX_TGID = 7
TRACE_BEGIN = 8
TRACE_END = 9

# The number of words after the code of an escape sequence, by code; -1 for codes that
# are not used. The last element applies to all greater codes.
ARGUMENTS = np.array([-1, 2, 1, 1, 0, 0, -1, 1, 0, 0, -1], np.intp)

MAX_ESCAPE = 2 + ARGUMENTS.max()  # words

UNKNOWN = (1 << 32) - 1  # thread, process or CPU, before an escape sequence has set it

# The columns that escape sequences set: name, code, and index of the word with the
# value.
ESCAPES_SET = (
    ("cpu", CPU_SWITCH, 2),
    ("pid", CTX_SWITCH, 2),
    ("tgid", CTX_TGID, 2),
    ("app_cookie", CTX_SWITCH, 3),
    ("cookie", COOKIE_SWITCH, 2),
)
DTYPES = {"cpu": "<u4", "pid": "<u4", "tgid": "<u4", "kernel": "u1"}

ZERO = np.zeros(1, np.intp)

# The meaning of the next pair: a sample outside of traces, the sample of a trace, or a
# caller in a trace.
NOT_TRACED, SAMPLE_NEXT, CALLERS = 0, 1, 2

# If segments have more pairs than this on average, copying each segment is faster than
# selecting the pairs' words with a mask.
LONG = 32

# The maximum number of words in a trace. The longest traces that perfmon's module for
# this format writes have 326.
LONGEST_TRACE = 1 << 12

Words = NDArray[Any]
Indices = NDArray[np.intp]


@dataclass(frozen=True)
class _Escapes:
    """The escape sequences in some words, and the pairs between them.

    ``at`` has the indices of n escape sequences, ``codes`` has their codes. The n + 1
    segments of pairs are from ``starts`` to ``ends``; the first segment precedes all
    escape sequences.
    """

    at: Indices
    codes: Indices
    starts: Indices
    ends: Indices

    def of(self, *codes: int) -> Indices:
        """Returns the indices of the escape sequences with these codes, ascending."""
        found = self.codes == codes[0]
        for code in codes[1:]:
            found |= self.codes == code
        which: Indices = found.nonzero()[0]
        return which

    def of_traces(self) -> Indices:
        """Returns the indices of the escape sequences that begin or end traces."""
        which: Indices = (self.codes >= TRACE_BEGIN).nonzero()[0]
        return which

    def before(self, index: int) -> _Escapes:
        """Returns the escape sequences before ``index``, and the pairs between them."""
        pairs = slice(index + 1)
        return _Escapes(
            self.at[:index], self.codes[:index], self.starts[pairs], self.ends[pairs]
        )


@dataclass(frozen=True)
class _Walk:
    """The result of the search for escape sequences.

    ``real`` has the indices of those candidates that are escape sequences; ``ends`` is
    the same as in _Escapes. ``cut`` is the index of an incomplete escape sequence at
    the end of the words. ``unknown`` is the index of the first escape sequence with an
    unknown code; ``lost`` is set if no known code follows it.
    """

    real: Indices
    ends: Indices
    cut: Optional[int]
    unknown: Optional[int] = None
    lost: bool = False


class Decoder:
    """Decodes the stream, which may be split between any two words."""

    def __init__(self, session: Session) -> None:
        self._word = np.dtype("<u8" if _has_64_bits(session.machine.arch) else "<u4")
        self._escape = int(np.iinfo(self._word).max)
        self._rest: Words = np.zeros(0, self._word)
        # Before the first escape sequence, pairs cannot be distinguished from
        # arguments.
        self._lost = True
        self._state = {"cpu": UNKNOWN, "pid": UNKNOWN, "tgid": UNKNOWN, "kernel": 0}
        self._state |= {"app_cookie": self._escape, "cookie": self._escape}
        self._trace = NOT_TRACED

    def __call__(self, data: Data) -> Decoded:
        """Returns the samples that the next bytes of the stream complete."""
        size, before = self._word.itemsize, self._rest.size
        new: Words = np.ndarray((len(data) // size,), self._word, data)
        words = np.concatenate([self._rest, new]) if before else new
        problems = []
        if len(data) % size:
            text = f"the stream ends within a word of {size} bytes"
            problems.append(PfmParseError(text, new.nbytes, truncated=True))
        at = np.flatnonzero(words == self._escape)
        if self._lost:
            first = _first_known(words, at)
            words, at = words[first:], at[at >= first] - first
            before -= first
        escapes, unknown = self._find(words, at)
        if unknown is not None:
            text = (
                f"unknown escape {int(words[unknown + 1])}: the stream is skipped "
                "up to the next known escape"
            )
            problems.append(PfmParseError(text, max(0, unknown - before) * size))
        return Decoded((Region(0, self._samples(words, escapes)),), tuple(problems))

    def _find(self, words: Words, at: Indices) -> tuple[_Escapes, Optional[int]]:
        """Returns the escape sequences, and the index of the first unknown one.

        Keeps incomplete data in _rest. ``at`` has the indices of words with the value
        that begins escape sequences, but an argument or an event can also have it.
        """
        codes = _codes(words, at)
        arguments = ARGUMENTS[codes]
        walk = _all_real(words.size, at, arguments)
        if walk is None:
            walk = _walk(words.size, at, arguments)
        at, codes, arguments = at[walk.real], codes[walk.real], arguments[walk.real]
        starts = np.concatenate([ZERO, at + 2 + arguments])
        end = int(walk.ends[-1])
        rest = end - (end - int(starts[-1])) % 2 if walk.cut is None else walk.cut
        self._rest = words[words.size if walk.lost and walk.cut is None else rest :]
        self._rest = self._rest.copy()
        self._lost = walk.lost or (self._lost and walk.real.size == 0)
        escapes = _Escapes(at, codes, starts, walk.ends)
        if walk.unknown is None:
            escapes = self._without_open_trace(words, escapes)
        return escapes, walk.unknown

    def _without_open_trace(self, words: Words, escapes: _Escapes) -> _Escapes:
        """Returns the escape sequences before an incomplete trace.

        Keeps the trace in _rest.
        """
        traces = escapes.of_traces()
        if traces.size == 0 or escapes.codes[traces[-1]] == TRACE_END:
            return escapes
        begin = int(escapes.at[traces[-1]])
        if words.size - begin > LONGEST_TRACE:
            return escapes
        self._rest = words[begin:].copy()
        return escapes.before(int(traces[-1]))

    def _samples(self, words: Words, escapes: _Escapes) -> Samples:
        """Returns the samples; callers in traces become chains."""
        counts = (escapes.ends - escapes.starts) // 2
        offset, event = _both_words(words, escapes, counts)
        states = self._states(words, escapes)
        kept = self._without_callers(escapes, counts)
        segment, chains, count = _Segment(counts, kept), None, int(counts.sum())
        if kept is not None:
            offsets, events = offset(), event()
            chains = _chains(offsets, kept, segment, states)
            offset, event = (lambda: offsets[kept]), (lambda: events[kept])
            count = int(np.count_nonzero(kept))

        def column_of(name: str) -> Callable[[], Column]:
            return lambda: segment.column(states[name], count)

        columns: dict[str, Callable[[], Column]] = {
            "offset": offset,
            "event": event,
            **{name: column_of(name) for name in states},
        }
        derived = {"ip": columns["offset"]}
        return Samples(count, Lazy(columns), derived=Lazy(derived), chains=chains)

    def _states(self, words: Words, escapes: _Escapes) -> Mapping[str, Words]:
        """Returns the state before the first escape sequence and after each one.

        The columns have shape (n + 1,).
        """
        sets: dict[str, tuple[Indices, Words]] = {}
        for name, code, word in ESCAPES_SET:
            which = escapes.of(code)
            sets[name] = which, words[escapes.at[which] + word]
        which = escapes.of(KERNEL_ENTER, KERNEL_EXIT)
        sets["kernel"] = which, escapes.codes[which] == KERNEL_ENTER
        before = dict(self._state)
        for name, (_, values) in sets.items():
            if values.size:
                self._state[name] = int(values[-1])

        def state(name: str) -> Words:
            which, values = sets[name]
            filled = _filled(before[name], which, values, escapes.starts.size)
            return filled.astype(DTYPES.get(name, self._word))

        return made_once(sets, state)

    def _without_callers(
        self, escapes: _Escapes, counts: Indices
    ) -> Optional[NDArray[np.bool_]]:
        """Returns a mask of the pairs that are samples, None if all pairs are.

        ``counts`` has the number of pairs in each segment. The first pair of a trace is
        a sample; the others are its callers.
        """
        which = escapes.of_traces()
        if which.size == 0 and self._trace == NOT_TRACED:
            return None
        begins = escapes.codes[which] == TRACE_BEGIN
        next_is = np.where(begins, SAMPLE_NEXT, NOT_TRACED)
        next_is = np.append(np.intp(self._trace), next_is)
        # Divide the pairs at each TRACE_BEGIN and TRACE_END: the start and end of each
        # part.
        behind = np.cumsum(counts)
        first = np.append(np.intp(0), behind[which])
        end = np.append(first[1:], behind[-1])
        samples = first[(next_is == SAMPLE_NEXT) & (first < end)]
        kept = np.repeat(next_is == NOT_TRACED, end - first)
        kept[samples] = True
        self._trace = int(next_is[-1])
        if self._trace == SAMPLE_NEXT and first[-1] < end[-1]:
            self._trace = CALLERS
        return kept


def _filled(before: int, which: Indices, values: Words, count: int) -> Words:
    """Returns a state before the first escape sequence and after each one.

    It is ``before`` at first. Escape sequences ``which`` set it to ``values``; others
    do not change it.
    """
    filled = np.zeros(count, np.intp)
    filled[which + 1] = np.arange(1, which.size + 1)
    all_values = np.concatenate([np.array([before], np.uint64), values])
    states: Words = all_values[np.maximum.accumulate(filled)]
    return states


class _Segment:
    """The segment of each pair, which is the number of escape sequences before it."""

    def __init__(self, counts: Indices, kept: Optional[NDArray[np.bool_]]) -> None:
        self._counts = counts
        self._kept = kept

    def column(self, values: Words, count: int) -> Column:
        """Returns, for each of ``count`` samples, the value of its segment."""
        used = values[self._counts > 0]
        if used.size and (used == used[0]).all():
            return constant(used[:1], count)
        return values[self.of_samples]

    @cached_property
    def of_pairs(self) -> Indices:
        """The number of escape sequences before each pair; shape (pairs,)."""
        return np.repeat(np.arange(self._counts.size), self._counts)

    @cached_property
    def of_samples(self) -> Indices:
        """The number of escape sequences before each sample; shape (samples,)."""
        return self.of_pairs if self._kept is None else self.of_pairs[self._kept]


def _chains(
    offsets: Words,
    kept: NDArray[np.bool_],
    segment: _Segment,
    states: Mapping[str, Words],
) -> Chains:
    """Returns the callers that follow each sample.

    ``kept`` has an element for each pair: true for a sample, false for a caller.
    """
    samples = np.flatnonzero(kept)
    # Pairs before the first sample are callers of a sample that is missing.
    whose = ~kept
    whose[: samples[0] if samples.size else kept.size] = False
    lengths = np.diff(samples, append=kept.size) - 1
    ends = np.concatenate([np.zeros(1, np.intp), np.cumsum(lengths)])
    behind = segment.of_pairs[whose]
    kernel = states["kernel"][behind] != 0
    before = np.concatenate([np.zeros(1, np.intp), np.cumsum(kernel)])
    files = states["cookie"][behind].astype(np.uint64)
    files[kernel] = 0
    addresses = offsets[whose].astype(np.uint64)
    return Chains(ends, addresses, np.diff(before[ends]), files)


def _both_words(
    words: Words, escapes: _Escapes, counts: Indices
) -> tuple[Callable[[], Words], Callable[[], Words]]:
    """Returns functions that make the first words and the second words of all pairs."""
    used = np.flatnonzero(counts)
    if counts.sum() < LONG * used.size or used.size == 0:
        pairs = words[_in_pairs(words.size, escapes)].reshape(-1, 2)
        return (lambda: pairs[:, 0]), (lambda: pairs[:, 1])
    starts = escapes.starts[used].tolist()
    ends = (escapes.starts + 2 * counts)[used].tolist()
    segments = [words[start:end] for start, end in zip(starts, ends)]

    def one(number: int) -> Words:
        return np.concatenate([segment[number::2] for segment in segments])

    return partial(one, 0), partial(one, 1)


def _in_pairs(size: int, escapes: _Escapes) -> NDArray[np.bool_]:
    """Returns a mask of the words that belong to complete pairs; shape (size,)."""
    # Most words belong to pairs, so it is cheaper to exclude the other words.
    inside = np.ones(size, np.bool_)
    lengths = escapes.starts[1:] - escapes.at
    for word in range(MAX_ESCAPE):
        inside[escapes.at[lengths > word] + word] = False
    # Exclude words between the end of the pairs and the next escape sequence.
    nexts = np.append(escapes.at, size)
    ends = escapes.ends - (escapes.ends - escapes.starts) % 2
    for which in np.flatnonzero(ends < nexts):
        inside[ends[which] : nexts[which]] = False
    return inside


def _codes(words: Words, at: Indices) -> Indices:
    """Returns the codes of escape sequences, as indices of ARGUMENTS."""
    greatest = ARGUMENTS.size - 1
    codes: Words = words[np.minimum(at + 1, words.size - 1)]
    return np.minimum(codes, greatest).astype(np.intp)


def _first_known(words: Words, at: Indices) -> int:
    """Returns the index of the first escape sequence with a known code, or the end.

    If the words end before the code of an escape sequence, it counts as known.
    """
    known = (ARGUMENTS[_codes(words, at)] >= 0) | (at == words.size - 1)
    return int(at[np.argmax(known)]) if known.any() else words.size


def _all_real(size: int, at: Indices, arguments: Indices) -> Optional[_Walk]:
    """Handles the usual case without a loop; returns None in other cases.

    Usually all candidates are escape sequences with known codes.
    """
    behind = at + 2 + arguments
    gaps = at - np.concatenate([ZERO, behind[:-1]])[: at.size]
    if (arguments < 0).any() or (gaps < 0).any() or (gaps % 2).any():
        return None
    if behind.size and behind[-1] > size:
        return _Walk(np.arange(at.size - 1), at, int(at[-1]))
    return _Walk(np.arange(at.size), np.concatenate([at, [size]]), None)


def _walk(size: int, at: Indices, arguments: Indices) -> _Walk:
    """Handles the general case: checks one candidate after the other."""
    real: list[int] = []
    ends: list[int] = []
    behind, lost = 0, False
    cut = unknown = None
    for number, (first, length) in enumerate(zip(at.tolist(), arguments.tolist())):
        if first < behind or (not lost and (first - behind) % 2):
            continue  # an argument, or the event of a pair
        if first + 2 + max(0, length) > size:
            cut = first
            break
        if not lost:
            ends.append(first)
        lost = length < 0
        if lost:
            unknown = first if unknown is None else unknown
            behind = first + 1
        else:
            real.append(number)
            behind = first + 2 + length
    if not lost:
        ends.append(size if cut is None else cut)
    return _Walk(np.array(real, np.intp), np.array(ends, np.intp), cut, unknown, lost)


def _has_64_bits(arch: str) -> bool:
    """Returns whether an architecture, as named by uname, has 64-bit words."""
    return "64" in arch or arch in ("alpha", "s390x")


def _describe_arg(arg: bytes) -> Optional[Mapping[str, object]]:
    """Returns no values, because the format has no argument."""
    return None if arg else {}


FORMATS = (
    Format(
        name="OProfile",
        uuid="777a6e61-2065-7369-746e-722061650a6c",
        decoder=Decoder,
        stream=True,
        describe_arg=_describe_arg,
        joined=True,
    ),
)
