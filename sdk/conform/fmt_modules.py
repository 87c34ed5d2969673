# SPDX-License-Identifier: MIT OR GPL-2.0
"""The formats that are to be checked, and the kit's module, built for the guest."""

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
    """There is nothing to check; the text says why."""


@dataclass(frozen=True)
class Format:
    """A format: its module for the guest's kernel, and its parser.

    plugin: FILE:OBJECT, None for the parser that pfmparse finds.
    """

    module: Path
    plugin: str | None

    @property
    def name(self) -> str:
        """Return what people call it."""
        return self.module.stem.removeprefix(PREFIX)


def kit(kernel: kernels.Kernel, modules: supply.Modules, work: Path) -> Path:
    """Return the module of the kit. Raises what supply.formats() raises."""
    (module,) = supply.formats([HERE / "kernel"], kernel, modules, work / "kit")
    return module


def find(
    words: list[str], kernel: kernels.Kernel, modules: supply.Modules, work: Path
) -> list[Format]:
    """Return the formats that a command line names, built if they are folders.

    Raises FormatError, or what supply.formats() raises.
    """
    found = []
    for number, word in enumerate(words):
        built = list(_modules(word, kernel, modules, work / str(number)))
        if not built:
            raise FormatError(f"{word} builds no module")
        found += [Format(module, _plugin(Path(word), module)) for module in built]
    names = [form.name for form in found]
    for name in names:
        if names.count(name) > 1:
            raise FormatError(f"{name} is named twice")
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
        f"{word} is neither a folder or a module nor a format in {modules.where}"
    )


def _plugin(folder: Path, module: Path) -> str | None:
    """Return the plug-in beside a format, as its pyproject.toml names it."""
    project = folder / "parser/pyproject.toml"
    if not project.is_file():
        return None
    try:
        named = tomllib.loads(project.read_text())["project"]["entry-points"][PLUGINS]
    except (KeyError, tomllib.TOMLDecodeError) as error:
        raise FormatError(f"{project} names no {PLUGINS}: {error}") from error
    name = module.stem.removeprefix(PREFIX)
    entry = named.get(name) or next(iter(named.values()))
    place, _, thing = entry.partition(":")
    return f"{project.parent / place.replace('.', '/')}.py:{thing}"


def check_alias(form: Format, uuid: str | None, chosen: list[str]) -> Iterator[Result]:
    """Look, if that is chosen, whether a module is found by its format's UUID."""
    if "alias" not in chosen:
        return
    aliases = ALIAS.findall(b"\0" + form.module.read_bytes())
    if uuid is None:
        yield Result("alias", Outcome.SKIPPED, "the format is not loaded")
    elif uuid.encode() in aliases:
        yield Result("alias", Outcome.PASSED)
    else:
        text = f"the module has no alias perfmon-fmt-{uuid}: nothing loads it"
        if aliases:
            text += f"; it has that of {aliases[0].decode()}"
        yield Result("alias", Outcome.FAILED, text)
