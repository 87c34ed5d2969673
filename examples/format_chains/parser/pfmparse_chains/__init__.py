# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the table of user stacks (perfmon_chains_smpl.h)."""

from pathlib import Path

import numpy as np
import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_chains_smpl.h")
RECORD = pfm.header_struct(HEADER, "pfm_chains_record_t")


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the rows of the table, with their call chains."""
    rows = records.fixed(RECORD)
    callers = rows["chain"][:, 1:]
    lengths = np.clip(rows["num_chain"], 1, 1 + callers.shape[1]) - 1
    columns = {name: rows[name] for name in ("event", "tgid", "count")}
    return pfm.Samples(
        rows.size,
        {**columns, "ip": rows["chain"][:, 0]},
        roles={pfm.Role.WEIGHT: "count"},
        chains=pfm.Chains.of_table(callers, lengths),
    )


FORMAT = pfm.Format(
    name="chains",
    uuid="ef2932b6-b526-4dd0-b40c-e7d071a0d11a",
    decoder=pfm.sink_decoder(read, version=1 << 16, rising=True),
    dtypes={"argument": pfm.SINK_ARGUMENT, "record": RECORD},
)
