# SPDX-License-Identifier: MIT OR GPL-2.0
#
# To be sourced in a guest: asks pfmon doctor, and does what it says. kmod is in
# /usr/sbin, as Debian has it; busybox would take its own.

kmod='
modprobe() { /usr/sbin/modprobe "$@"; }
depmod() { /usr/sbin/depmod "$@"; }'
eval "$kmod"

lib=/lib/modules/$(uname -r)
extra=$lib/extra

as_nobody() {
	su -s /bin/sh nobody -c "$1"
}

# The commands for a check, from what doctor says in JSON.
commands_for() {
	sed -e 's,\\/,/,g' -e "s/.*\"$1\",[^]]*\"remedy\":\[\"//" -e 's/"\].*//' \
		-e 's/","/\n/g'
}

# Does the file's commands, and prints them, with functions of $provided, if any. Who
# was told to use sudo is nobody, and instead of su - logs in again.
follow() {
	sed 's/^/+ /' "$1"
	{
		echo "$kmod; $join"
		echo "$provided"
		echo 'sudo() { "$@"; }; id() { echo nobody; }'
		grep -v '^su - ' "$1"
	} >/tmp/commands
	sh -e /tmp/commands
}

# What is found before and after what was found is mended, by root or by nobody.
mend() {
	mend_for root "$1"
}

# The same for those who have the counters: they are named, but not to be ended.
end_holders() {
	found=$(pfmon doctor --json)
	echo "$found"
	kill $(echo "$found" | sed -n 's/.*open in processes \([0-9 ]*\)".*/\1/p')
	pfmon doctor --json
}

mend_for_nobody() {
	mend_for nobody "$1"
}

mend_for() {
	found=$(su -s /bin/sh "$1" -c 'pfmon doctor --json')
	echo "$found"
	echo "$found" | commands_for "$2" >/tmp/mend
	follow /tmp/mend
	su -s /bin/sh "$1" -c 'pfmon doctor --json'
}

# A session of nobody's that begins now, and asks when it is told to.
begin_session() {
	mkfifo -m 666 /tmp/begun /tmp/ask
	as_nobody 'echo >/tmp/begun; read -r _ </tmp/ask; pfmon doctor --json' &
	session=$!
	read -r _ </tmp/begun
}

end_session() {
	echo now >/tmp/ask
	wait "$session"
}

# As usermod(8): -aG, a group, and a user who joins it.
join='usermod() { sed -i "s/^\($2:.*:\)$/\1$3/" /etc/group; }'
eval "$join"

leave_group() {
	sed -i "s/^\($1:.*:\).*/\1/" /etc/group
}

# Something else measures whole CPUs, unless it cannot.
measure_cpus() {
	pfmon --system-wide -e cpu-clock sleep 1000 >/dev/null 2>&1 &
	other=$!
	until grep -q 'pfm_state:.*started' /proc/$other/fdinfo/* 2>/dev/null; do
		kill -0 $other || return
		usleep 10000
	done
}

# A file of the kernel's has another content, until whatever it belongs to goes.
pretend() {
	other_content=$(mktemp)
	echo "$2" >"$other_content"
	mount --bind "$other_content" "$1"
}

prepare() {
	: >/etc/debian_version
	echo perfmon::77: >>/etc/group
	mount -t securityfs securityfs /sys/kernel/security
	depmod
}
