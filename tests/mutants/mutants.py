# SPDX-License-Identifier: MIT OR GPL-2.0
"""Read the mutants: faults in the code that the requirements' tests must find.

mutants.toml has a table for each mutant, named after the requirement ([[ID]] if it has
several):

    file      the file to change
    old, new  text that occurs exactly once in the file, and what replaces it
    test      the test that must fail, which must be tagged with the ID
    fault     what goes wrong
    survives  why no test can find the fault; only for mutants that survive
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

LIST = "tests/mutants/mutants.toml"
KUNIT = "kunit/"
GUEST = "guest/"


class MutantError(Exception):
    """A mutant does not fit the tree. The text explains why, and what to do."""


@dataclass(frozen=True)
class Mutant:
    """A table of mutants.toml."""

    id: str
    file: str
    old: str
    new: str
    test: str
    fault: str
    survives: str = ""

    @property
    def in_kunit(self) -> bool:
        """Return whether the test is in a KUnit suite, not in a guest program."""
        return self.test.startswith(KUNIT)

    @property
    def program(self) -> str:
        """Return the name of the program or suite that contains the test."""
        return Path(self.test.partition(": ")[0]).stem

    @property
    def case(self) -> str:
        """Return the name of the test."""
        return self.test.partition(": ")[2]

    def applied(self, text: str) -> str:
        """Return the file's text with the fault. Raises MutantError."""
        found = text.count(self.old)
        if found != 1:
            raise MutantError(
                f"{self.id}: old text occurs {found} times in {self.file}, not once; "
                f"has the code moved? change {LIST}"
            )
        return text.replace(self.old, self.new)


def read(text: str) -> list[Mutant]:
    """Return the mutants of a text in the format of mutants.toml."""
    return [
        Mutant(id_, **table)
        for id_, found in tomllib.loads(text).items()
        for table in (found if isinstance(found, list) else [found])
    ]


def problems(
    mutants: Iterable[Mutant], root: Path, proofs: Mapping[str, list[str]]
) -> Iterator[str]:
    """Yield the problems of the mutants in a tree.

    proofs: the tests that cover each requirement, as "FILE: TEST", below tests/.
    """
    for mutant in mutants:
        try:
            mutant.applied((root / mutant.file).read_text())
        except (MutantError, OSError) as error:
            yield str(error)
        if mutant.test not in proofs.get(mutant.id, ()):
            yield f"{mutant.id}: '{mutant.test}' is not tagged with this requirement"
        if not mutant.test.startswith((KUNIT, GUEST)):
            yield f"{mutant.id}: '{mutant.test}' is in neither a suite nor a program"
