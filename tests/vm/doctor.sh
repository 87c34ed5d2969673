# SPDX-License-Identifier: MIT OR GPL-2.0
#
# To be sourced in a guest: run pfmon doctor and the commands that it prints.
# Use kmod's programs in /usr/sbin, where Debian has them. Otherwise busybox
# would use its own applets.

kmod='
modprobe() { /usr/sbin/modprobe "$@"; }
depmod() { /usr/sbin/depmod "$@"; }'
eval "$kmod"

lib=/lib/modules/$(uname -r)
extra=$lib/extra

as_nobody() {
	su -s /bin/sh nobody -c "$1"
}

# Read doctor's JSON output from stdin, and print the commands that it suggests
# for a check.
commands_for() {
	sed -e 's,\\/,/,g' -e "s/.*\"$1\",[^]]*\"remedy\":\[\"//" -e 's/"\].*//' \
		-e 's/","/\n/g'
}

# Run the commands in a file and print each of them. $provided may define
# functions that replace some of the commands. sudo just runs its command, and
# id prints "nobody". "su -" is left out because doctor runs in a new login
# anyway.
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

# Run doctor before and after the commands that it prints, as root or as nobody.
mend() {
	mend_for root "$1"
}

# Run doctor before and after ending the processes that doctor names as users of
# counters.
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

# Start a session of the user nobody, which runs doctor on request.
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

# A replacement for usermod(8) that supports only "-aG GROUP USER".
join='usermod() { sed -i "s/^\($2:.*:\)$/\1$3/" /etc/group; }'
eval "$join"

leave_group() {
	sed -i "s/^\($1:.*:\).*/\1/" /etc/group
}

# Start a system-wide measurement in the background, and fail if it does not
# start.
measure_cpus() {
	pfmon --system-wide -e cpu-clock sleep 1000 >/dev/null 2>&1 &
	other=$!
	until grep -q 'pfm_state:.*started' /proc/$other/fdinfo/* 2>/dev/null; do
		kill -0 $other || return
	done
}

# Make a file in /proc or /sys seem to have other contents, until the mount over
# it is removed.
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
