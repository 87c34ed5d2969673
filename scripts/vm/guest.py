# SPDX-License-Identifier: MIT OR GPL-2.0
"""Run one guest: start QEMU, read QEMU's channels, and return how the guest ended."""

from __future__ import annotations

import contextlib
import selectors
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import counted
import kept_runs
import qemu
import verdict
from stream import Stream

CHUNK = 1 << 16
Sink = Callable[[bytes], None]


@dataclass(frozen=True)
class Ending:
    """The end of a guest: an exit code, and the reason for it.

    The reason is None if the code is the exit status of the guest's command.
    """

    code: int
    reason: str | None = None


class Receiver:
    """Receives the guest's data, and detects when the data are complete.

    console: called with each piece of the kernel log.
    output: called with each piece of the command's output.
    files: called with each piece of the tar archive of the guest's directory $OUT.
    end_mark: the bytes that the guest sends after the output and after the archive.
    sent: receives all data by channel, unless it is None.
    """

    def __init__(
        self,
        console: Sink,
        output: Sink,
        files: Sink,
        end_mark: bytes,
        sent: dict[str, bytearray] | None = None,
    ) -> None:
        self._sent = sent
        self._console = console
        self._log = bytearray()
        self._said = bytearray()
        self._output = Stream(end_mark, output)
        self._files = Stream(end_mark, files)

    def accept(self, channel: str, data: bytes) -> None:
        """Process data that came from one of qemu.CHANNELS."""
        if self._sent is not None:
            self._sent.setdefault(channel, bytearray()).extend(data)
        if channel == "console":
            self._log += data
            self._console(data)
        elif channel == "output":
            self._output.feed(data)
        elif channel == "files":
            self._files.feed(data)
        else:
            self._said += data

    def close(self) -> None:
        """Pass on bytes that were held back as a possible start of the end mark."""
        self._output.close()
        self._files.close()

    def log(self) -> str:
        """Return the kernel log so far."""
        return self._log.decode(errors="replace").replace("\r\n", "\n")

    def verdict(self) -> tuple[str, str] | None:
        """Return the verdict's keyword and text, or None while data are still missing.

        A guest whose setup failed sends only the verdict ("failed"), without end marks.
        """
        line, end, _ = self._said.decode(errors="replace").partition("\n")
        keyword, _, text = line.partition(" ")
        sent_all = self._output.ended and self._files.ended
        if end and (sent_all or keyword == "failed"):
            return keyword, text
        return None


def run(
    machine: qemu.Machine,
    initramfs: Path,
    receiver: Receiver,
    timeout: float,
    may_deny: bool = False,
    kept: Path | None = None,
) -> Ending:
    """Boot a guest and wait until it ends; return how it ended.

    timeout: limit in seconds of host time for QEMU, from its start to its exit.
    may_deny: as for verdict.judge().
    kept: directory of a kept run, which is replayed instead, or None.
    Raises qemu.QemuError.
    """
    qemu_status: int | None = 0
    if kept:
        counted.count(counted.REPLAYED)
        kept_runs.replay(kept, receiver.accept)
    else:
        qemu_status = _emulate(machine, initramfs, receiver, timeout)
    receiver.close()
    fault = verdict.judge(receiver.log(), may_deny=may_deny, parallel=machine.parallel)
    if fault:
        if fault[0] == verdict.EMULATOR:
            counted.count(counted.MISREAD)
        return Ending(*fault)
    if qemu_status is None:
        reason = f"the guest did not end within {timeout:g} s"
        return Ending(verdict.TIMEOUT, reason)
    return _conclude(receiver, qemu_status)


def _emulate(
    machine: qemu.Machine, initramfs: Path, receiver: Receiver, timeout: float
) -> int | None:
    """Run QEMU to its end; return its exit status, or None after `timeout` seconds."""
    counted.count(counted.GUEST)
    with _started(machine, initramfs) as (process, channels):
        in_time = _receive(channels, receiver, timeout)
        return process.wait() if in_time else None


@contextlib.contextmanager
def _started(
    machine: qemu.Machine, initramfs: Path
) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, socket.socket]]]:
    """Start QEMU with a socket for each channel; kill it at the end of the block."""
    with contextlib.ExitStack() as cleanup:
        ours: dict[str, socket.socket] = {}
        theirs: dict[str, socket.socket] = {}
        for name in qemu.CHANNELS:
            ours[name], theirs[name] = socket.socketpair()
            cleanup.enter_context(ours[name])
            cleanup.enter_context(theirs[name])
        backends = {name: f"socket,fd={end.fileno()}" for name, end in theirs.items()}
        # QEMU must not outlive this process, even if this process is killed.
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL"]
            + qemu.command(machine, initramfs, backends),
            stdin=subprocess.DEVNULL,
            stdout=sys.stderr,
            pass_fds=[end.fileno() for end in theirs.values()],
        )
        cleanup.callback(_end, process)
        for end in theirs.values():
            end.close()
        yield process, ours


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _receive(
    channels: dict[str, socket.socket], receiver: Receiver, timeout: float
) -> bool:
    """Read all channels to their end; return False after `timeout` seconds."""
    deadline = time.monotonic() + timeout
    acknowledged = False
    with selectors.DefaultSelector() as selector:
        for name, channel in channels.items():
            selector.register(channel, selectors.EVENT_READ, name)
        while selector.get_map():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for key, _ in selector.select(left):
                data = _read(channels[key.data])
                receiver.accept(key.data, data)
                if not data:
                    selector.unregister(key.fileobj)
            if receiver.verdict() and not acknowledged:
                acknowledged = True
                with contextlib.suppress(OSError):
                    channels["verdict"].sendall(b"\n")
    return True


def _read(channel: socket.socket) -> bytes:
    try:
        return channel.recv(CHUNK)
    except ConnectionResetError:
        return b""


def _conclude(receiver: Receiver, qemu_status: int) -> Ending:
    """Return how the guest ended; its kernel log does not show a fault."""
    told = receiver.verdict()
    if told is None:
        if qemu_status != 0 and not receiver.log():
            reason = f"QEMU did not start (exit status {qemu_status})"
            return Ending(verdict.SETUP, reason)
        reason = "the guest ended without reporting the command's exit status"
        return Ending(verdict.NO_VERDICT, reason)
    keyword, text = told
    if keyword == "failed":
        return Ending(verdict.SETUP, f"guest setup failed: {text}")
    status = int(text)
    if status in verdict.RESERVED:
        reason = f"the command exited with the reserved status {status}"
        return Ending(verdict.RESERVED_STATUS, reason)
    return Ending(status)
