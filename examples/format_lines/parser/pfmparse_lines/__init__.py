# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table of latencies by cache line (perfmon_lines_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_lines_smpl.h")
ARGUMENT = pfm.header_struct(HEADER, "pfm_lines_smpl_arg_t")
RECORD = pfm.header_struct(HEADER, "pfm_lines_record_t")
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
