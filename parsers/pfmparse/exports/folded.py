# SPDX-License-Identifier: MIT OR GPL-2.0
"""Exports to folded stacks: a line per stack, the input of flame graph scripts."""

from __future__ import annotations

from collections import Counter

from ..analysis.labels import joined, label, plain, several_events
from ..analysis.profile import Profile, Profiler
from ..symbols.location import Detail
from .interface import Export, Job
from .unsupported import noted


def write(job: Job) -> None:
    """Writes ``name;outermost;...;innermost weight`` lines, sorted.

    The event comes before the name if there are several.
    """
    profiler = Profiler(job.weight)
    for source in job.inputs:
        profiler.add(source, noted(job, source))
    with job.path.open("w", encoding="utf-8", errors="backslashreplace") as out:
        out.writelines(f"{text} {sums}\n" for text, sums in _lines(profiler.profile))


def _lines(profile: Profile) -> list[tuple[str, int]]:
    """The stacks and their sums, sorted."""
    frames = [plain(label(frame)) for frame in profile.frames]
    texts: Counter[str] = Counter()
    for (node, below), total in _sums(profile).items():
        if total:
            stack = (frames[at] for at in reversed(profile.numbers(node)))
            texts[joined([*below, *stack])] += total
    return sorted(texts.items())


def _sums(profile: Profile) -> Counter[tuple[int, tuple[str, ...]]]:
    """The weights by stack and prefix; threads with the same name are summed."""
    events = [plain(event) for event in profile.events]
    names = [plain(thread.name) for thread in profile.threads]
    apart = several_events(profile)
    sums: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for row in profile.rows:
        below = (names[row.thread],)
        sums[row.node, (events[row.event], *below) if apart else below] += row.weight
    return sums


EXPORT = Export("folded", "folded stacks", write, Detail.INLINES)
