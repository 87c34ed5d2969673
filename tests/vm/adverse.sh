# SPDX-License-Identifier: MIT OR GPL-2.0
#
# Run pfmon where it cannot measure or write as usual; adverse.py checks what
# each part prints.

SAMPLE="pfmon -e page-faults --long-smpl-periods=1 --smpl-entries=64"
EVERYWHERE="$SAMPLE --system-wide --cpu-list=0"
INTERVALS="pfmon -I 1 -e page-faults"
# Cause page faults that fill the buffer many times, and then print a line. The
# line proves that the command continued after pfmon's output had failed.
FAULT='i=0; while [ $i -lt 300 ]; do (:); i=$((i+1)); done; echo went on >&2; exit 3'

# Print the exit status, even if standard output is a pipe without a reader.
tell() {
	"$@"
	echo "status $?" >&2
}

# Limit the size of files to 32 KiB. Captures reach this limit only while the
# command is running.
limited() (
	ulimit -f 64
	tell $1 -o /tmp/limited.cap sh -c "$FAULT"
)

# The reader of pfmon's output exits while the command is running.
piped() {
	mkfifo /tmp/piped
	head -c $2 /tmp/piped >/dev/null &
	tell $1 -o /tmp/piped sh -c "$FAULT"
	rm /tmp/piped
}

# The reader of pfmon's standard output exits while the command is running.
unread() {
	tell $INTERVALS -o - sh -c "$FAULT" | head -n 1 >/dev/null
}

# Run a command as a user who may lock only a little more memory than one session
# of pfmon needs.
as_user() (
	ulimit -l 24
	exec $AS_USER "$@"
)

# pfmon's control group reaches its limit on memory while pfmon samples, so that
# the kernel kills pfmon. The command is in another group, and ends later.
out_of_memory() {
	groups=/sys/fs/cgroup
	group=$groups/scarce
	capture=/out/out-of-memory.cap
	level=/proc/sys/kernel/perf_event_paranoid
	usual=$(cat $level)
	echo 2 >$level
	chmod 777 /out
	mkfifo -m 777 /tmp/told
	echo +memory >$groups/cgroup.subtree_control && mkdir $group || return
	references
	(
		echo 0 >$group/cgroup.procs
		as_user $SAMPLE -o $capture sh -c 'echo $$ >/tmp/told
			until test -e /tmp/killed; do (:); done
			(:); echo went on >/tmp/went-on'
	) &
	pfmon=$!
	read -r pid </tmp/told
	echo $pid >$groups/cgroup.procs
	until [ $(stat -c %s $capture) -gt 20000 ]; do
		runs $pfmon || return
	done
	echo $(($(cat $group/memory.current) + 65536)) >$group/memory.max
	wait $pfmon
	echo "status $?"
	touch /tmp/killed
	while runs $pid; do :; done
	cat /tmp/went-on
	grep '^oom_kill ' $group/memory.events
	rmdir $group
	references
	as_user $SAMPLE -o /tmp/again.cap true
	echo $usual >$level
}

# Print which signals a program ignores.
IGNORED="pfmon -e page-faults -o /tmp/none grep SigIgn /proc/self/status"

part file-limit limited "$SAMPLE"
part reader-ends piped "$SAMPLE" 30000
part reader-ends-counts piped "$INTERVALS" 99
part reader-ends-stdout unread
part default $IGNORED
part pipe-ignored sh -c "trap '' PIPE; $IGNORED"
# Run without /proc, or in a PID namespace with the /proc of another namespace.
NO_PROC="unshare --mount sh -c 'umount -l /proc; exec \"\$@\"' --"
part no-proc eval "$NO_PROC $SAMPLE -o /out/no-proc.cap true"
part no-proc-counts eval "$NO_PROC $INTERVALS -o /tmp/blind true"
part other-proc unshare --pid --fork $SAMPLE -o /out/other-proc.cap true
# Process 2 is kthreadd.
part kernel-thread pfmon --attach-process=2 -e page-faults
let_go
part file-limit-cpu limited "$EVERYWHERE"
part reader-ends-cpu piped "$EVERYWHERE" 30000
# perf reports the files of programs that are executed during the session.
part no-proc-cpu eval "$NO_PROC $EVERYWHERE --pin-command -o /out/no-proc-cpu.cap sh -c 'sh -c :; exit 0'"
part out-of-memory out_of_memory
