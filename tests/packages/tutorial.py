# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the steps of docs/tutorial.md, and run them on a clean machine.

The author, who follows the tutorial, types the contents of a block `sh`, and applies a
block `diff` to the current folder. A block `text` is the output of the block before it.
Its lines must appear in this order; a line "..." stands for any lines. A comment before
a block adds conditions:

    <!-- tried: on its kernel -->      the block runs after the machine has booted
    <!-- tried: other numbers -->      the output has these lines with other numbers
"""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cache
import debfiles
import machine
from boot import Boot
from machine import FOLDER, USER, Machine, as_user
from pages import Block, Page, differs

PAGE = "docs/tutorial.md"
MARK = "tried: "
PATCH = "patch -p1 <<'END_OF_PATCH'\n{}END_OF_PATCH\n"
# Each block starts in the directory in which the block before it has ended.
PLACE = f"{FOLDER.format(USER)}/.place"
SCRIPT = f'cd "$(cat {PLACE})"\nset -e\n{{}}pwd >{PLACE}'
# This command runs as root, because it writes to the cache, which contains the kernel
# that it runs. If it builds the kernel, this is counted as if the host had built it.
KUNIT = "make kunit\n"


class TutorialError(Exception):
    """A block of the page cannot be run. The text says which block, and why."""


@dataclass(frozen=True)
class Step:
    """A block of the page that is run.

    where: its location, "FILE:LINE". on_kernel: whether it runs after the machine has
    booted. expected: the output on the page. literally: whether the numbers in the
    output must be those on the page.
    """

    where: str
    script: str
    on_kernel: bool = False
    expected: str = ""
    literally: bool = True

    def lacks(self, printed: str) -> str:
        """Return an expected line that is not in the output, or "" if none."""
        if not self.expected:
            return ""
        return differs(self._comparable(self.expected), self._comparable(printed))

    def _comparable(self, text: str) -> str:
        """Return a text without the parts that may differ."""
        text = re.sub("[ \t]+", " ", text)
        if self.literally:
            return text
        plural = re.sub(r"\b1 ([a-z]+)", r"0 \1s", text)
        return re.sub(r"\d+", "0", plural)


def steps(page: Page) -> list[Step]:
    """Return the steps of a page. Raises TutorialError."""
    found: list[Step] = []
    for block in page.blocks():
        mark = block.mark.removeprefix(MARK)
        if block.language == "text" and found:
            said = dataclasses.replace(
                found[-1], expected=block.text, literally=mark != "other numbers"
            )
            found[-1] = said
        elif block.language in ("sh", "diff"):
            found.append(_step(block, mark))
        else:
            raise TutorialError(
                f"{block.where}: use sh or diff; for the output of a step, use text"
            )
    booted = [step.on_kernel for step in found]
    if booted != sorted(booted):
        raise TutorialError(
            f"{page.name}: the steps 'tried: on its kernel' must be the last ones"
        )
    return found


def _step(block: Block, mark: str) -> Step:
    script = PATCH.format(block.text) if block.language == "diff" else block.text
    return Step(block.where, script, mark == "on its kernel")


@dataclass(frozen=True)
class Outcome:
    """The result of a step; the status is None if the step was not run."""

    status: int | None
    printed: str


class Author:
    """Run the steps on a clean machine while the tests read the outcomes.

    packages: a function that waits for the project's packages and returns their folder.
    """

    def __init__(
        self,
        release: str,
        packages: Callable[[], Path],
        todo: Sequence[Step],
        work: Path,
    ) -> None:
        self._release = release
        self._packages = packages
        self._work = work
        self._outcomes: dict[Step, Future[Outcome]] = {s: Future() for s in todo}
        self._boots: list[Boot] = []
        self._pool = ThreadPoolExecutor(1)
        self._all = self._pool.submit(self._take)
        self._all.add_done_callback(self._give_up)

    def outcome(self, step: Step) -> Outcome:
        """Wait for a step's outcome, and return it."""
        return self._outcomes[step].result()

    def close(self) -> None:
        """End everything that is still running."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        while self._boots:
            self._boots.pop().close()
        self._pool.shutdown()

    def _give_up(self, ended: Future[None]) -> None:
        """Set the outcomes of the steps that will not run."""
        error = ended.exception() if not ended.cancelled() else None
        for outcome in self._outcomes.values():
            if not outcome.done() and error:
                outcome.set_exception(error)
            elif not outcome.done():
                outcome.set_result(Outcome(None, "a step before this one failed"))

    def _take(self) -> None:
        with machine.clean(self._release) as root:
            (kernel,) = root.kernels()
            debfiles.give(root, self._release, self._packages())
            root.run(f"echo {FOLDER.format(USER)} >{PLACE}; chown {USER}: {PLACE}")
            for step, outcome in self._outcomes.items():
                if step.on_kernel:
                    break
                done = root.run(command(step), check=False)
                outcome.set_result(Outcome(done.returncode, done.stdout))
                if done.returncode != 0:
                    return
            self._boot(root, kernel)

    def _boot(self, root: Machine, kernel: str) -> None:
        later = {step.where: step for step in self._outcomes if step.on_kernel}
        commands = {where: command(step) for where, step in later.items()}
        guest = root.boot(kernel, commands, self._work)
        self._boots.append(guest)
        for where, step in later.items():
            done = Outcome(guest.command(where), guest.printed(where))
            self._outcomes[step].set_result(done)
        guest.status()


def command(step: Step) -> str:
    """Return a shell command that runs a step on the machine."""
    script = SCRIPT.format(step.script)
    if step.script == KUNIT:
        notes = os.environ.get("PERFMON_COUNTED", "")
        places = f"PERFMON_CACHE={cache.root()} PERFMON_COUNTED={notes}"
        return f"export {places}\n{script}"
    return as_user(USER, script)
