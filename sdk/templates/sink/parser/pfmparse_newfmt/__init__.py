# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the records of newfmt (perfmon_newfmt_smpl.h).

Copyright YEAR AUTHOR
"""

from pathlib import Path

import numpy as np
import pfmparse as pfm

VERSION = 1 << 16
HEADER = Path(__file__).with_name("perfmon_newfmt_smpl.h")
ARGUMENT = pfm.header_struct(HEADER, "pfm_newfmt_arg_t")
RECORD = pfm.header_struct(HEADER, "pfm_newfmt_record_t")


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the samples of records; the session tells which PMDs an event records."""
    heads, behind = records.walk(RECORD, lambda heads: heads["num_pmds"])
    pmds = {p.eventid: p.smpl_pmds for s in session.sets for p in s.pmds if p.sampling}
    groups = []
    for event, recorded in pmds.items():
        which = heads["event"] == event
        found = np.flatnonzero(which & (heads["num_pmds"] == len(recorded)))
        _, values = records.words(behind[found], heads["num_pmds"][found])
        shaped = values.reshape(found.size, len(recorded))
        groups.append(pfm.PmdGroup(found, recorded, shaped))
    columns = pfm.record_columns(heads, "num_pmds")
    return pfm.Samples(heads.size, columns, tuple(groups))


FORMAT = pfm.Format(
    name="newfmt",
    uuid="00000000-0000-0000-0000-000000000000",
    decoder=pfm.sink_decoder(read, version=VERSION),
    dtypes={"argument": ARGUMENT, "record": RECORD},
)
