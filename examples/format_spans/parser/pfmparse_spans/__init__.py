# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table of times between events (perfmon_spans_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_spans_smpl.h")
RECORD = pfm.header_struct(HEADER, "pfm_spans_record_t")
ROLES: pfm.Roles = {
    pfm.Role.WEIGHT: "count",
    pfm.Role.SUM: {"span": "sum"},
    pfm.Role.MAX: {"span": "max"},
}


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the rows of the table."""
    return pfm.Samples.of_records(records.fixed(RECORD), roles=ROLES)


FORMAT = pfm.Format(
    name="spans",
    uuid="79906c52-77d4-4446-88a6-f065347460db",
    decoder=pfm.sink_decoder(read, version=1 << 16, rising=True),
    dtypes={"argument": pfm.SINK_ARGUMENT, "record": RECORD},
)
