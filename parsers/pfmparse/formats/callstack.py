# SPDX-License-Identifier: MIT OR GPL-2.0
"""The callstack format: samples with call chains, in a sink."""

from __future__ import annotations

import numpy as np

from ..capture.session import Session
from ..layout import NDArray, struct_dtype
from .decoding import Format
from .samples import Samples
from .sink import Records, has_tables, pmd_groups, sink_decoder

UUID = "bad42f83-abb5-4fb1-bc94-36de0415f7ca"
VERSION = 1 << 16 | 1
WORD = 8  # bytes

# pfm_callstack_smpl_arg_t
ARG = struct_dtype(
    24,
    [
        ("buf_size", "<u8", 0),  # bytes
        ("num_regions", "<u4", 8),
        ("flags", "<u4", 12),
        ("max_depth", "<u4", 16),  # addresses
        ("unwind_fd", "<i4", 20),
    ],
)

# pfm_callstack_record_t
RECORD = struct_dtype(
    40,
    [
        ("tstamp", "<u8", 0),  # ns
        ("ip", "<u8", 8),
        ("tid", "<u4", 16),
        ("tgid", "<u4", 20),
        ("ovfl_pmd", "<u2", 24),
        ("cpu", "<u2", 26),
        ("set", "<u2", 28),
        ("num_pmds", "<u2", 30),
        ("num_kernel", "<u2", 32),
        ("num_user", "<u2", 34),
        ("user_end", "<u2", 36),
        ("user_guessed", "<u2", 38),
    ],
)
COLUMNS = ("tstamp", "ip", "tid", "tgid", "ovfl_pmd", "cpu", "set")
# Columns that samples have if their user call chains were found with unwind tables.
END_COLUMNS = ("user_end", "user_guessed")
# Three arrays of words follow a record. These members have the arrays' lengths, in the
# order of the arrays.
NUMBERS = ("num_pmds", "num_kernel", "num_user")


def read(records: Records, session: Session) -> Samples:
    """Returns records as samples, with call chains and PMD values."""
    heads, behind = records.walk(RECORD, _words)
    columns = [*COLUMNS, *END_COLUMNS] if has_tables(session, ARG) else list(COLUMNS)
    pmds, kernel, user = _numbers(heads)
    return Samples.of_records(
        heads[columns],
        groups=tuple(pmd_groups(records, session, heads, behind)),
        chains=records.chains(behind + WORD * pmds, kernel, user),
    )


def _words(heads: NDArray[np.void]) -> NDArray[np.intp]:
    """Returns the number of words that follow each record; shape (n,)."""
    pmds, kernel, user = _numbers(heads)
    return pmds + kernel + user


def _numbers(heads: NDArray[np.void]) -> list[NDArray[np.intp]]:
    """Returns the lengths of the arrays that follow each record; shapes (n,)."""
    return [heads[name].astype(np.intp) for name in NUMBERS]


FORMATS = (
    Format(
        name="callstack",
        uuid=UUID,
        decoder=sink_decoder(read, VERSION),
        dtypes={"argument": ARG, "record": RECORD},
        joined=True,
    ),
)
