# SPDX-License-Identifier: MIT OR GPL-2.0
"""A session template, for raw buffers without a session."""

from __future__ import annotations

import json
import os
import time

from .session import SESSION_VERSION

PERIOD = 1000  # the PMD overflows after this number of events


def session_template(uuid: str, name: str = "", arg: bytes = b"") -> bytes:
    """Returns the JSON of a SESS chunk with one context and one sampling PMD, PMD 0.

    ``arg`` is the format's argument. The session's machine is this machine.
    """
    machine, reset = os.uname(), (1 << 64) - PERIOD
    page_size = os.sysconf("SC_PAGE_SIZE")
    pmd = {
        "num": 0,
        "event": "event",
        "value": reset,
        "long_reset": reset,
        "short_reset": reset,
        "random_mask": 0,
        "random_seed": 0,
        "sampling": True,
        "notify": True,
        "smpl_pmds": [],
        "reset_pmds": [],
        "eventid": 0,
    }
    session = {
        "version": SESSION_VERSION,
        "tool": "pfmparse session-template",
        "command": None,
        "mode": "thread",
        "start_ns": time.time_ns(),
        "machine": {
            "arch": machine.machine,
            "release": machine.release,
            "cpus": os.cpu_count() or 1,
            "page_size": page_size,
            "pmu": None,
        },
        "format": {"name": name, "uuid": uuid, "arg": arg.hex()},
        "contexts": [{"id": 0, "tid": None, "cpu": None, "buf_size": page_size}],
        "sets": [{"id": 0, "pmcs": [], "pmds": [pmd]}],
    }
    return json.dumps(session, indent=2).encode() + b"\n"
