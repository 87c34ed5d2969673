# SPDX-License-Identifier: MIT OR GPL-2.0
"""PMD values in the words after the records of a sink."""

from __future__ import annotations

from typing import Iterator

import numpy as np

from ..capture.session import Session
from ..layout import NDArray
from .samples import PmdGroup
from .sink import Records


def groups(
    records: Records,
    session: Session,
    heads: NDArray[np.void],
    behind: NDArray[np.intp],
) -> Iterator[PmdGroup]:
    """The PMD values of each kind of sample that has some.

    The values of each record are the words from byte ``behind`` on, shape (n,). The
    session and the fields ``ovfl_pmd``, ``set`` and ``num_pmds`` of ``heads`` determine
    the PMDs.
    """
    keys = heads["set"].astype(np.uint32) << 16 | heads["ovfl_pmd"]
    for event_set in session.sets:
        for pmd in event_set.pmds:
            pmds = pmd.smpl_pmds
            known = (keys == event_set.id << 16 | pmd.num) if pmd.sampling else False
            which = np.flatnonzero(known & (heads["num_pmds"] == len(pmds)))
            if pmds and which.size:
                _, values = records.words(behind[which], heads["num_pmds"][which])
                yield PmdGroup(which, pmds, values.reshape(which.size, len(pmds)))
