# SPDX-License-Identifier: MIT OR GPL-2.0
"""The registry of exports: built-in ones, and those of other packages."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Iterable

from ..errors import RequestError, blamed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from .interface import Export

GROUP = "pfmparse.exports"  # entry points of other packages' exports

# The modules of built-in exports. They are imported on demand, and define EXPORT.
OURS: dict[str, str] = {
    "callgrind": "callgrind",
    "csv": "csv",
    "firefox": "firefox",
    "folded": "folded",
    "html": "html",
    "npz": "npz",
    "otlp": "otlp",
    "parquet": "parquet",
    "perf-data": "perf_data",
    "pprof": "pprof",
    "speedscope": "speedscope",
    "sql": "sql",
    "svg": "svg",
}


def names() -> list[str]:
    """Returns the names of all exports."""
    return sorted({*OURS, *(entry.name for entry in _others())})


def find(name: str) -> Export:
    """Returns the export with this name.

    Raises PfmParseError if the export is unknown or broken.
    """
    from .interface import Export  # slow to import, and not needed for names()

    if name in OURS:
        export = import_module(f".{OURS[name]}", __package__).EXPORT
        assert isinstance(export, Export)
        return export
    for entry in (entry for entry in _others() if entry.name == name):
        try:
            export = entry.load()
        # Another package may raise any exception: name the package.
        except (Exception, SystemExit) as error:
            raise _broken(entry.value, blamed(error)) from error
        if not isinstance(export, Export):
            raise _broken(
                entry.value, f"{export!r} is not a pfmparse.exports.interface.Export"
            )
        return export
    raise RequestError(f"unknown export '{name}': use one of {', '.join(names())}")


def _others() -> Iterable[EntryPoint]:
    """Returns the entry points of other packages' exports."""
    from importlib.metadata import entry_points  # slow to import

    return entry_points(group=GROUP)


def _broken(origin: str, message: str) -> RequestError:
    return RequestError(f"export {origin}: {message}")
