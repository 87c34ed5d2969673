# SPDX-License-Identifier: MIT OR GPL-2.0
"""Output of the info command about the machine and its processes."""

from __future__ import annotations

from dataclasses import asdict
from typing import Optional

from ..capture.session import Cache, Processors
from ..recording import Recording
from ..text import amount

PROC = {
    "unreadable": "could not be read: lost samples, and some files, are unknown",
    "polled": "read during the session: short-lived mappings may be missing",
}
UNITS = ((1 << 20, "MiB"), (1 << 10, "KiB"))


def as_json(recording: Recording) -> dict[str, object]:
    """Returns the members of the JSON object that docs/pfmparse.md describes."""
    source = recording.source
    return {
        "machine": asdict(recording.session.machine),
        "processes": [
            {"tgid": tgid, "comm": comm}
            for tgid, comm in source.maps.processes().items()
        ],
        "process_events": _event_totals(recording),
        "proc": _proc(recording),
        "threads": [vars(thread) for thread in source.threads],
        "jit": [
            {"tgid": process.tgid, "functions": len(process), "cut": process.cut}
            for process in source.jit.processes()
        ],
        "clocks": [vars(moment) for moment in source.clocks.moments],
        "kernel_symbols": source.kernel is not None,
    }


def lines(recording: Recording) -> list[tuple[str, str]]:
    """Returns names and values of the most important items."""
    machine, source = recording.session.machine, recording.source
    pmu = machine.pmu or "unknown PMU"
    cpus = amount(machine.cpus, "CPUs")
    found = [("machine", f"{machine.arch}, {machine.release}, {cpus}, {pmu}")]
    if machine.host is not None:
        found.append(("host", machine.host))
    for kind in machine.processors:
        found.append((f"CPUs {kind.cpus}", _processors(kind)))
    threads = list(source.threads)
    processes = {thread.tgid for thread in threads}
    found.append(
        ("threads", f"{len(threads)} of {amount(len(processes), 'processes')}")
    )
    found += _events(recording)
    proc = _proc(recording)
    if proc is not None:
        found.append(("/proc", PROC.get(proc, proc)))
    for made in source.jit.processes():
        rest = ", and more that were left out" if made.cut else ""
        found.append((f"JIT functions of process {made.tgid}", f"{len(made)}{rest}"))
    return found


def _proc(recording: Recording) -> Optional[str]:
    """Returns how /proc limited the recording; None if it did not."""
    totals = recording.source.totals
    return None if totals is None else totals.proc


def _event_totals(recording: Recording) -> Optional[dict[str, object]]:
    """Returns the totals of perf's process events; None if they are unknown."""
    totals = recording.source.totals
    if totals is None or totals.process_events is None:
        return None
    return asdict(totals.process_events)


def _events(recording: Recording) -> list[tuple[str, str]]:
    """Returns a line about perf's process events, if the session needed them."""
    totals = _event_totals(recording)
    if totals is None:
        return []
    if totals["error"] is not None:
        return [("process events", f"none: {totals['error']}")]
    return [("process events", f"recorded, {totals['lost']} lost")]


def _processors(kind: Processors) -> str:
    """Formats model, frequency and caches."""
    parts = [kind.model or kind.id or "unknown model"]
    if kind.khz is not None:
        parts.append(f"{kind.khz // 1000} MHz")
    return ", ".join([*parts, *map(_cache, kind.caches)])


def _cache(cache: Cache) -> str:
    """Formats level, type and size."""
    kind = "" if cache.type == "unified" else f" {cache.type}"
    return f"L{cache.level}{kind} {_size(cache.size)}"


def _size(size: Optional[int]) -> str:
    if size is None:
        return "of unknown size"
    for unit, name in UNITS:
        if size >= unit and size % unit == 0:
            return f"{size // unit} {name}"
    return amount(size, "bytes")
