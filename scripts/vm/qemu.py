# SPDX-License-Identifier: MIT OR GPL-2.0
"""The command line of QEMU for each kind of guest.

A guest has four channels: its console (kernel log), and three virtio-serial ports for
the command's output, the verdict, and the files that the command wrote.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firmware import Firmware

PORTS = ("output", "verdict", "files")
CHANNELS = ("console", *PORTS)
# With icount, one instruction takes 2^ICOUNT_SHIFT ns of guest time.
ICOUNT_SHIFT = 1


class QemuError(Exception):
    """QEMU is missing or cannot do what is requested; the message says what to do."""


@dataclass(frozen=True)
class Machine:
    """One guest machine.

    arch: x86_64 or arm64. cpus: number of CPUs. memory: size in MiB.
    icount: derive the guest's time from the number of executed instructions.
    parallel: emulate each CPU in a separate thread; not with icount.
    append: words added to the kernel's command line.
    disk: a raw image that the guest may write to, None if it has no disk.
    firmware: UEFI firmware, which boots the kernel from firmware.disk; x86_64 only.
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


# QEMU up to 10.0 also reads the masked-out elements of masked loads (VMASKMOVPS etc.).
# If the next page is not mapped, the program dies. numpy 2 uses such loads to sort.
# Therefore AVX and everything that depends on it is disabled.
WITHOUT_AVX = "-avx,-avx2,-fma,-f16c,-vaes,-vpclmulqdq"
# If an interrupt follows a CMPXCHG16B, QEMU 7.2 may save wrong flags, for example with
# TF or IF set. Without cx16 the kernel does not use the instruction.
# vendor=GenuineIntel: only Intel's precise events record all registers. Machines with
# icount are for measurements. They have few interrupts and no precise events, so their
# CPU does without these changes (COUNTED_CPU).
CPU = "max"
INTERRUPTED_CPU = f"{CPU},-cx16,{WITHOUT_AVX},vendor=GenuineIntel"
# With icount the TSC never changes its rate, but by default QEMU does not announce this
# to the guest. These flags make QEMU announce it, because otherwise perfmon would not
# use the TSC for raw time stamps.
COUNTED_CPU = f"{CPU},+invtsc,x-force-features=on,check=off"
# System management mode protects the EFI variables.
FIRMWARE_BOARD = "q35,smm=on"


def command(
    machine: Machine, initramfs: Path, backends: Mapping[str, str]
) -> list[str]:
    """Return the QEMU command line that boots the machine, as a list of arguments.

    `backends` maps each of CHANNELS to its character device, in the syntax of QEMU's
    -chardev. Raises QemuError.
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
        # The disk comes after the ports. In front of them, it would be virtio device 0,
        # and the guest would no longer call the ports vport0p1 to vport0p3. The image
        # is discarded after the run, so QEMU need not write it to the host's disk.
        drive = f"if=none,id=disk,format=raw,cache=unsafe,file={machine.disk}"
        arguments += ["-drive", drive, "-device", "virtio-blk-pci,drive=disk"]
    if machine.firmware:
        arguments += firmware_arguments(machine.firmware)
    return arguments


def firmware_arguments(firmware: Firmware) -> list[str]:
    """Return the arguments for a machine that this firmware boots.

    Only code in system management mode may write the EFI variables.
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
        raise QemuError(f"{name} is missing: run 'apt-get install {package}'")
    return name


def _cpu(machine: Machine) -> list[str]:
    if machine.arch == "arm64":
        kind = ["-M", "virt", "-cpu", "cortex-a57"]
    else:
        board = FIRMWARE_BOARD if machine.firmware else "pc"
        kind = ["-M", board, "-cpu", COUNTED_CPU if machine.icount else INTERRUPTED_CPU]
    if machine.icount and machine.arch == "x86_64" and machine.cpus > 1:
        raise QemuError(
            "with --icount, the second CPU of an x86_64 guest never starts; use --smp 1"
        )
    if machine.icount:
        count = f"shift={ICOUNT_SHIFT},sleep=off"
        return [*kind, "-accel", "tcg,thread=single", "-icount", count]
    # With a thread for each CPU, a CPU may execute old code forever after the kernel
    # has patched it.
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
        # On a busy host, the emulated timer may be too late for the kernel's timer
        # check.
        words.append("no_timer_check")
        # On an Intel CPU, the kernel would use separate page tables for user space
        # (PTI). With them, QEMU sometimes crashes under many NMIs.
        words.append("nopti")
        # On a busy host the kernel eventually finds that the CPUs' clocks are unstable.
        # Then it patches code that all CPUs run. Another CPU may execute a half-patched
        # instruction in QEMU, and the kernel panics.
        if machine.cpus > 1:
            words.append("tsc=unstable")
    return " ".join(word for word in words if word)
