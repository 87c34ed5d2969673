# SPDX-License-Identifier: MIT OR GPL-2.0
"""Boot guests that run many commands; return each command's results as soon as it ends.
"""

from __future__ import annotations

import os
import re
import subprocess
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NoReturn, TypeVar

import build_parts
import kept_runs
import pytest
import verdict

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests/guest"
RUN = ROOT / "scripts/vm/run"

TEST_NAME = re.compile(r"^TEST\((\w+)\)$", re.MULTILINE)
RESULT = re.compile(r"(not )?ok \d+ - (\w+)( # SKIP)?")

Key = TypeVar("Key")


@dataclass(frozen=True)
class Target:
    """A kernel that the tests run on."""

    arch: str
    series: str

    def __str__(self) -> str:
        return f"{self.arch}-{self.series}"


def need(target: Target) -> None:
    """Skip a test if this machine cannot boot the target or build for it."""
    needed = [f"modules-{target}", f"vm-{target}"]
    if target.arch != "x86_64":
        needed.append(f"user-{target.arch}")
    reason = build_parts.left_out(*needed)
    if reason:
        pytest.skip(reason)


def run_script(target: Target, script: str, out: Path, *options: str) -> None:
    """Run a shell script in a guest; the script must succeed.

    ``out`` is the guest's /out; its file "output" receives what the script prints. The
    options are those of scripts/vm/run.
    """
    need(target)
    where = ("--arch", target.arch, "--kernel", target.series, *options)
    done = subprocess.run(
        [RUN, *where, "--out", out, "--", "sh", "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        text=True,
    )
    assert done.returncode == 0, done.stdout
    (out / "output").write_text(done.stdout)


def python_files(*modules: str) -> list[str]:
    """Return the files of this host that Python needs to import modules in a guest."""
    listing = f"import sys, {', '.join(modules)}; print(*filter(None, ("
    listing += "getattr(m, '__file__', None) for m in sys.modules.values())))"
    command = ["/usr/bin/python3", "-I", "-S", "-c", listing]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout.split()


def without_narrow() -> str | None:
    """Return why 32-bit programs are not built, or None if they are built."""
    return build_parts.left_out("user-i386")


@dataclass(frozen=True)
class Outcome:
    """The result of a test. `details`, its output, explains a failure or a skip."""

    passed: bool
    skipped: bool
    details: str


class Boot:
    """A guest that runs commands in sequence; the tests read the output meanwhile.

    commands: name -> shell command, which prints TAP or other output. options: options
    of scripts/vm/run. out: directory for the guest's files and messages. If a fault of
    the emulator ends the guest, the guest is booted once more. keep: whether to keep
    the run of a guest that counts instructions, and to replay it next time, except in
    `make check-all`.
    """

    def __init__(
        self,
        target: Target,
        commands: Mapping[str, str],
        out: Path,
        options: Sequence[str] = (),
        keep: bool = False,
    ) -> None:
        need(target)
        self._target = target
        self._out = out
        self._errors = out / "errors"
        self._told = self._again = self._faulty = False
        self._kept = out / "kept-run"
        self._environment = {**os.environ}
        if keep and "CHECK_ALL" not in os.environ:
            self._environment[kept_runs.VARIABLE] = str(self._kept)
        where = ["--arch", target.arch, "--kernel", target.series, "--out", str(out)]
        self._command = [
            str(RUN),
            *where,
            *options,
            "--",
            "sh",
            "-c",
            _script(commands),
        ]
        self._start()

    def _start(self) -> None:
        """Boot the guest, and forget the output of an earlier boot."""
        self._program = self._details = ""
        self._outcomes: dict[tuple[str, str], Outcome] = {}
        self._statuses: dict[str, int] = {}
        self._printed: dict[str, str] = {}
        with open(self._errors, "wb") as errors:
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                errors="replace",
            )

    def outcome(self, program: str, test: str) -> Outcome | None:
        """Wait for a test's result and return it, or None if the test has none."""
        self._read_until(lambda: (program, test) in self._outcomes, program)
        return self._outcomes.get((program, test))

    def command(self, name: str) -> int:
        """Wait for a command's exit status and return it.

        If the guest ended before the command did, the first test that calls this
        fails, and the others are skipped.
        """
        self._read_until(lambda: False, name)
        if name not in self._statuses:
            self._tell_of_the_end(name)
        return self._statuses[name]

    def printed(self, name: str) -> str:
        """Wait for a command's end; return its output.

        If the command has printed test results, return the output after the last one.
        """
        self.command(name)
        return self._printed[name]

    def status(self) -> int:
        """Wait until the guest has ended; return the exit status of scripts/vm/run."""
        self._read_until(lambda: False, None)
        return self._process.wait()

    def check_end(self) -> None:
        """Wait for the guest's end; fail on an error that no test has reported."""
        if self.status():
            self._tell_of_the_end("after the last command")

    @property
    def out(self) -> Path:
        """Wait until the guest has delivered its files; return their folder."""
        self.status()
        return self._out

    def errors(self) -> str:
        """Return the messages of scripts/vm/run."""
        return self._errors.read_text(errors="replace")

    def forget(self) -> None:
        """Do not replay this run, because a test has found a fault in it."""
        self._faulty = True

    def close(self) -> None:
        """Stop the guest at once."""
        self._process.terminate()
        self._process.communicate()
        if self._faulty and self._kept.exists():
            kept_runs.forget(Path(self._kept.read_text()))

    def _tell_of_the_end(self, missing: str) -> NoReturn:
        """Fail because the guest ended early; skip if another test reported this."""
        status = self.status()
        if self._told:
            pytest.skip(f"not run: the guest {self._target} ended with status {status}")
        self._told = True
        pytest.fail(f"{missing}: the guest ended with status {status}\n{self.errors()}")

    def _read_until(self, found: Callable[[], bool], name: str | None) -> None:
        """Read until found() is true, or the command or the guest has ended."""
        while not found() and name not in self._statuses:
            assert self._process.stdout is not None
            line = self._process.stdout.readline()
            if line:
                self._take(line.rstrip("\n"))
            elif not self._boot_again():
                break

    def _boot_again(self) -> bool:
        """Boot once more if the emulator has failed; return whether that was done."""
        if self._again or self._process.wait() != verdict.EMULATOR:
            return False
        self._again = True
        warnings.warn(f"rebooted: {self._target}: {self.errors().splitlines()[-1]}")
        self._start()
        return True

    def _take(self, line: str) -> None:
        """Add a line of the script's output to the results."""
        result = RESULT.fullmatch(line)
        if line.startswith("== "):
            word = line.removeprefix("== ")
            if word.isdigit():
                self._statuses[self._program] = int(word)
                self._printed[self._program] = self._details
            else:
                self._program = word
            self._details = ""
        elif result:
            failed, name, skipped = result.groups()
            outcome = Outcome(not failed, bool(skipped), self._details)
            self._outcomes[self._program, name] = outcome
            self._details = ""
        else:
            self._details += f"{line}\n"


class Boots(Generic[Key]):
    """Guests by key. Each is booted on first use, and only one runs at a time."""

    def __init__(self, boot: Callable[[Key], Boot]) -> None:
        self._boot = boot
        self._boots: dict[Key, Boot] = {}
        self._last: Boot | None = None

    def __getitem__(self, key: Key) -> Boot:
        if key not in self._boots:
            for other in self._boots.values():
                other.status()
            self._boots[key] = self._boot(key)
        self._last = self._boots[key]
        return self._last

    def forget(self) -> None:
        """Do not replay the run of the guest that was used last."""
        if self._last:
            self._last.forget()

    def close(self) -> None:
        """Stop all guests."""
        for boot in self._boots.values():
            boot.close()


def check_test(boot: Boot, program: str, test: str) -> None:
    """Pass, skip or fail the calling pytest test as a guest's test did."""
    outcome = boot.outcome(program, test)
    if outcome is None:
        pytest.fail(f"no result: {program} exited with status {boot.command(program)}")
    if outcome.skipped:
        pytest.skip(outcome.details)
    assert outcome.passed, outcome.details


def names_of(source: str) -> list[str]:
    """Return the names of the tests in a source file below tests/guest."""
    # A module's source file may have the same name, but contains no tests.
    named = (path.read_text() for path in SOURCES.glob(f"*/{source}.c"))
    (names,) = filter(None, map(TEST_NAME.findall, named))
    return names


def _script(commands: Mapping[str, str]) -> str:
    """Return the shell script that runs all commands in a guest.

    The script prints "== NAME" before and "== STATUS" after each command's output.
    """
    return "\n".join(
        f"echo == {name}; {{ {command}; }} 2>&1; echo == $?"
        for name, command in commands.items()
    )
