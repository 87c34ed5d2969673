# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table with a count for each cgroup (perfmon_cgroups_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_cgroups_smpl.h")
RECORD = pfm.header_struct(HEADER, "pfm_cgroups_record_t")


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the rows of the table."""
    roles = {pfm.Role.WEIGHT: "count"}
    return pfm.Samples.of_records(records.fixed(RECORD), roles=roles)


FORMAT = pfm.Format(
    name="cgroups",
    uuid="949a3d34-f184-4226-9614-223a92bbb268",
    decoder=pfm.sink_decoder(read, version=1 << 16, rising=True),
    dtypes={"argument": pfm.SINK_ARGUMENT, "record": RECORD},
)
