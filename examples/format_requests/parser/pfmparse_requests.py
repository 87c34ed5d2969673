# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table of sums by request (perfmon_requests_smpl.h)."""

import pfmparse as pfm

ARGUMENT = pfm.struct_dtype(
    24,
    [
        ("buf_size", "<u8", 0),
        ("num_regions", "<u4", 8),
        ("flags", "<u4", 12),
        ("id", "<u4", 16),
        ("pmd", "<u4", 20),
    ],
)
RECORD = pfm.struct_dtype(
    48,
    [
        ("request", "<u8", 0),
        ("tid", "<u4", 8),
        ("ovfl_pmd", "<u4", 12),
        ("count", "<u8", 16),
        ("sum", "<u8", 24),
        ("min", "<u8", 32),
        ("max", "<u8", 40),
    ],
)
ROLES: pfm.Roles = {
    pfm.Role.WEIGHT: "count",
    pfm.Role.SUM: {"value": "sum"},
    pfm.Role.MIN: {"value": "min"},
    pfm.Role.MAX: {"value": "max"},
}


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the rows of the table."""
    return pfm.Samples.of_records(records.fixed(RECORD), roles=ROLES)


FORMAT = pfm.Format(
    name="requests",
    uuid="1d10eef8-1fbc-4564-9e06-fad520385487",
    decoder=pfm.sink_decoder(read, version=1 << 16, rising=True),
    dtypes={"argument": ARGUMENT, "record": RECORD},
)
