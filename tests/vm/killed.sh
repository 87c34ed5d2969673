# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Kill pfmon at many points of a session; killed.py checks the captures.

# Kill pfmon at every STEP-th stop at a system call, until it ends before that.
# Each time, the command must end, and the modules must not be in use
# afterwards. The first run, in which pfmon is not killed, loads the format's
# module.
killed() {
	name=$1 n=1
	shift
	set -- "$@" -e page-faults --long-smpl-periods=1 --smpl-entries=64
	"$@" -o /tmp/unharmed true
	before=$(references)
	while kill_at $n "$@" -o /out/$name-$n.cap family forks 3 2 >/tmp/said 2>&1 ||
		{ status=$? && false; }; do
		test "$(references)" = "$before" || echo "in use after $n: $(references)"
		n=$((n + STEP))
	done
	cat /tmp/said
	echo "killed before $n: $status"
}

part samples killed samples pfmon
part chains killed chains pfmon -g
let_go
