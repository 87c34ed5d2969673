# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table of sums by request (perfmon_requests_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_requests_smpl.h")
ARGUMENT = pfm.header_struct(HEADER, "pfm_requests_smpl_arg_t")
RECORD = pfm.header_struct(HEADER, "pfm_requests_record_t")
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
