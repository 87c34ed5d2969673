# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export to folded stacks, one per line, which flame graph scripts read."""

from __future__ import annotations

from collections import Counter

from ..analysis.labels import joined, label, plain, several_events
from ..analysis.profile import Profile, Profiler
from ..symbols.location import Detail
from ..text import ESCAPED
from .interface import Export, Job
from .unsupported import noted


def write(job: Job) -> None:
    """Writes ``thread;outermost;...;innermost weight`` lines, sorted.

    ``thread`` is the thread's name. If there are several events, the event precedes it.
    """
    profiler = Profiler(job.weight)
    for source in job.inputs:
        profiler.add(source, noted(job, source))
    with job.path.open("w", encoding="utf-8", errors=ESCAPED) as out:
        out.writelines(f"{text} {sums}\n" for text, sums in _lines(profiler.profile))


def _lines(profile: Profile) -> list[tuple[str, int]]:
    """Returns the stacks and their sums, sorted."""
    frames = [plain(label(frame)) for frame in profile.frames]
    texts: Counter[str] = Counter()
    for (node, below), total in _sums(profile).items():
        if total:
            stack = (frames[at] for at in reversed(profile.numbers(node)))
            texts[joined([*below, *stack])] += total
    return sorted(texts.items())


def _sums(profile: Profile) -> Counter[tuple[int, tuple[str, ...]]]:
    """Returns the weights by stack and line prefix; sums threads with the same name."""
    events = [plain(event) for event in profile.events]
    names = [plain(thread.name) for thread in profile.threads]
    apart = several_events(profile)
    sums: Counter[tuple[int, tuple[str, ...]]] = Counter()
    for row in profile.rows:
        below = (names[row.thread],)
        sums[row.node, (events[row.event], *below) if apart else below] += row.weight
    return sums


EXPORT = Export("folded", "folded stacks", write, Detail.INLINES)
