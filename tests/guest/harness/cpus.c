// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * cpus.c - take the second CPU offline and back online
 */
#include <unistd.h>

#include "check.h"
#include "cpus.h"
#include "files.h"

#define ONLINE	"/sys/devices/system/cpu/cpu1/online"

void set_second_cpu(bool online)
{
	write_text(ONLINE, online ? "1" : "0");
}

void need_second_cpu(void)
{
	if (access(ONLINE, W_OK))
		check_skip("needs a second CPU that can go offline");
	set_second_cpu(true);
}
