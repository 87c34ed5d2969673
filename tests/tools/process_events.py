# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the events in PROC chunks (docs/capture.md)."""

from __future__ import annotations

import struct
from typing import Any

KINDS = {1: "fork", 2: "exec", 3: "name", 4: "map", 5: "code"}


def events_of(payload: bytes) -> list[dict[str, Any]]:
    """Return the events of a chunk."""
    found = []
    while payload:
        size, kind, time, tgid, tid = struct.unpack_from("<IIQII", payload)
        event = {"what": KINDS[kind], "time_ns": time, "tgid": tgid, "tid": tid}
        found.append(event | _rest(KINDS[kind], payload[24:size]))
        payload = payload[size:]
    return found


def _rest(what: str, data: bytes) -> dict[str, Any]:
    if what == "fork":
        ppid, ptid = struct.unpack("<II", data)
        return {"ppid": ppid, "ptid": ptid}
    if what == "map":
        return _map(data)
    if what == "code":
        start, end, kind, flags = struct.unpack_from("<QQII", data)
        name = data[24:].split(b"\0")[0]
        return {"start": start, "end": end, "type": kind, "flags": flags, "name": name}
    names = ("comm", "cgroup") if what == "exec" else ("comm",)
    return dict(zip(names, data.split(b"\0")))


def _map(data: bytes) -> dict[str, Any]:
    start, end, offset, prot, id_size, size, mtime = struct.unpack_from(
        "<QQQIIQQ", data
    )
    path, go_build_id, *_ = data[48 + id_size :].split(b"\0")
    return {
        "start": start,
        "end": end,
        "offset": offset,
        "prot": prot,
        "build_id": data[48 : 48 + id_size].hex(),
        "state": (size, mtime, go_build_id),
        "path": path,
    }
