# SPDX-License-Identifier: MIT OR GPL-2.0
#
#
# Measure between two functions of the program "triggered", and in the program
# "gated" from a certain instruction on. Both programs call getppid() a known
# number of times. triggers.py compares the counts with these numbers.

BETWEEN_ANY="pfmon --trigger-start=begin --trigger-stop=finish"
BETWEEN="$BETWEEN_ANY -e $E"

part rounds $BETWEEN triggered 5
part first pfmon --trigger-start=begin -e $E triggered 5
part last pfmon --trigger-stop=begin -e $E triggered 5
part never $BETWEEN triggered 0
part programs $BETWEEN triggered 5 $(which triggered) 3
part exec $BETWEEN triggered 5 /bin/true
part nowhere pfmon --trigger-start=begn -e $E sh -c 'echo executed'
part samples $BETWEEN -uk --long-smpl-periods=1 --smpl-entries=256 -o /out/triggered.cap triggered 20
for kind in forks execs exits waits masks signals; do
	part $kind pfmon --trigger-start=gate -e $E gated $kind
done
part signals-before pfmon --trigger-start=pass -e $E gated signals
! which hotloops32 || part narrow pfmon --trigger-start=main -e $E hotloops32
# Only the emulated arm64 CPU has counters.
if [ $(uname -m) = aarch64 ]; then
	part few $BETWEEN_ANY -e instructions triggered 10
	part many $BETWEEN_ANY -e instructions triggered 30
fi
let_go
