# SPDX-License-Identifier: MIT OR GPL-2.0
"""The flight format: the last samples before a trigger event, in a sink."""

from __future__ import annotations

from ..capture.session import Session
from ..layout import struct_dtype
from .decoding import Format
from .samples import Samples
from .sink import Records, pmd_groups, sink_decoder

UUID = "b9d0cd6e-d66e-486b-aa83-880009473ebf"
VERSION = 1 << 16

ARG = struct_dtype(
    48,
    [
        ("buf_size", "<u8", 0),  # bytes
        ("num_regions", "<u4", 8),
        ("flags", "<u4", 12),
        ("above", "<u8", 16),
        ("within", "<u8", 24),  # ns
        ("after", "<u2", 32),  # samples
        ("pmd", "<u2", 34),
        ("minus", "<u2", 36),
        ("marker", "<u2", 38),
        ("keep", "<u8", 40),  # samples
    ],
)

# pfm_flight_record_t
RECORD = struct_dtype(
    32,
    [
        ("tstamp", "<u8", 0),  # ns
        ("ip", "<u8", 8),
        ("tid", "<u4", 16),
        ("tgid", "<u4", 20),
        ("ovfl_pmd", "<u2", 24),
        ("cpu", "<u2", 26),
        ("set", "<u2", 28),
        ("num_pmds", "<u2", 30),  # values after the record
    ],
)
COLUMNS = ("tstamp", "ip", "tid", "tgid", "ovfl_pmd", "cpu", "set")


def read(records: Records, session: Session) -> Samples:
    """Returns records as samples, with PMD values."""
    heads, behind = records.walk(RECORD, lambda heads: heads["num_pmds"])
    found = tuple(pmd_groups(records, session, heads, behind))
    return Samples.of_records(heads[list(COLUMNS)], groups=found)


FORMATS = (
    Format(
        name="flight",
        uuid=UUID,
        decoder=sink_decoder(read, VERSION),
        dtypes={"argument": ARG, "record": RECORD},
        joined=True,
    ),
)
