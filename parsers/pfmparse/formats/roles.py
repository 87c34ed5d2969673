# SPDX-License-Identifier: MIT OR GPL-2.0
"""The roles of columns, which are independent of the columns' names."""

from __future__ import annotations

from enum import Enum


class Role(Enum):
    """The meaning of a column. The value is the role's key for ``report --by``.

    A role that is not assigned explicitly belongs to the first existing column that has
    one of the ``usual`` names. A column with an explicitly assigned role has no other
    role.

    Columns of the roles in AGGREGATES summarise a quantity of several samples; a role
    can have one column for each quantity.
    """

    #: The address of the sample, or an offset in FILE.
    ADDRESS = "address", "event_ip", "ip"
    #: The address of the accessed data.
    DATA_ADDRESS = "data-address", "dla", "addr"
    #: The source of the data: union perf_mem_data_src.
    DATA_SOURCE = "data-source", "dse", "source"
    #: The latency of the access in cycles.
    LATENCY = "latency", "lat", "latency"
    #: The state of the thread, a letter of ps(1).
    STATE = "state", "state"
    #: The address of the newest branch before the sample.
    BRANCH_FROM = "branch-from", "branch_from"
    #: The target of this branch.
    BRANCH_TO = "branch-to", "branch_to"
    #: Type, prediction and cycles of the branch, as in struct perf_branch_entry.
    BRANCH_FLAGS = "branch-flags", "branch_flags"
    #: The number of samples that this one represents.
    WEIGHT = "weight", "weight"
    #: The process ID.
    PROCESS = "process", "tgid"
    #: The thread ID.
    THREAD = "thread", "tid", "pid"
    #: The number of the CPU.
    CPU = "cpu", "cpu"
    #: The time in ns, in the kernel's clock for time stamps of samples.
    TIME = "time", "tstamp"
    #: The PMD that overflowed.
    PMD = "pmd", "ovfl_pmd"
    #: The event set of that PMD.
    SET = "set", "set"
    #: The ``eventid`` of that PMD in the session.
    EVENT = "event", "event"
    #: The sampling period: events from the last reset to the overflow.
    PERIOD = "period", "period"
    #: Nonzero in the kernel, 0 in user space.
    KERNEL = "kernel", "kernel"
    #: The cookie of the file in which ADDRESS is an offset; 0 for none.
    FILE = "file", "cookie"
    #: The sum of a quantity over the samples that this one represents.
    SUM = "sum"
    #: The least value of a quantity in the samples that this one represents.
    MIN = "min"
    #: The greatest value of a quantity in the samples that this one represents.
    MAX = "max"
    #: A histogram of a quantity: column NAME0 counts zeros, column NAMEi counts values
    #: from 2^(i-1) to 2^i-1. The role's column is called NAME.
    LOG2 = "hist"

    #: The names of columns that have the role.
    usual: tuple[str, ...]

    def __new__(cls, key: str, *usual: str) -> Role:
        """Makes a role, whose value is its key only."""
        role = object.__new__(cls)
        role._value_ = key
        role.usual = usual
        return role


AGGREGATES = (Role.SUM, Role.MIN, Role.MAX, Role.LOG2)
