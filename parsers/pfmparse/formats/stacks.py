# SPDX-License-Identifier: MIT OR GPL-2.0
"""The stacks format: samples that the kernel counted by call chain, in a sink."""

from __future__ import annotations

import numpy as np

from ..capture.session import Session
from ..layout import NDArray, struct_dtype
from .decoding import Format
from .roles import Role
from .samples import Roles, Samples, record_columns
from .sink import Records, argument_field, has_tables, sink_decoder
from .thread_state import OFF, TRACED

UUID = "d2f2aba2-e8d3-408b-af5f-54ed08df8b1c"
VERSION = 1 << 16

# pfm_stacks_smpl_arg_t
ARG = struct_dtype(
    32,
    [
        ("buf_size", "<u8", 0),  # bytes
        ("num_regions", "<u4", 8),
        ("flags", "<u4", 12),
        ("max_depth", "<u4", 16),  # addresses
        ("unwind_fd", "<i4", 20),
        ("per_thread", "<u4", 24),
        ("clock_pmd", "<u4", 28),
    ],
)

# pfm_stacks_record_t
RECORD = struct_dtype(
    32,
    [
        ("count", "<u8", 0),  # samples
        ("periods", "<u8", 8),
        ("ovfl_pmd", "<u2", 16),
        ("set", "<u2", 18),
        ("tgid", "<u4", 20),
        ("tid", "<u4", 24),
        ("num_kernel", "u1", 28),
        ("num_user", "u1", 29),
        ("user_end", "u1", 30),
        ("user_guessed", "u1", 31),
    ],
)
NUMBERS = ("num_kernel", "num_user")
ENDS = ("user_end", "user_guessed")


def read(records: Records, session: Session) -> Samples:
    """Returns records as samples, whose weights are the records' counts.

    If the argument has a clock_pmd, the records have times off CPU and thread states
    instead of periods and event sets. Stops by a tracer count as 0 ns, because the
    tracer is pfmon itself.
    """
    heads, behind = records.walk(RECORD, _words)
    kernel, user = _numbers(heads)
    without = NUMBERS if has_tables(session, ARG) else (*NUMBERS, *ENDS)
    columns = record_columns(heads, *without)
    per_thread = argument_field(session, ARG, "per_thread")
    if not per_thread and not heads["tid"].any():
        # The kernel has counted the samples of all threads together.
        del columns["tid"]
    sums = {"period": "periods"}
    if argument_field(session, ARG, "clock_pmd"):
        columns["state"], times = columns.pop("set"), columns.pop("periods")
        columns[OFF] = np.where(columns["state"] == TRACED, 0, times)
        sums = {OFF: OFF}
    roles: Roles = {Role.WEIGHT: "count", Role.SUM: sums}
    # Each chain has at least one address, unless the record is damaged.
    own = np.minimum(kernel + user, 1)
    columns["ip"] = np.zeros(heads.size, np.uint64)
    _, columns["ip"][own > 0] = records.words(behind, own)
    return Samples(
        heads.size,
        columns,
        roles=roles,
        chains=records.chains(behind, kernel, user),
    )


def _words(heads: NDArray[np.void]) -> NDArray[np.intp]:
    """Returns the number of words that follow each record; shape (n,)."""
    kernel, user = _numbers(heads)
    return kernel + user


def _numbers(heads: NDArray[np.void]) -> list[NDArray[np.intp]]:
    """Returns how many addresses each chain has in the kernel and in user space."""
    return [heads[name].astype(np.intp) for name in NUMBERS]


FORMATS = (
    Format(
        name="stacks",
        uuid=UUID,
        decoder=sink_decoder(read, VERSION, rising=True),
        dtypes={"argument": ARG, "record": RECORD},
        joined=True,
    ),
)
