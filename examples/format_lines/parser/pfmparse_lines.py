# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table of latencies by cache line (perfmon_lines_smpl.h)."""

import pfmparse as pfm

ARGUMENT = pfm.struct_dtype(
    24,
    [
        ("buf_size", "<u8", 0),
        ("num_regions", "<u4", 8),
        ("flags", "<u4", 12),
        ("min", "<u8", 16),
    ],
)
RECORD = pfm.struct_dtype(
    40,
    [
        ("line", "<u8", 0),
        ("tid", "<u4", 8),
        ("ovfl_pmd", "<u4", 12),
        ("count", "<u8", 16),
        ("sum", "<u8", 24),
        ("max", "<u8", 32),
    ],
)
ROLES: pfm.Roles = {
    pfm.Role.DATA_ADDRESS: "line",
    pfm.Role.WEIGHT: "count",
    pfm.Role.SUM: {"latency": "sum"},
    pfm.Role.MAX: {"latency": "max"},
}


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the rows of the table."""
    return pfm.Samples.of_records(records.fixed(RECORD), roles=ROLES)


FORMAT = pfm.Format(
    name="lines",
    uuid="5f368392-1b0e-4bfe-b54d-516bb305a490",
    decoder=pfm.sink_decoder(read, version=1 << 16, rising=True),
    dtypes={"argument": ARGUMENT, "record": RECORD},
)
