#!/usr/bin/python3 -B
# SPDX-License-Identifier: MIT OR GPL-2.0
"""Check a format's parser against a buffer whose samples are known.

    decoding.py UUID DIRECTORY [--plugin FILE:OBJECT] [--quick] [--seed N]

DIRECTORY has two files: "buffer" is what the format has written, and "truth" has the
overflows that were passed to the format. An optional third file, "argument", has the
published layout of the format's argument. Prints "@CHECK ok", "@CHECK not ok TEXT" or
"@CHECK skip TEXT" for each of CHECKS. If a parser crashes, only this process ends.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import resource
import signal
import sys
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import numpy as np
import pfmparse as pfm
from numpy.typing import NDArray

# PMD values of the overflows, as in kernel/calls.c.
FIRST_VALUE = 0x1111000000
PMDS = (0, 1)
# Limits of a parser: seconds for a buffer, bytes of memory.
MOST_TIME = 20
MOST_MEMORY = 8 << 30
PREFIXES, PREFIXES_QUICK = 1 << 16, 1 << 11
DAMAGED, DAMAGED_QUICK = 10_000, 1_000


Column = NDArray[np.uint64]


class Hang(BaseException):
    """A parser took too long. Parsers that catch Exception do not catch this."""


class Finding(Exception):
    """The parser has an error; the text describes it to the parser's author."""


class Skipped(Exception):
    """A check does not apply; the text is the reason."""


@dataclass(frozen=True)
class Known:
    """A parser and a buffer with known content.

    truth: the columns of all stored overflows; the keys are values of pfmparse.Role.
    """

    format: pfm.Format
    buffer: bytes
    truth: Mapping[str, Column]
    layout: str | None
    size: int
    quick: bool
    chance: random.Random

    def decoder(self) -> pfm.Decoder:
        """Return a new decoder for a context that records two PMDs."""
        session = json.loads(pfm.session_template(self.format.uuid))
        session["sets"][0]["pmds"][0].update(smpl_pmds=PMDS)
        return self.format.decoder(pfm.parse_session(json.dumps(session).encode(), 0))

    @property
    def stored(self) -> int:
        """Return the number of samples in the buffer."""
        return len(next(iter(self.truth.values())))


def _decode(known: Known, data: bytes) -> pfm.Decoded | None:
    """Decode a buffer; return None if the parser raises PfmParseError.

    Raises Finding if the parser hangs or fails in another way.
    """
    signal.alarm(MOST_TIME)
    try:
        decoded = known.decoder()(data)
        for region in decoded.regions:
            region.samples.fields()
        return decoded
    except pfm.PfmParseError:
        return None
    except Hang:
        raise Finding(f"the parser does not finish within {MOST_TIME} s") from None
    except Exception as error:
        raise Finding(f"the parser raises {_where(error)}") from error
    finally:
        signal.alarm(0)


def _where(error: Exception) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{what} ({Path(frame.filename).name}:{frame.lineno})"


def _samples(known: Known) -> tuple[list[pfm.Samples], dict[str, int]]:
    """Return the parser's samples, and its counts of lost and of skipped samples."""
    decoded = _decode(known, known.buffer)
    if decoded is None:
        raise Finding("the parser rejects a valid buffer")
    if decoded.problems:
        what = decoded.problems[0]
        raise Finding(f"the parser reports a problem with a valid buffer: {what}")
    missing = {"lost": sum(decoded.lost.total.values()), "skipped": decoded.skipped}
    return [region.samples for region in decoded.regions], missing


def check_decoded(known: Known) -> None:
    """Check that the parser finds every stored sample with its recorded values."""
    samples, missing = _samples(known)
    found = sum(each.total() for each in samples)
    if not found <= known.stored <= found + sum(missing.values()):
        more = "".join(f", {n} {reason}" for reason, n in missing.items() if n)
        raise Finding(
            f"the parser finds {found} samples{more}, but {known.stored} were recorded"
        )
    if not found:
        raise Skipped("no sample was recorded")
    compared = [key for key in known.truth if _compare(known, samples, pfm.Role(key))]
    if not compared and not any(pfm.Role.SUM in each.roles for each in samples):
        raise Finding(
            "the parser gives no role to any column of its samples, so pfmparse does "
            "not know what the columns mean and cannot report them"
        )
    _compare_values(samples)


def _compare(known: Known, samples: list[pfm.Samples], role: pfm.Role) -> bool:
    """Compare the columns that have this role with the truth.

    Return False if the samples of a region have no column with this role.
    """
    names = {each.name_of(role) for each in samples if each.count}
    if None in names:
        return False
    found, expected = _spread(samples, role), known.truth[role.value]
    if any(each.weights() is not None for each in samples):
        found, expected = np.sort(found), np.sort(expected)
    if found.size < expected.size:
        # Some samples are lost, but it is not known which ones. Accept each value that
        # was recorded.
        expected = np.where(np.isin(found, expected), found, expected[0])
    if not np.array_equal(found, expected):
        at = int(np.flatnonzero(found != expected)[0])
        raise Finding(
            f"column {names.pop()}, the {role.value}: sample {at} has {found[at]:#x}, "
            f"but {expected[at]:#x} was recorded"
        )
    return True


def _spread(samples: list[pfm.Samples], role: pfm.Role) -> Column:
    """Return a role's values, one per sample.

    The value of a record that counts several samples is repeated.
    """
    columns = []
    for each in samples:
        column = each.role(role).astype(np.uint64)
        weights = each.weights()
        columns.append(
            column if weights is None else np.repeat(column, weights.astype(np.int64))
        )
    return np.concatenate(columns)


def _compare_values(samples: list[pfm.Samples]) -> None:
    for each in samples:
        for group in each.groups:
            expected = [FIRST_VALUE + PMDS.index(pmd) for pmd in group.pmds]
            if (group.values != np.array(expected, np.uint64)).any():
                raise Finding(f"values of PMDs {group.pmds} are not the recorded ones")


def check_layout(known: Known) -> None:
    """Check that the argument has the same layout in Python as in C."""
    dtype = known.format.dtypes.get("argument")
    if dtype is None:
        raise Skipped("the parser has no dtype for the argument")
    if dtype.itemsize != known.size:
        raise Finding(
            f"the argument has {known.size} bytes, but its dtype in the parser has "
            f"{dtype.itemsize}"
        )
    for line in (known.layout or "").splitlines():
        name, offset, size = line.split()[:3]
        if dtype.fields is None or name not in dtype.fields:
            raise Finding(
                f"the argument has a field {name}, which the parser's dtype lacks"
            )
        field = dtype.fields[name]
        there = (field[1], field[0].itemsize)
        if there != (int(offset), int(size)):
            raise Finding(
                f"{name} is at byte {offset} of the argument and has {size} bytes, but "
                f"in the parser's dtype it is at byte {there[0]} and has {there[1]}"
            )


def check_prefixes(known: Known) -> None:
    """Check that no prefix of the buffer makes the parser fail or find too much."""
    sizes = list(range(len(known.buffer)))
    most = PREFIXES_QUICK if known.quick else PREFIXES
    if len(sizes) > most:
        sizes = sorted({*sizes[: most // 2], *known.chance.sample(sizes, most // 2)})
    for size in sizes:
        try:
            decoded = _decode(known, known.buffer[:size])
        except Finding as finding:
            raise Finding(
                f"{finding}, with only the first {size} bytes of the buffer"
            ) from finding
        found = sum(r.samples.total() for r in decoded.regions) if decoded else 0
        if found > known.stored:
            raise Finding(
                f"the parser finds {found} samples in the first {size} bytes of a "
                f"buffer that has only {known.stored}"
            )


def check_damaged(known: Known) -> None:
    """Check that the parser turns any bytes into samples or problems."""
    # Only bytes before this offset are damaged; all later ones are 0.
    end = len(known.buffer.rstrip(b"\0")) + 16
    for number in range(DAMAGED_QUICK if known.quick else DAMAGED):
        damaged = bytearray(known.buffer)
        for _ in range(known.chance.choice((1, 2, 8, 64))):
            at = known.chance.randrange(min(end, len(damaged)))
            damaged[at] = known.chance.choice(
                (0, 1, 0x7F, 0x80, 0xFF, known.chance.randrange(256))
            )
        try:
            _decode(known, bytes(damaged))
        except Finding as finding:
            raise Finding(f"{finding}, in damaged buffer {number}") from finding


CHECKS: Mapping[str, Callable[[Known], None]] = {
    "decoded": check_decoded,
    "layout": check_layout,
    "prefixes": check_prefixes,
    "damaged": check_damaged,
}


def _truth(path: Path) -> dict[str, Column]:
    names, *rows = path.read_text().splitlines()
    values = [tuple(map(int, row.split())) for row in rows]
    table = np.array(values, np.uint64).reshape(len(values), len(names.split()))
    return {name: table[:, i] for i, name in enumerate(names.split())}


def _plugin(text: str, uuid: str) -> pfm.Format:
    """Return the format of a plug-in that is not installed."""
    path, _, names = text.rpartition(":")
    sys.path.insert(0, str(Path(path).parent))
    spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if spec is None or spec.loader is None:
        raise Finding(f"{path} is not a Python module")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
        found = getattr(module, names)
    except Exception as error:
        raise Finding(f"the parser {path} cannot be loaded: {_where(error)}") from error
    formats = [found] if isinstance(found, pfm.Format) else list(found)
    for each in formats:
        if each.uuid == uuid:
            return each
    raise Finding(
        f"the parser {path} is for another UUID: {formats[0].uuid}, not {uuid}"
    )


def _known(arguments: argparse.Namespace) -> Known:
    directory: Path = arguments.directory
    if arguments.plugin:
        form = _plugin(arguments.plugin, arguments.uuid)
    else:
        try:
            form = pfm.find_format(arguments.uuid)
        except pfm.PfmParseError as error:
            raise Skipped("pfmparse has no parser for this format") from error
    layout = directory / "argument"
    return Known(
        form,
        (directory / "buffer").read_bytes(),
        _truth(directory / "truth"),
        layout.read_text() if layout.is_file() else None,
        arguments.size,
        arguments.quick,
        random.Random(arguments.seed),
    )


def _timeout(number: int, frame: FrameType | None) -> None:
    raise Hang


def _say(check: str, outcome: str, text: str = "") -> None:
    print(f"\n@{check}", outcome, " ".join(text.split()), flush=True)


def _run(known: Known) -> None:
    for name, check in CHECKS.items():
        try:
            check(known)
        except Finding as finding:
            _say(name, "not ok", str(finding))
        except Skipped as why:
            _say(name, "skip", str(why))
        else:
            _say(name, "ok")


def main() -> int:
    """Run all checks; return 0."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("uuid")
    parser.add_argument("directory", type=Path)
    parser.add_argument("--size", type=int, default=0, help="size of the argument")
    parser.add_argument("--plugin", metavar="FILE:OBJECT")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    signal.signal(signal.SIGALRM, _timeout)
    try:
        known = _known(arguments)
    except Finding as finding:
        for name in CHECKS:
            _say(name, "not ok", str(finding))
    except Skipped as why:
        for name in CHECKS:
            _say(name, "skip", str(why))
    else:
        _run(known)
    return 0


if __name__ == "__main__":
    sys.exit(main())
