# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run the checks of formats in guests; after a crash, continue in another guest."""

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
# Limit in seconds for a guest, which normally ends long before.
MOST_TIME = 100_000
# Message in the guest's kernel log before each check.
MARK = "pfm_conform: begin {}"
# Maximum time to wait for the kernel log, in tenths of a second.
LATE = 100
# Number of guests that a format may crash before the rest of its checks is skipped.
MOST_CRASHES = 2
# Limit in seconds for scripts/vm/run to exit after its last line of output.
ENDING = 10
# Patterns of kernel faults, with explanations for the format's author.
MEANINGS = {
    r"scheduling while atomic|sleeping function called|suspicious RCU usage.*sleep": (
        "a call-back sleeps where it must not"
    ),
    r"inconsistent lock state|invalid wait context|possible \w+ lock|stack_depot": (
        "a call-back takes a lock or allocates memory where it must not"
    ),
    r"NULL pointer dereference|KASAN: null-ptr": (
        "the format uses a NULL pointer: the registers can be NULL, and so can the "
        "buffer"
    ),
    r"KASAN: .*out-of-bounds": "the format accesses memory beyond what it was given",
    r"KASAN: .*use-after-free": "the format uses freed memory",
    r"unable to handle (kernel paging request|page fault)|Unable to handle kernel": (
        "the format uses an unmapped address: perhaps it trusts an offset in the "
        "mapped header, or uses memory that is not its own or was freed"
    ),
    r"soft lockup|hard LOCKUP|detected stalls|blocked for more than": (
        "the format hangs"
    ),
}


class GuestError(Exception):
    """No guest could be set up; the text is the reason."""


@dataclass(frozen=True)
class Options:
    """Options for guests, from the command line of pfm-conform."""

    kernel: str
    arch: str
    modules: Path | None
    argument: str
    quick: bool
    seed: int
    timeout: int


@dataclass
class Facts:
    """Facts that a guest has reported about a format.

    uuid, size: UUID of the format and size of its argument, once it is loaded.
    """

    uuid: str | None = None
    size: int = 0


class Guests:
    """The guests for some formats.

    facts: facts about each format. out: directory of each format, for the files of the
    check "records". Kernel logs go to the parent directory.
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
        """Run checks; yield each result, with the index of its format, in order.

        Raises GuestError.
        """
        # All checks need "load", but its result is reported only once.
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
                raise GuestError(
                    "a guest ended before its first check; --out DIR keeps its log"
                )

    def _given_up(self, index: int, result: Result) -> str:
        """Return why the rest of a format's checks is skipped, or an empty string."""
        if result.check == "load" and result.outcome is Outcome.FAILED:
            return "the format is not loaded"
        if self._crashes[index] >= MOST_CRASHES:
            return f"this format has crashed {MOST_CRASHES} guests"
        return ""

    def _boot(self, left: list[list[str]]) -> Iterator[tuple[int, Result]]:
        """Yield the results of one guest, until it ends."""
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
        """Write the files for guest.sh."""
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
        """Yield each result once the next check begins or the guest has ended."""
        running: tuple[int, str] | None = None
        held: tuple[int, Result] | None = None
        limit = self._options.timeout
        # Wait twice as long until the first check begins, because the guest must boot.
        output.allow(2 * limit)
        for line in output.lines():
            word, _, rest = line.partition(" ")
            if word == "@begin":
                if held:
                    judged = _judged(held, log, rest)
                    yield held[0], judged
                    if judged is not held[1]:
                        # Boot again: lockdep, for example, reports only once per boot.
                        return
                held = None
                output.allow(limit)
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
        hung = f"the check does not finish within {limit} s"
        if not running:
            hung = f"the guest does not begin a check within {2 * limit} s"
        text = _ending(output.process, log, errors, hung)
        if held:
            # The guest ended after this result; if it crashed, the result is a failure.
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
    """Output of a guest, read as it arrives.

    A thread reads the output: a guest that must wait for a reader can lose kernel
    messages.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._came: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._end = 0.0
        self._reader = Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout
        data = b"."
        while data:
            data = os.read(self.process.stdout.fileno(), 1 << 16)
            self._came.put(data)

    def allow(self, seconds: float) -> None:
        """Set for how many seconds from now, in total, lines() waits for output."""
        self._end = time.monotonic() + seconds

    def lines(self) -> Iterator[str]:
        """Yield lines until the end, or until the time that allow() has set is over."""
        text = ""
        with contextlib.suppress(queue.Empty):
            while data := self._came.get(timeout=self._left()):
                *whole, text = (text + data.decode(errors="replace")).split("\n")
                yield from whole

    def _left(self) -> float:
        """Return the number of seconds until the time is over."""
        return max(0, self._end - time.monotonic())

    def end(self) -> None:
        """Terminate the guest in any state."""
        self.process.terminate()
        self._reader.join()


def _judged(held: tuple[int, Result], log: Path, following: str | None) -> Result:
    """Return the result, or a failure if the kernel complained during the check.

    following: the next check that has begun, or None if the guest has ended. Kernel
    messages arrive through a different channel than the results, and later. So wait
    until the log has the mark of the next check, which comes after any complaint about
    this check.
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
    """Explain a kernel fault to the format's author."""
    for pattern, meaning in MEANINGS.items():
        if re.search(pattern, fault, re.IGNORECASE):
            return f"{meaning} ({fault})"
    return fault


def _ending(
    process: subprocess.Popen[bytes], log: Path, errors: IO[bytes], hung: str
) -> str:
    """Explain to the format's author why a guest produces no more output.

    hung: the explanation if the guest still runs.

    Raises GuestError if the guest could not be set up.
    """
    try:
        status = process.wait(ENDING)
    except subprocess.TimeoutExpired:
        return hung
    errors.seek(0)
    said = errors.read().decode(errors="replace").strip().splitlines()
    said = said or [f"exit status {status}"]
    reason = said[-1].partition(": ")[2] or said[-1]
    if status == verdict.SETUP:
        raise GuestError(reason)
    text = log.read_text(errors="replace") if log.is_file() else ""
    return _meaning(verdict.find_splat(text, stamped=True) or reason)
