# SPDX-License-Identifier: MIT OR GPL-2.0
"""Collects buffers of one context, so that small ones are decoded together."""

from __future__ import annotations

from typing import Iterable, Iterator

from .buffers import Buffers

ENOUGH = 1 << 20  # bytes of a context's buffers that are passed on together
MOST = 32 << 20  # bytes of buffers of all contexts that are held back, at most


def gather(groups: Iterable[Iterable[Buffers]]) -> Iterator[list[Buffers]]:
    """Yields the buffers in lists, each of one context and epoch.

    The buffers of a context stay in order. All buffers before an unreadable one come
    before all buffers after it.
    """
    waiting: dict[int, list[Buffers]] = {}
    sizes: dict[int, int] = {}
    since = (0, 0)
    for group in groups:
        for run in group:
            context, now = run.context, (run.epoch, run.unread)
            if now != since or sum(sizes.values()) > MOST:
                yield from waiting.values()
                waiting, sizes, since = {}, {}, now
            waiting.setdefault(context, []).append(run)
            sizes[context] = sizes.get(context, 0) + int(run.sizes.sum())
            if sizes[context] >= ENOUGH:
                yield waiting.pop(context)
                del sizes[context]
    yield from waiting.values()
