# SPDX-License-Identifier: MIT OR GPL-2.0
"""Find the formats to check, and build pfm_conform.ko for the guest."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import kernels
import supply
from ktap import Outcome, Result

HERE = Path(__file__).resolve().parent
PLUGINS = "pfmparse.formats"
ALIAS = re.compile(rb"alias=perfmon-fmt-([0-9a-f-]{36})\0")
PREFIX = "pfm_fmt_"


class FormatError(Exception):
    """The formats cannot be checked; the text is the reason."""


@dataclass(frozen=True)
class Format:
    """A format: its module for the guest's kernel, and its parser.

    plugin: FILE:OBJECT, or None to use the parser that pfmparse finds.
    """

    module: Path
    plugin: str | None

    @property
    def name(self) -> str:
        """Return the name for messages."""
        return self.module.stem.removeprefix(PREFIX)


def kit(kernel: kernels.Kernel, modules: supply.Modules, work: Path) -> Path:
    """Build pfm_conform.ko; return its path. Raises the errors of supply.formats()."""
    (module,) = supply.formats([HERE / "kernel"], kernel, modules, work / "kit")
    return module


def find(
    words: list[str], kernel: kernels.Kernel, modules: supply.Modules, work: Path
) -> list[Format]:
    """Return the formats that a command line names; build those given as folders.

    Raises FormatError, or the errors of supply.formats().
    """
    found = []
    for number, word in enumerate(words):
        built = list(_modules(word, kernel, modules, work / str(number)))
        if not built:
            raise FormatError(f"building {word} produced no module")
        found += [Format(module, plugin(Path(word), module)) for module in built]
    names = [form.name for form in found]
    for name in names:
        if names.count(name) > 1:
            raise FormatError(f"{name} is given twice")
    return found


def _modules(
    word: str, kernel: kernels.Kernel, modules: supply.Modules, work: Path
) -> Iterator[Path]:
    path = Path(word)
    if path.exists():
        yield from supply.formats([path], kernel, modules, work)
        return
    for source in modules.files.values():
        if source.name.removesuffix(supply.COMPRESSED) == f"{PREFIX}{word}.ko":
            target = work / source.name.removesuffix(supply.COMPRESSED)
            supply.copy_module(source, target)
            yield target
            return
    raise FormatError(
        f"{word}: no such folder or module, and no such format in {modules.where}"
    )


def plugin(folder: Path, module: Path) -> str | None:
    """Return FILE:OBJECT of the parser in a format's folder, or None."""
    project = folder / "parser/pyproject.toml"
    if not project.is_file():
        return None
    try:
        named = tomllib.loads(project.read_text())["project"]["entry-points"][PLUGINS]
    except (KeyError, tomllib.TOMLDecodeError) as error:
        raise FormatError(f"{project} has no entry point {PLUGINS}: {error}") from error
    name = module.stem.removeprefix(PREFIX)
    entry = named.get(name) or next(iter(named.values()))
    place, _, thing = entry.partition(":")
    module_file = project.parent / place.replace(".", "/")
    if module_file.is_dir():
        module_file /= "__init__"
    return f"{module_file}.py:{thing}"


def check_alias(form: Format, uuid: str | None, chosen: list[str]) -> Iterator[Result]:
    """If the check "alias" is chosen, check that the module has the UUID's alias."""
    if "alias" not in chosen:
        return
    aliases = ALIAS.findall(b"\0" + form.module.read_bytes())
    if uuid is None:
        yield Result("alias", Outcome.SKIPPED, "the format is not loaded")
    elif uuid.encode() in aliases:
        yield Result("alias", Outcome.PASSED)
    else:
        text = f"the module has no alias perfmon-fmt-{uuid}, so it is never autoloaded"
        if aliases:
            text += f"; it has the alias of {aliases[0].decode()}"
        yield Result("alias", Outcome.FAILED, text)
