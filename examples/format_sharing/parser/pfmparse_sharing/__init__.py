# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table of written cache lines (perfmon_sharing_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_sharing_smpl.h")
RECORD = pfm.header_struct(HEADER, "pfm_sharing_record_t")
ROLES: pfm.Roles = {
    pfm.Role.DATA_ADDRESS: "line",
    pfm.Role.WEIGHT: "count",
    pfm.Role.MIN: {"writer": "min_tid", "offset": "min_offset"},
    pfm.Role.MAX: {"writer": "max_tid", "offset": "max_offset"},
}


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the rows of the table."""
    return pfm.Samples.of_records(records.fixed(RECORD), roles=ROLES)


FORMAT = pfm.Format(
    name="sharing",
    uuid="0e114e24-a63c-4dbd-b080-59754600e340",
    decoder=pfm.sink_decoder(read, version=1 << 16, rising=True),
    dtypes={"argument": pfm.SINK_ARGUMENT, "record": RECORD},
)
