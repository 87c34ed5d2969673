# SPDX-License-Identifier: MIT OR GPL-2.0
"""The command line of QEMU for each kind of guest.

A guest has four channels: its console (kernel log), and three virtio-serial ports with
the command's output, the verdict, and the files it wrote.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firmware import Firmware

PORTS = ("output", "verdict", "files")
CHANNELS = ("console", *PORTS)
# One instruction takes 2^1 ns of the guest's time.
ICOUNT_SHIFT = 1


class QemuError(Exception):
    """QEMU is missing or cannot do what is asked; the text says what to do."""


@dataclass(frozen=True)
class Machine:
    """One guest machine.

    arch: x86_64 or arm64. cpus: number of CPUs. memory: MiB.
    icount: let the guest's time be a function of the instructions it executes.
    parallel: emulate each CPU in a thread of its own, unless icount is set.
    append: words added to the kernel's command line.
    disk: a raw image that the guest may write to, None if it has no disk.
    firmware: what boots the image, which is on its disk then, x86_64 only.
    """

    arch: str
    image: Path
    cpus: int
    memory: int
    icount: bool
    parallel: bool
    append: str
    disk: Path | None = None
    firmware: Firmware | None = None


# Loads under a mask, VMASKMOVPS and its like, read what is masked, too, says QEMU up to
# 10.0: where the next page is not mapped, that ends the program. numpy 2 sorts with
# them. So there is no AVX, nor what needs it.
WITHOUT_AVX = "-avx,-avx2,-fma,-f16c,-vaes,-vpclmulqdq"
# After CMPXCHG16B, what QEMU 7.2 saves as the flags at an interrupt may be any value:
# with the trap flag, or interrupts enabled. The kernel does without the instruction.
# Only Intel's precise events have all registers. Measurements, where interrupts are few
# and events not precise, go on with the default.
CPU = "max"
INTERRUPTED_CPU = f"{CPU},-cx16,{WITHOUT_AVX},vendor=GenuineIntel"
# With system management mode, in which the firmware keeps its variables.
FIRMWARE_BOARD = "q35,smm=on"


def command(
    machine: Machine, initramfs: Path, backends: Mapping[str, str]
) -> list[str]:
    """Return the argument vector that boots the machine.

    `backends` gives for each of CHANNELS the character device behind it, as after
    QEMU's -chardev. Raises QemuError.
    """
    arguments = [_program(machine.arch), *_cpu(machine)]
    arguments += ["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]
    arguments += ["-smp", str(machine.cpus), "-m", str(machine.memory)]
    if not machine.firmware:
        arguments += ["-kernel", str(machine.image), "-initrd", str(initramfs)]
        arguments += ["-append", kernel_arguments(machine)]
    for name in CHANNELS:
        arguments += ["-chardev", f"{backends[name]},id={name}"]
    arguments += ["-serial", "chardev:console", "-device", "virtio-serial-pci"]
    for number, name in enumerate(PORTS, start=1):
        arguments += ["-device", f"virtserialport,chardev={name},nr={number}"]
    if machine.disk:
        # Behind the ports, whose names number the devices. It is thrown away with the
        # guest: nothing need reach the host's disk.
        drive = f"if=none,id=disk,format=raw,cache=unsafe,file={machine.disk}"
        arguments += ["-drive", drive, "-device", "virtio-blk-pci,drive=disk"]
    if machine.firmware:
        arguments += firmware_arguments(machine.firmware)
    return arguments


def firmware_arguments(firmware: Firmware) -> list[str]:
    """Return the arguments for a machine of kind q35 that the firmware boots.

    Only code in system management mode may write its variables.
    """
    flash = "if=pflash,format=raw"
    disk = f"if=none,id=boot,format=raw,readonly=on,file=fat:{firmware.disk}"
    return [
        *("-global", "driver=cfi.pflash01,property=secure,value=on"),
        *("-drive", f"{flash},unit=0,readonly=on,file={firmware.code}"),
        *("-drive", f"{flash},unit=1,file={firmware.variables}"),
        *("-drive", disk, "-device", "virtio-blk-pci,drive=boot,bootindex=0"),
    ]


def _program(arch: str) -> str:
    name, package = {
        "x86_64": ("qemu-system-x86_64", "qemu-system-x86"),
        "arm64": ("qemu-system-aarch64", "qemu-system-arm"),
    }[arch]
    if shutil.which(name) is None:
        raise QemuError(f"{name} is missing; install it: apt-get install {package}")
    return name


def _cpu(machine: Machine) -> list[str]:
    if machine.arch == "arm64":
        kind = ["-M", "virt", "-cpu", "cortex-a57"]
    else:
        board = FIRMWARE_BOARD if machine.firmware else "pc"
        kind = ["-M", board, "-cpu", CPU if machine.icount else INTERRUPTED_CPU]
    if machine.icount and machine.arch == "x86_64" and machine.cpus > 1:
        raise QemuError(
            "with --icount the second CPU of an x86_64 guest never starts; use --smp 1"
        )
    if machine.icount:
        count = f"shift={ICOUNT_SHIFT},sleep=off"
        return [*kind, "-accel", "tcg,thread=single", "-icount", count]
    # In threads of their own CPUs may go on to execute what was there before the kernel
    # patched its code, for ever.
    threads = "multi" if machine.parallel else "single"
    return [*kind, "-accel", f"tcg,thread={threads}"]


def kernel_arguments(machine: Machine) -> str:
    """Return the kernel's command line."""
    console = "ttyAMA0" if machine.arch == "arm64" else "ttyS0"
    words = [
        f"console={console}",
        "rdinit=/init",
        "nokaslr",
        "panic=-1",
        "oops=panic",
        "panic_on_warn=1",
        "printk.time=1",
        "printk.devkmsg=on",
        machine.append,
    ]
    if machine.arch == "x86_64":
        # On a busy host the emulated timer may be too late for the kernel's test.
        words.append("no_timer_check")
        # A CPU of Intel's would get page tables for user level, with which QEMU
        # sometimes does not survive that many NMIs.
        words.append("nopti")
        # On a busy host the kernel finds the CPUs' clocks unstable sooner or later, and
        # patches code that all CPUs run: QEMU lets one that comes by read half of that,
        # and the kernel panics.
        if machine.cpus > 1:
            words.append("tsc=unstable")
    return " ".join(word for word in words if word)
