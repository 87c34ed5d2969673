# SPDX-License-Identifier: MIT OR GPL-2.0
"""Sum weights by ID and step of time."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from pfmparse.analysis.step_sums import StepSums

STEP = 7


@pytest.mark.parametrize("unit", (1, 1 << 33))
def test_times_off_cpu_are_in_the_steps_they_cover(unit: int) -> None:
    rng = random.Random(1)
    rows = [tuple(map(rng.randrange, (3, 200, 50))) for _ in range(100)]
    expected = Counter[tuple[int, int]]()
    for number, time, off in rows:
        # The weight also has CPU time, which belongs to the first step.
        expected[number, time // STEP] += unit
        for moment in range(time, time + off):
            expected[number, moment // STEP] += unit
    ids, times, offs = np.array(rows, np.uint64).T * np.uint64(unit)
    sums = StepSums(STEP * unit)
    sums.add(ids // np.uint64(unit), times, offs + np.uint64(unit), offs)
    result = list(zip(*(part.tolist() for part in sums.result())))
    assert len({row[:2] for row in result}) == len(result)
    found = {row[:2]: (row[2] << 32) + row[3] for row in result}
    assert found == expected
