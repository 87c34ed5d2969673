# SPDX-License-Identifier: MIT OR GPL-2.0
"""Build captures for the four dear-hist histograms in the manual of pfmon.

Headers and numbers are as printed in the manual, except for its console indentation and
its contradictions:

- The heading of the counts is "#count" twice, and "# #count" twice. This file uses
  the latter.
- The data view has a row for each address, but says "per function histogram".
- The level view says so, too, but has a row for each latency.
- The text says that 11 percent of the level view's misses hit L3, but 11 is their
  latency.

The manual shows all rows of the function view, but only the first rows of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from helpers.itanium import ear_capture, ear_session, load, program
from helpers.writers import Sample

INSTRUCTIONS = """\
# total_samples 9790
# instruction addr view
# sorted by count
# showing per distinct value
# L2   :  5 cycles load latency
# L3   : 14 cycles load latency
# %L2  : percentage of L1 misses that hit L2
# %L3  : percentage of L1 misses that hit L3
# %RAM : percentage of L1 misses that hit memory
# #count   %self    %cum     %L2     %L3    %RAM   instruction addr
    1657  16.93%  16.93%  98.49%   1.51%   0.00% 0x4000000000001ed0 f1+0x10
    1602  16.36%  33.29%   0.00% 100.00%   0.00% 0x4000000000001ed1 f1+0x11
    1296  13.24%  46.53%   0.00% 100.00%   0.00% 0x4000000000001ff1 f1+0x131
    1243  12.70%  59.22%   0.00% 100.00%   0.00% 0x4000000000002001 f1+0x141
    1226  12.52%  71.75% 100.00%   0.00%   0.00% 0x4000000000002000 f1+0x140
    1217  12.43%  84.18% 100.00%   0.00%   0.00% 0x4000000000001ff0 f1+0x130
     403   4.12%  88.29%   3.23%  54.84%  41.94% 0x4000000000002340 verify+0x100
     112   1.14%  89.44%   0.00%  87.50%  12.50% 0x4000000000001611 f2+0x291
     111   1.13%  90.57%   6.31%  66.67%  27.03% 0x4000000000001660 f2+0x2e0
     109   1.11%  91.69%   6.42%  75.23%  18.35% 0x4000000000001630 f2+0x2b0
     107   1.09%  92.78%   5.61%  82.24%  12.15% 0x40000000000015e1 f2+0x261
     106   1.08%  93.86%   5.66%  71.70%  22.64% 0x4000000000001641 f2+0x2c1
     103   1.05%  94.91%   6.80%  66.02%  27.18% 0x4000000000001671 f2+0x2f1
      94   0.96%  95.87%  97.87%   1.06%   1.06% 0x40000000000015a0 f2+0x220
      92   0.94%  96.81%   6.52%  67.39%  26.09% 0x4000000000001690 f2+0x310
      57   0.58%  97.40%   0.00%  94.74%   5.26% 0x4000000000001591 f2+0x211
      56   0.57%  97.97%   0.00% 100.00%   0.00% 0x40000000000015d1 f2+0x251
      45   0.46%  98.43%  44.44%  53.33%   2.22% 0x4000000000003a71 memcpy+0x411
      38   0.39%  98.82%  86.84%  10.53%   2.63% 0x4000000000001590 f2+0x210
      37   0.38%  99.19%  59.46%  40.54%   0.00% 0x4000000000003aa1 memcpy+0x441
      37   0.38%  99.57%   0.00% 100.00%   0.00% 0x4000000000002311 verify+0xd1
"""

FUNCTIONS = """\
# total_samples 9794
# function addr view
# sorted by count
# showing per function histogram
# L2   :  5 cycles load latency
# L3   : 14 cycles load latency
# %L2  : percentage of L1 misses that hit L2
# %L3  : percentage of L1 misses that hit L3
# %RAM : percentage of L1 misses that hit memory
# #count   %self    %cum     %L2     %L3    %RAM      function addr
    8244  84.17%  84.17%  49.81%  50.19%   0.00% 0x4000000000001ec0 f1
    1000  10.21%  94.38%  19.10%  66.50%  14.40% 0x4000000000001380 f2
     466   4.76%  99.14%   2.15%  62.02%  35.84% 0x4000000000002240 verify
      84   0.86% 100.00%  65.48%  33.33%   1.19% 0x4000000000003660 memcpy
"""

DATA = """\
# total_samples 9790
# data addr view
# sorted by count
# showing per distinct value
# L2   :  5 cycles load latency
# L3   : 14 cycles load latency
# %L2  : percentage of L1 misses that hit L2
# %L3  : percentage of L1 misses that hit L3
# %RAM : percentage of L1 misses that hit memory
# #count   %self    %cum     %L2     %L3    %RAM          data addr
    1704  17.41%  17.41%   0.00%  99.94%   0.06% 0x60000ffffe4c7620
    1669  17.05%  34.45%  97.84%   2.16%   0.00% 0x60000ffffe4c7628
    1258  12.85%  47.30%   0.00% 100.00%   0.00% 0x6000000000005698
    1212  12.38%  59.68% 100.00%   0.00%   0.00% 0x6000000000005690
    1201  12.27%  71.95% 100.00%   0.00%   0.00% 0x60000000000056a0
    1198  12.24%  84.19%   0.00% 100.00%   0.00% 0x60000000000056a8
       2   0.02%  84.21%   0.00% 100.00%   0.00% 0x6000000010476cb8
       2   0.02%  84.23%   0.00% 100.00%   0.00% 0x60000000103aff10
       1   0.01%  84.24%   0.00% 100.00%   0.00% 0x600007ffffffe0f8
       1   0.01%  84.25%   0.00% 100.00%   0.00% 0x60000000107c6790
"""

LEVELS = """\
# total_samples 9793
# level view
# sorted by count
# showing per distinct value
# L2   :  5 cycles load latency
# L3   : 14 cycles load latency
# #count   %self    %cum lat(cycles) lat(ns)
    4355  44.47%  44.47%           5       4
    4176  42.64%  87.11%          11       8
     732   7.47%  94.59%          14      10
     146   1.49%  96.08%           7       5
      64   0.65%  96.73%          17      12
      47   0.48%  97.21%          18      13
      45   0.46%  97.67%          16      11
      42   0.43%  98.10%          15      11
      34   0.35%  98.45%           9       6
      15   0.15%  98.60%          19      14
"""

# Addresses of the functions, and lower bounds of their sizes.
FUNCTIONS_AT = {
    "f1": 0x4000000000001EC0,
    "f2": 0x4000000000001380,
    "verify": 0x4000000000002240,
    "memcpy": 0x4000000000003660,
}
SLOW = FUNCTIONS_AT["f1"] + 0x10  # the slow load
SIZES = {"f1": 0x300, "f2": 0xB00, "verify": 0x400, "memcpy": 0x600}
# Latencies of hits in L2, L3 and memory, in cycles.
CYCLES = (5, 11, 20)
SOMEWHERE = 0x6000000000006000  # default address of data


@dataclass(frozen=True)
class Line:
    """A histogram's row: the number of samples, and their address or latency."""

    count: int
    at: int
    of_levels: tuple[int, ...] = ()
    place: str = ""


def lines(table: str) -> list[Line]:
    """Parse the rows of a histogram. In the level view, ``at`` is the latency."""
    found = []
    for text in table.splitlines():
        if text.startswith("#"):
            continue
        count, _, _, *rest = text.split()
        if not rest[0].endswith("%"):
            found.append(Line(int(count), int(rest[0])))
            continue
        parts = [round(int(count) * float(part[:-1]) / 100) for part in rest[:3]]
        place = rest[4] if rest[4:] else ""
        found.append(Line(int(count), int(rest[3], 16), tuple(parts), place))
    return found


def total(table: str) -> int:
    """Return the number of all samples."""
    return int(table.split()[2])


def samples(table: str) -> list[Sample]:
    """Build the samples of a histogram, including those that it does not show."""
    shown, found = lines(table), list[Sample]()
    for line in shown:
        for number, cycles in zip(line.of_levels, CYCLES):
            address = line.at if table == DATA else SOMEWHERE
            ip = SLOW if table == DATA else line.at
            found += number * [load(ip, address, cycles)]
        if not line.of_levels:
            found += line.count * [load(SLOW, SOMEWHERE, line.at)]
    for more in range(total(table) - len(found)):
        found.append(_unseen(table, more))
    return found


def _unseen(table: str, number: int) -> Sample:
    """Build a sample whose row is too small to be shown in the histogram."""
    if table == LEVELS:
        return load(SLOW, SOMEWHERE, 20 + number % 10)
    if table == DATA:
        return load(SLOW, SOMEWHERE + 8 * number, CYCLES[1])
    return load(FUNCTIONS_AT["f2"] + 0x500 + 16 * number, SOMEWHERE, CYCLES[1])


def made(table: str, path: Path) -> bytes:
    """Build a capture for the histogram, and write the sampled program to ``path``."""
    functions = {name: (at, SIZES[name]) for name, at in FUNCTIONS_AT.items()}
    where = program(path, functions)
    return ear_capture(samples(table), ear_session("data_ear_cache_lat4"), [where])
