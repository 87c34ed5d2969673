// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * cpu_watch.c - notice CPUs that come online
 *
 * The kernel broadcasts a message for each change of a device. A filter drops
 * all messages that do not begin with "onli", as "online@PATH" does. The kernel
 * sends these messages only to network namespaces that belong to the initial
 * user namespace. In other network namespaces, pfmon does not notice new CPUs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cpu_watch.h"
#include "base/util.h"

#define KERNEL_GROUP	1	/* the kernel's messages, not udev's */
#define ONLI		0x6f6e6c69

static bool listen_for_cpus(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ONLI, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	const struct sock_fprog filter = { ARRAY_SIZE(code), code };
	const struct sockaddr_nl address = {
		.nl_family = AF_NETLINK,
		.nl_groups = KERNEL_GROUP,
	};

	return !setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
			   sizeof(filter)) &&
	       !bind(fd, (const struct sockaddr *)&address, sizeof(address));
}

int cpu_watch_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || listen_for_cpus(fd))
		return fd;
	close(fd);
	return -1;
}

/*
 * Returns 1 for a message about a CPU, 0 for one about another device, and -1
 * with errno set if there is no message.
 */
static int read_message(int fd, int *cpu)
{
	char text[4096];	/* more than UEVENT_BUFFER_SIZE */
	ssize_t got = recv(fd, text, sizeof(text) - 1, 0);

	if (got < 0)
		return -1;
	text[got] = '\0';
	return sscanf(text, "online@/devices/system/cpu/cpu%d", cpu) == 1;
}

bool cpu_watch_next(int fd, int *cpu)
{
	int found;

	do {
		found = read_message(fd, cpu);
	} while (!found || (found < 0 && errno == EINTR));
	if (found < 0 && errno == ENOBUFS) {
		*cpu = UNKNOWN_CPU;
		return true;
	}
	return found > 0;
}
