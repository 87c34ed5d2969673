// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * sim.c - drive the simulated PMU
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ctx.h"
#include "sim.h"

#define ADVANCE	"/sys/kernel/debug/pfm_sim/advance"

void sim_advance(const char *format, ...)
{
	int fd = CHECK_OK(open(ADVANCE, O_WRONLY | O_CLOEXEC));
	char what[768], line[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "task %d ip %#x %s\n", thread_id(),
		 SIM_IP, what);
	CHECK_OK(write(fd, line, strlen(line)));
	close(fd);
}
