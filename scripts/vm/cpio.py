# SPDX-License-Identifier: MIT OR GPL-2.0
"""Write the cpio archive ("newc") that the kernel unpacks as its initramfs.

All files in the archive belong to root. Even an ordinary user can write an archive with
device nodes.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePosixPath
from typing import BinaryIO

ALIGNMENT = 4
TRAILER = "TRAILER!!!"


class Archive:
    """A cpio archive that is being written to a stream.

    Guest paths are absolute. Parent directories are added automatically. If a path is
    added twice, the archive keeps the first content.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._known: set[PurePosixPath] = {PurePosixPath("/")}
        self._inode = 0

    def add_directory(self, path: str, mode: int = 0o755) -> None:
        """Add an empty directory."""
        if self._claim(path):
            self._entry(path, stat.S_IFDIR | mode, b"")

    def add_bytes(self, path: str, content: bytes, mode: int = 0o644) -> None:
        """Add a file with this content."""
        if self._claim(path):
            self._entry(path, stat.S_IFREG | mode, content)

    def add_file(self, path: str, source: Path) -> None:
        """Add a copy of a file of the host, with its permissions.

        Raises OSError if the file cannot be read.
        """
        mode = stat.S_IMODE(source.stat().st_mode)
        self.add_bytes(path, source.read_bytes(), mode)

    def add_tree(self, path: str, source: Path) -> None:
        """Add a file of the host, or a directory and everything below it.

        Symbolic links inside a directory remain links. Raises OSError if a file cannot
        be read.
        """
        if not source.is_dir():
            self.add_file(path, source)
            return
        self.add_directory(path, stat.S_IMODE(source.stat().st_mode))
        for child in sorted(source.iterdir()):
            target = f"{path.rstrip('/')}/{child.name}"
            if child.is_symlink():
                self.add_link(target, str(child.readlink()))
            elif child.is_dir() or child.is_file():
                self.add_tree(target, child)

    def add_link(self, path: str, target: str) -> None:
        """Add a symbolic link."""
        if self._claim(path):
            self._entry(path, stat.S_IFLNK | 0o777, os.fsencode(target))

    def add_character_device(self, path: str, major: int, minor: int) -> None:
        """Add the node of a character device."""
        if self._claim(path):
            self._entry(path, stat.S_IFCHR | 0o600, b"", (major, minor))

    def finish(self) -> None:
        """Write the end of the archive. Nothing can be added afterwards."""
        self._entry("/" + TRAILER, 0, b"")

    def _claim(self, path: str) -> bool:
        """Reserve `path`, and add its missing parents.

        Return False if the archive already has `path`.
        """
        pure = PurePosixPath(path)
        for parent in reversed(pure.parents):
            if parent not in self._known:
                self._known.add(parent)
                self._entry(str(parent), stat.S_IFDIR | 0o755, b"")
        if pure in self._known:
            return False
        self._known.add(pure)
        return True

    def _entry(
        self, path: str, mode: int, content: bytes, device: tuple[int, int] = (0, 0)
    ) -> None:
        self._inode += 1
        name = os.fsencode(path.strip("/")) + b"\0"
        links, owner, mtime, no_checksum = 1, 0, 0, 0
        fields = [self._inode, mode, owner, owner, links, mtime, len(content)]
        fields += [0, 0, *device, len(name), no_checksum]
        header = b"070701" + b"".join(b"%08X" % field for field in fields)
        self._padded(header + name)
        self._padded(content)

    def _padded(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.write(b"\0" * (-len(data) % ALIGNMENT))
