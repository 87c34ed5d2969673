# SPDX-License-Identifier: MIT OR GPL-2.0
"""Guests that run the checks of formats: another one, when one has crashed."""

from __future__ import annotations

import base64
import contextlib
import os
import queue
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import IO

import checks
import ktap
import verdict
from fmt_modules import Format
from ktap import Outcome, Result

HERE = Path(__file__).resolve().parent
VM = HERE.parents[1] / "scripts/vm/run"
LOG = "kernel.log"
IN_GUEST = "/perfmon/add/conform"
# A guest as a whole ends by itself long before that.
MOST_TIME = 100_000
# In its kernel's log, before each check.
MARK = "pfm_conform: begin {}"
# Tenths of a second that the log may be late.
LATE = 100
# Guests that may crash with one format.
MOST_CRASHES = 2
# Seconds from the last line to the end of QEMU.
ENDING = 10
# What the kernel says of a fault, and what that tells an author.
MEANINGS = {
    r"scheduling while atomic|sleeping function called|suspicious RCU usage.*sleep": (
        "a call-back that may not sleep does"
    ),
    r"inconsistent lock state|invalid wait context|possible \w+ lock|stack_depot": (
        "a call-back takes a lock, or allocates, where it may not"
    ),
    r"NULL pointer dereference|KASAN: null-ptr": (
        "something is NULL that it uses: registers may be, and the buffer without one"
    ),
    r"KASAN: .*out-of-bounds": "it reads or writes beside memory that it was given",
    r"KASAN: .*use-after-free": "it uses memory that is gone",
    r"unable to handle (kernel paging request|page fault)|Unable to handle kernel": (
        "it uses an address where there is nothing: an offset out of a mapped header, "
        "memory beside or after its own"
    ),
    r"soft lockup|hard LOCKUP|detected stalls|blocked for more than": "it does not end",
}


class GuestError(Exception):
    """No guest could be set up; the text says why."""


@dataclass(frozen=True)
class Options:
    """How guests are run; as the options of the command of these names."""

    kernel: str
    arch: str
    modules: Path | None
    argument: str
    quick: bool
    seed: int
    timeout: int


@dataclass
class Facts:
    """What a guest has told of a format.

    uuid, size: of the format and its argument, once it was loaded.
    """

    uuid: str | None = None
    size: int = 0


class Guests:
    """The guests of some formats.

    facts: of each format. out: of each, where what "records" leaves goes; kernel logs
    go to the directory above.
    """

    def __init__(
        self, forms: list[Format], kit: Path, options: Options, out: list[Path]
    ) -> None:
        self._forms = forms
        self._kit = kit
        self._options = options
        self._boots = 0
        self._crashes = [0 for _ in forms]
        self.out = out
        self.facts = [Facts() for _ in forms]

    def run(self, wanted: list[str]) -> Iterator[tuple[int, Result]]:
        """Make checks; yield the format's index and how each has ended, in order.

        Raises GuestError.
        """
        # Nothing is found out without loading; that is told once.
        left = [["load", *(c for c in wanted if c != "load")] for _ in self._forms]
        while any(left):
            before = sum(map(len, left))
            for index, result in self._boot(left):
                if result.check not in left[index]:
                    continue
                left[index].remove(result.check)
                yield index, result
                reason = self._given_up(index, result)
                if reason:
                    for name in left[index]:
                        yield index, Result(name, Outcome.SKIPPED, reason)
                    left[index].clear()
            if sum(map(len, left)) == before:
                raise GuestError("a guest ends before its first check; --out keeps why")

    def _given_up(self, index: int, result: Result) -> str:
        """Return why nothing else is asked of a format after a result, or nothing."""
        if result.check == "load" and result.outcome is Outcome.FAILED:
            return "the format is not loaded"
        if self._crashes[index] >= MOST_CRASHES:
            return f"{MOST_CRASHES} guests have crashed with this format"
        return ""

    def _boot(self, left: list[list[str]]) -> Iterator[tuple[int, Result]]:
        """Yield what one guest says, until its end."""
        self._boots += 1
        out = self.out[0].parent / f"guest{self._boots}"
        with contextlib.ExitStack() as cleanup:
            name = tempfile.TemporaryDirectory(prefix="perfmon-conform.")
            content = Path(cleanup.enter_context(name))
            self._fill(content, left)
            errors = cleanup.enter_context(tempfile.TemporaryFile())
            with subprocess.Popen(
                self._command(content, out),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            ) as process:
                output = _Output(process)
                try:
                    yield from self._follow(output, out / LOG, errors)
                finally:
                    output.end()

    def _fill(self, content: Path, left: list[list[str]]) -> None:
        """Write what guest.sh reads."""
        shutil.copyfile(self._kit, content / self._kit.name)
        shutil.copyfile(HERE / "guest.sh", content / "guest.sh")
        for index, names in enumerate(left):
            if not names:
                continue
            folder = content / f"{index:03}"
            folder.mkdir()
            module = self._forms[index].module
            shutil.copyfile(module, folder / module.name)
            (folder / "module").write_text(module.stem)
            (folder / "argument").write_text(self._options.argument)
            inside = [name for name in checks.GUEST if name in (*names, "load")]
            (folder / "checks").write_text(" ".join(inside))

    def _command(self, content: Path, out: Path) -> list[str]:
        options = self._options
        words = ["--arch", options.arch, "--kernel", options.kernel]
        words += ["--timeout", str(MOST_TIME), "--out", str(out)]
        if options.modules:
            words += ["--modules-dir", str(options.modules)]
        guest = ["sh", f"{IN_GUEST}/guest.sh", IN_GUEST, str(int(options.quick))]
        words += ["--add", f"{content}:{IN_GUEST}", "--", *guest, str(options.seed)]
        return [sys.executable, "-B", str(VM), *words]

    def _follow(
        self, output: _Output, log: Path, errors: IO[bytes]
    ) -> Iterator[tuple[int, Result]]:
        """Yield results when the next check begins; the last may be that of a crash."""
        running: tuple[int, str] | None = None
        held: tuple[int, Result] | None = None
        # To boot may take as long again.
        for line in output.lines(2 * self._options.timeout):
            word, _, rest = line.partition(" ")
            if word == "@begin":
                if held:
                    judged = _judged(held, log, rest)
                    yield held[0], judged
                    if judged is not held[1]:
                        # Lockdep, for one, says nothing more in this guest.
                        return
                held = None
                number, check = rest.split()
                running = int(number), check
                ktap.progress(f"{self._forms[running[0]].name}: {check}")
            elif word == "@format":
                number, uuid, size = rest.split()
                self.facts[int(number)] = Facts(uuid, int(size))
            elif word == "@file":
                number, name, *coded = rest.split()
                data = base64.b64decode("".join(coded))
                (self.out[int(number)] / name).write_bytes(data)
            elif word in OUTCOMES and running:
                held = running[0], Result(running[1], OUTCOMES[word], rest)
                running = None
        text = _ending(output.process, log, errors, 2 * self._options.timeout)
        if held:
            # What crashes afterwards is what a finding has left, or unloading.
            yield held[0], _judged(held, log, None)
        elif running:
            self._crashes[running[0]] += 1
            yield running[0], Result(running[1], Outcome.FAILED, text)
        else:
            raise GuestError(text)


OUTCOMES = {
    "@ok": Outcome.PASSED,
    "@skip": Outcome.SKIPPED,
    "@fail": Outcome.FAILED,
}


class _Output:
    """What a guest prints, which is read as it comes: the guest never waits for us.

    While the harness waited, what the kernel logs would be lost.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        data = b"."
        while data:
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            self._came.put(data)

    def lines(self, timeout: float) -> Iterator[str]:
        """Yield lines until the end, or until none comes any more."""
        text = ""
        with contextlib.suppress(queue.Empty):
            while data := self._came.get(timeout=timeout):
                *whole, text = (text + data.decode(errors="replace")).split("\n")
                yield from whole

    def end(self) -> None:
        """End the guest, wherever it is."""
        self.process.terminate()
        self._reader.join()


def _judged(held: tuple[int, Result], log: Path, following: str | None) -> Result:
    """Return a result, or what the kernel has complained of meanwhile.

    following: the check that has begun since, None if the guest has ended. What the
    kernel says comes by another way, and later.
    """
    index, result = held
    mark = MARK.format(f"{index:03} {result.check}")
    for _ in range(LATE):
        text = log.read_text(errors="replace")
        if following is None or MARK.format(following) in text:
            break
        time.sleep(0.1)
    during = text.rpartition(mark)[2]
    if following is not None:
        during = during.partition(MARK.format(following))[0]
    fault = verdict.find_splat(during, stamped=True)
    if fault and result.outcome is not Outcome.FAILED:
        return Result(result.check, Outcome.FAILED, _meaning(fault))
    return result


def _meaning(fault: str) -> str:
    """Say for an author what a fault of the kernel's may be."""
    for pattern, meaning in MEANINGS.items():
        if re.search(pattern, fault, re.IGNORECASE):
            return f"{meaning} ({fault})"
    return fault


def _ending(
    process: subprocess.Popen[bytes], log: Path, errors: IO[bytes], timeout: float
) -> str:
    """Say for an author why a guest says no more.

    Raises GuestError if it could not be set up.
    """
    try:
        status = process.wait(ENDING)
    except subprocess.TimeoutExpired:
        return f"does not end within {timeout:g} s"
    errors.seek(0)
    said = errors.read().decode(errors="replace").strip().splitlines()
    said = said or [f"exit status {status}"]
    reason = said[-1].partition(": ")[2] or said[-1]
    if status == verdict.SETUP:
        raise GuestError(reason)
    text = log.read_text(errors="replace") if log.is_file() else ""
    return _meaning(verdict.find_splat(text, stamped=True) or reason)
