# SPDX-License-Identifier: MIT OR GPL-2.0
"""Test the package as a whole: its wheel, imports and tests."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tarfile
import zipfile
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Iterator

import pfmparse
import pytest
from helpers.cli import PARSERS, ROOT, importing, program

HERE = Path(__file__).parent
PACKAGE = PARSERS / "pfmparse"

# A module may import only modules of lower layers, which are further down in this list,
# and modules in its own folder.
FLOORS = (
    {"__main__"},
    {"commands"},
    {"web"},
    {"exports", "library"},
    {"analysis"},
    {"recording"},
    {"formats", "symbols"},
    {"capture"},
    {"layout"},
    {"errors", "pipeline", "status_line"},
    {"text"},
)


def modules() -> list[Path]:
    """Return the modules of the package, except for __init__.py."""
    found = (path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py"))
    return sorted(path for path in found if path.name != "__init__.py")


def imported(module: Path) -> Iterator[Path]:
    """Yield the modules of the package that a module imports."""
    for node in ast.walk(ast.parse((PACKAGE / module).read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            place = module.parents[node.level - 1] / (node.module or "").replace(
                ".", "/"
            )
            for name in node.names:
                inner = place / f"{name.name}.py"
                if (PACKAGE / inner).exists():
                    yield inner
                # If ``place`` is the package itself, the name comes from its
                # __init__.py. This import does not count, because __init__.py is a
                # lower layer than every module.
                elif place.name:
                    yield place.with_suffix(".py")


def floor(module: Path) -> int:
    """Return the index of a module's layer in FLOORS; the highest layer has 0."""
    name = module.with_suffix("").parts[0]
    return next(at for at, names in enumerate(FLOORS) if name in names)


@pytest.mark.parametrize("module", modules(), ids=str)
def test_module_has_its_test_file(module: Path) -> None:
    name = module.stem.strip("_")
    test = module.parent / f"test_{name}.py"
    assert (HERE / test).is_file(), f"{module} has no tests/parsers/{test}"


@pytest.mark.parametrize("module", modules(), ids=str)
def test_module_imports_only_from_lower_layers(module: Path) -> None:
    for other in imported(module):
        assert (PACKAGE / other).is_file(), other
        beside = other.parts[0] == module.parts[0] and len(other.parts) > 1
        assert beside or floor(other) > floor(module), other


def test_modules_have_no_import_cycles() -> None:
    graph = {module: set(imported(module)) for module in modules()}
    TopologicalSorter(graph).prepare()  # raises CycleError if imports have a cycle


def test_input_writers_do_not_import_the_parsers() -> None:
    names = ("writers", "oprofile_stream", "sample_capture", "sink_buffer")
    for name in (*names, "three_samples"):
        assert "pfmparse" not in (HERE / f"helpers/{name}.py").read_text()


def declared() -> dict[str, str]:
    """Return the module of each public name, as type checkers see it."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    return {name.name: str(node.module) for node in imports for name in node.names}


def test_type_checkers_see_the_public_names() -> None:
    # pylint: disable-next=protected-access
    assert declared() == pfmparse._MODULES
    assert set(pfmparse.__all__) <= set(dir(pfmparse))
    with pytest.raises(AttributeError, match="'pfmparse' has no attribute 'x'"):
        getattr(pfmparse, "x")


def test_public_names_are_documented_and_sorted() -> None:
    assert pfmparse.__all__ == sorted(pfmparse.__all__)
    for name in pfmparse.__all__:
        described = getattr(pfmparse, name).__doc__
        assert described or name in ("Column", "Data", "Roles", "SINK_ARGUMENT")
    page = (ROOT / "docs/library.md").read_text()
    table = page[page.index("## The public interface") :]
    assert sorted(re.findall(r"`(\w+)`", table)) == pfmparse.__all__


def files_of_the_checkout() -> set[Path]:
    """Return the files in the package's folder, except for bytecode."""
    return {path for path in PARSERS.rglob("*") if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel and a source archive from the checkout into a directory."""
    into, before = tmp_path_factory.mktemp("built"), files_of_the_checkout()
    code = "import build_elsewhere as b; b.build_wheel(i); b.build_sdist(i)"
    subprocess.run(
        [sys.executable, "-c", f"i = {str(into)!r}; {code}"],
        cwd=PARSERS,
        env=importing(PARSERS),
        capture_output=True,
        check=True,
    )
    assert files_of_the_checkout() == before
    return into


def test_package_builds_without_the_network(built: Path, tmp_path: Path) -> None:
    (wheel,) = built.glob("pfmparse-*.whl")
    assert wheel.name.startswith(f"pfmparse-{pfmparse.__version__}-")
    with zipfile.ZipFile(wheel) as files:
        names = files.namelist()
        files.extractall(tmp_path / "installed")
    kinds = ("*.py", "*.js", "*.css", "*.html", "py.typed")
    files_of = [path for kind in kinds for path in PACKAGE.rglob(kind)]
    modules = {path.relative_to(PARSERS).as_posix() for path in files_of}
    # The wheel contains no other files.
    assert {name for name in names if ".dist-info/" not in name} == modules
    (points,) = (tmp_path / "installed").glob("*.dist-info/entry_points.txt")
    assert "pfmparse = pfmparse.__main__:program" in points.read_text()
    done = program("info", "/nonexistent", directories=(tmp_path / "installed",))
    assert done.returncode == 1 and "No such file" in done.stderr


def test_package_builds_from_source_archive(built: Path, tmp_path: Path) -> None:
    (archive,) = built.glob("pfmparse-*.tar.gz")
    with tarfile.open(archive) as files:
        files.extractall(tmp_path)
    (source,) = tmp_path.iterdir()
    code = f"import build_elsewhere as b; b.build_wheel({str(tmp_path)!r})"
    subprocess.run(
        [sys.executable, "-c", code],
        cwd=source,
        env=importing(source),
        capture_output=True,
        check=True,
    )
    assert list(tmp_path.glob("pfmparse-*.whl"))
