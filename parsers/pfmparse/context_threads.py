# SPDX-License-Identifier: MIT OR GPL-2.0
"""Adds thread and process columns to samples whose format does not record them."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Mapping, Optional

import numpy as np

from .capture.session import Context
from .formats.roles import Role
from .formats.samples import Column, Lazy, Samples

THREAD, PROCESS = "context_tid", "context_tgid"  # columns that are added


class ContextThreads:
    """The threads of a session's contexts."""

    def __init__(self, contexts: Mapping[int, Context]) -> None:
        self._contexts = contexts

    @classmethod
    def of(
        cls, mode: str, contexts: Mapping[int, Context], complete: bool
    ) -> Optional[ContextThreads]:
        """Returns None if the samples need no columns to identify their thread.

        They need none in other modes than per-thread, nor with a single context. If the
        contexts are not ``complete``, more may follow in the capture.
        """
        if mode != "thread" or (complete and len(contexts) < 2):
            return None
        return cls(contexts)

    def tell(self, samples: Samples, context: int) -> Samples:
        """Adds the context's thread and process to samples that lack them."""
        known = self._contexts.get(context)
        if known is None:
            return samples
        for role, name, number in (
            (Role.THREAD, THREAD, known.tid),
            (Role.PROCESS, PROCESS, known.tgid),
        ):
            if number is not None and samples.name_of(role) is None:
                samples = _with(samples, role, name, number)
        return samples


def _with(samples: Samples, role: Role, name: str, number: int) -> Samples:
    """Adds a derived column, which has the same number for all samples."""

    def column() -> Column:
        return np.full(samples.count, number, np.uint32)

    there = {each: partial(samples.column, each) for each in samples.derived}
    derived = Lazy({**there, name: column})
    return replace(samples, derived=derived, roles={**samples.roles, role: name})
