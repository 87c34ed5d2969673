# SPDX-License-Identifier: MIT OR GPL-2.0
"""What a column of samples means, whatever its format calls it."""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """What a column means. The value is its key for ``report --by``.

    Columns of the ``usual`` names have the role unless another column is said to have
    it, or the column another role; the first one that there is.
    """

    # Where it happened: an address, or an offset in FILE.
    ADDRESS = "address", "event_ip", "ip"
    # Of the data that the instruction used.
    DATA_ADDRESS = "data-address", "dla"
    # Where these came from: union perf_mem_data_src.
    DATA_SOURCE = "data-source", "dse"
    # Until they came, in cycles.
    LATENCY = "latency", "lat"
    # How many samples this one stands for.
    WEIGHT = "weight", "weight"
    PROCESS = "process", "tgid"
    THREAD = "thread", "tid", "pid"
    CPU = "cpu", "cpu"
    # In ns, of the clock that the kernel stamps samples with.
    TIME = "time", "tstamp"
    # Whose overflow it was, in which event set, and its eventid.
    PMD = "pmd", "ovfl_pmd"
    SET = "set", "set"
    EVENT = "event", "event"
    # Events from the reset before the overflow to the overflow.
    PERIOD = "period", "period"
    # 0 at user level.
    KERNEL = "kernel", "kernel"
    # Cookie of the file that ADDRESS is in; 0: of none.
    FILE = "file", "cookie"

    usual: tuple[str, ...]

    def __new__(cls, key: str, *usual: str) -> Role:
        """A role, whose value is its key alone."""
        role = object.__new__(cls)
        role._value_ = key
        role.usual = usual
        return role
