# SPDX-License-Identifier: MIT OR GPL-2.0
"""Print, as JSON, what sums() finds in each export to Parquet.

Usage: read_parquet.py FILE...
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from typing import Any

from pyarrow import parquet  # type: ignore[import]


def sums(path: str) -> dict[str, Any]:
    """Read an export with --weight period.

    Return its sums of samples and of periods by function, its number of rows by stack,
    and its first row.
    """
    samples, periods = Counter[str](), Counter[str]()
    rows = parquet.read_table(path).to_pylist()
    for row in rows:
        name = row["function"] or row["object"]
        samples[name] += row["count"]
        periods[name] += row["weight"]
        assert row["period"] == row["weight"] // row["count"]
    stacks = Counter(row["stack"] for row in rows if row["stack"])
    return {"samples": samples, "periods": periods, "stacks": stacks, "row": rows[0]}


print(json.dumps({path: sums(path) for path in sys.argv[1:]}))
