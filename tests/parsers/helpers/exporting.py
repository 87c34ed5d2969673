# SPDX-License-Identifier: MIT OR GPL-2.0
"""Export captures, and read reports about them."""

from __future__ import annotations

import gzip
import io
import json
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Callable, Optional

from helpers import every_format, perf_file
from helpers.damaged import OUTPUT, Counted
from helpers.wire_format import fields, numbers
from pfmparse.__main__ import main
from pfmparse.exports import registry

NAMES = sorted(every_format.FORMATS)
# The export formats that can be written on this machine.
EXPORTS = sorted({*registry.OURS} - (set() if find_spec("pyarrow") else {"parquet"}))


def called(*argv: str) -> tuple[int, str, str]:
    """Run a command; return its exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        status = main(argv)
    return status, out.getvalue(), err.getvalue()


def exported(file: Path, to: str, out: Path, *options: str) -> Path:
    """Export a capture twice, compare the files, and return the first one."""
    again = out.with_name(f"again-{out.name}")
    for path in (out, again):
        argv = ["export", str(file), "--to", to, "-o", str(path), *options]
        status, printed, err = called(*argv)
        assert status == 0, err
    assert out.read_bytes() == again.read_bytes()
    again.unlink()
    return out


def reported(file: Path, *options: str) -> list[Any]:
    """Return the rows of a report."""
    status, out, err = called("report", str(file), "--json", *options)
    assert status == 0, err
    rows = json.loads(out)["rows"]
    assert isinstance(rows, list)
    return rows


def by_label(file: Path, *options: str) -> Counter[str]:
    """Return a report's samples by function, or by object for unknown functions."""
    return _sums(file, options, lambda row: row["symbol"] or row["object"])


def by_symbol(file: Path, *options: str) -> Counter[str]:
    """Return a report's samples, or its weights if requested, by function.

    Samples whose function is unknown are counted as "[unknown]".
    """
    return _sums(file, options, lambda row: row["symbol"] or "[unknown]")


def _sums(
    file: Path, options: tuple[str, ...], name: Callable[[Any], Any]
) -> Counter[str]:
    counts: Counter[str] = Counter()
    for row in reported(file, *options):
        counts[name(row)] += row.get("weight", row["count"])
    return counts


def samples_in(file: Path, to: str) -> Optional[int]:
    """Return the number of samples in an export, or None if it cannot be read here."""
    if to == "perf-data":
        return sum(r.kind == perf_file.SAMPLE for r in perf_file.records(file))
    if to == "pprof":
        samples = (b for n, b in fields(gzip.decompress(file.read_bytes())) if n == 2)
        values = (b for sample in samples for n, b in fields(sample) if n == 2)
        return sum(sum(numbers(packed)) for packed in values)
    if to == "otlp":
        return _samples_in_otlp(file.read_bytes())
    if to == "callgrind":
        totals = file.read_text().splitlines()[-1]
        return sum(map(int, totals.removeprefix("totals: ").split()))
    if to == "speedscope":
        profiles = json.loads(file.read_text())["profiles"]
        return int(sum(sum(profile["weights"]) for profile in profiles))
    if to == "firefox":
        threads = json.loads(file.read_text())["threads"]
        return int(sum(sum(thread["samples"]["weight"]) for thread in threads))
    return None


def _samples_in_otlp(data: bytes) -> int:
    """Return the sum of all values. Resources contain scopes, which contain profiles,
    which contain samples.
    """
    found = [body for number, body in fields(data) if number == 1]
    for _ in range(3):
        found = [body for part in found for number, body in fields(part) if number == 2]
    return sum(sum(numbers(dict(fields(sample))[4])) for sample in found)


def damaged_export(to: str, weight: Optional[str], file: Path) -> Counted:
    """Export a file that may be damaged, and return what the export counts."""
    out = file.with_name(OUTPUT)
    argv = ["export", str(file), "--to", to, "-o", str(out), "--json"]
    argv += [] if weight is None else ["--weight", weight]
    status, printed, err = called(*argv)
    if not printed:
        assert status != 0
        return Counted(None, err)
    told = json.loads(printed)
    # The default weight can differ from the count, and one record in perf.data can
    # stand for several samples.
    several = any("counts of merged samples" in text for text in told["not_carried"])
    if weight == "count" and not several:
        assert samples_in(out, to) in (None, told["samples"])
    return Counted(told["samples"], err, wrote=True)
