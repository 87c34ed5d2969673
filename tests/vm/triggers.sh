# SPDX-License-Identifier: MIT OR GPL-2.0
#
# pfmon measures between two functions of triggered, and from an instruction of gated
# on. Both print how often they have called getppid(); triggers.py compares.

BETWEEN_ANY="pfmon --trigger-start=begin --trigger-stop=finish"
BETWEEN="$BETWEEN_ANY -e $E"

# The command hangs before its own code; pfmon ends on SIGTERM.
hang() {
	MARKS_WAIT=1 "$@" >/tmp/waiting &
	pfmon=$!
	until grep -qs waiting /tmp/waiting; do
		runs $pfmon || break
	done
	kill -TERM $pfmon
	wait $pfmon
}

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
# Only x86_64 guests have dynamically linked programs.
if [ $(uname -m) = x86_64 ]; then
	LINKED="pfmon --trigger-start=libmarks:begin --trigger-stop=libmarks.so:finish -e $E"
	part linked $LINKED triggered_linked 5
	part linked-and-own pfmon --trigger-start=main --trigger-stop=libmarks:begin -e $E triggered_linked 5
	part linked-entry pfmon --trigger-start=_start --trigger-stop=libmarks:begin -e $E triggered_linked 5
	part linked-next $LINKED triggered_linked 5 $(which triggered_linked) 3
	part linked-exec $LINKED triggered_linked 5 /bin/true
	! which hotloops32 || part narrow pfmon --trigger-start=libc:qsort -e $E hotloops32
	part linked-nowhere pfmon --trigger-start=libmark:begin -e $E busybox echo executed
	sed s/libmarks/libmarkz/ $(which triggered_linked) >/tmp/broken
	chmod +x /tmp/broken
	part linked-broken $LINKED /tmp/broken
	part linked-hangs hang $LINKED triggered_linked
	echo kept >/tmp/kept
	part linked-no-code pfmon --trigger-start=libmarks:begn -e $E --long-smpl-periods=1 -o /tmp/kept triggered_linked 5
	part linked-kept cat /tmp/kept
fi
# Only the emulated arm64 has counters.
if [ $(uname -m) = aarch64 ]; then
	part few $BETWEEN_ANY -e instructions triggered 10
	part many $BETWEEN_ANY -e instructions triggered 30
fi
let_go
