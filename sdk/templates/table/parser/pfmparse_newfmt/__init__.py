# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the counts of newfmt (perfmon_newfmt_smpl.h).

Copyright YEAR AUTHOR
"""

from pathlib import Path

import pfmparse as pfm

VERSION = 1 << 16
HEADER = Path(__file__).with_name("perfmon_newfmt_smpl.h")
ARGUMENT = pfm.header_struct(HEADER, "pfm_newfmt_arg_t")
RECORD = pfm.header_struct(HEADER, "pfm_newfmt_record_t")
ROLES: pfm.Roles = {
    pfm.Role.WEIGHT: "count",
}


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the samples of records; a record counts the samples of its key."""
    rows = records.fixed(RECORD)
    return pfm.Samples(rows.size, pfm.record_columns(rows), roles=ROLES)


FORMAT = pfm.Format(
    name="newfmt",
    uuid="00000000-0000-0000-0000-000000000000",
    decoder=pfm.sink_decoder(read, version=VERSION, rising=True),
    dtypes={"argument": ARGUMENT, "record": RECORD},
)
