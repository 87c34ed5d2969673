# SPDX-License-Identifier: MIT OR GPL-2.0
"""The histogram format: samples that the kernel counted by key, in a sink."""

from __future__ import annotations

from ..capture.session import Session
from ..layout import struct_dtype
from .decoding import Format
from .roles import Role
from .samples import Samples
from .sink import SINK_ARGUMENT, Records, sink_decoder

UUID = "7e053c7a-52c0-4536-84e9-10d7885f57c9"
VERSION = 1 << 16

# pfm_histogram_record_t
RECORD = struct_dtype(
    24,
    [
        ("ovfl_pmd", "<u2", 0),
        ("set", "<u2", 2),
        ("tgid", "<u4", 4),
        ("ip", "<u8", 8),
        ("count", "<u8", 16),  # samples
    ],
)


def read(records: Records, session: Session) -> Samples:
    """Returns records as samples, whose weights are the records' counts."""
    return Samples.of_records(records.fixed(RECORD), roles={Role.WEIGHT: "count"})


FORMATS = (
    Format(
        name="histogram",
        uuid=UUID,
        decoder=sink_decoder(read, VERSION, rising=True),
        dtypes={"argument": SINK_ARGUMENT, "record": RECORD},
        joined=True,
    ),
)
