# SPDX-License-Identifier: MIT OR GPL-2.0
"""Decodes the records of an example format with a sink (perfmon_mini_smpl.h)."""

from pathlib import Path

import pfmparse as pfm

HEADER = Path(__file__).with_name("perfmon_mini_smpl.h")
RECORD = pfm.header_struct(HEADER, "pfm_mini_record_t")


def read(records: pfm.Records, session: pfm.Session) -> pfm.Samples:
    """Return the samples; each record is followed by PMD values."""
    heads, behind = records.walk(RECORD, lambda heads: heads["num_pmds"])
    _, values = records.words(behind, heads["num_pmds"])
    columns = {"ip": heads["ip"], "tid": heads["tid"]}
    # A record does not contain the numbers of its PMDs. The session has a list of them
    # for each sampling PMD. The record's list is known only if all lists are equal.
    lists = {p.smpl_pmds for s in session.sets for p in s.pmds if p.sampling}
    pmds = lists.pop() if len(lists) == 1 else ()
    if (heads["num_pmds"] != len(pmds)).any():
        return pfm.Samples(heads.size, columns)
    group = pfm.PmdGroup(slice(None), pmds, values.reshape(heads.size, len(pmds)))
    return pfm.Samples(heads.size, columns, (group,))


FORMAT = pfm.Format(
    name="mini",
    uuid="31a25ba0-2564-439a-9d56-4965f97e6f23",
    decoder=pfm.sink_decoder(read, version=1 << 16),
    dtypes={"argument": pfm.SINK_ARGUMENT, "record": RECORD},
)
