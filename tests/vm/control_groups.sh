# SPDX-License-Identifier: MIT OR GPL-2.0
# Count the calls of programs in several control groups. Some groups are created and
# removed meanwhile.
cat >/tmp/work <<'EOF'
groups=/sys/fs/cgroup
calls() {
	(echo 0 >$groups$1/cgroup.procs; exec family forks $2 2) | sed "s,^,$1 ,"
}
calls /high 3 & calls /other 2 & wait
calls /high/low 2
mkdir $groups/high/removed
calls /high/removed 3
rmdir $groups/high/removed $groups/other
family forks 2 2
EOF
event=syscalls:sys_enter_getppid
several="pfmon --system-wide --cgroup=/high,/high/low --cgroup=/other,/other,/"
mkdir /sys/fs/cgroup/high /sys/fs/cgroup/high/low /sys/fs/cgroup/other &&
echo once: &&
$several --json -e $event,context-switches -o /out/groups.json sh /tmp/work &&
mkdir /sys/fs/cgroup/other &&
echo intervals: &&
$several --csv -I 20 -e $event -o /out/groups.csv sh /tmp/work &&
mkdir /sys/fs/cgroup/other &&
echo samples: &&
pfmon --system-wide --smpl-module=cgroup_counts -o /out/group_switches.cap \
	-e context-switches,context-switches --long-smpl-periods=1 sh /tmp/work &&
mkdir /sys/fs/cgroup/other &&
$several --table -r 2 --aggregate-results -e $event true &&
limit=/sys/module/perfmon/parameters/ovfl_rate_max usual=$(cat $limit) &&
echo 50 >$limit &&
pfmon --system-wide --cgroup=/,/high --csv -I 50 -e context-switches -o /out/limited.csv \
	sh -c 'for n in 1 2 3 4 5 6; do family forks 20 5 >/dev/null; done' &&
echo $usual >$limit &&
! pfmon --system-wide --cgroup=/,/.. -e $event true
