# SPDX-License-Identifier: MIT OR GPL-2.0
"""Puts buffers of one context together, so that small ones cost no more."""

from __future__ import annotations

from typing import Iterable, Iterator

from .buffers import Buffers

ENOUGH = 1 << 20  # bytes of a context's buffers
MOST = 32 << 20  # bytes of all contexts' buffers that wait for more


def gather(groups: Iterable[Iterable[Buffers]]) -> Iterator[list[Buffers]]:
    """The same buffers in lists, each of one context and epoch.

    Those of a context stay in their order. Buffers behind one that cannot be read
    come after all that are before it.
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
