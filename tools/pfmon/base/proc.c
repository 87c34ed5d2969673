// SPDX-License-Identifier: MIT OR GPL-2.0
/* proc.c - check whether /proc can be used */
#define _GNU_SOURCE
#include <stdlib.h>
#include <unistd.h>

#include "base/proc.h"

/*
 * If /proc belongs to another PID namespace, the link /proc/self is missing or
 * contains another number.
 */
bool proc_is_usable(void)
{
	char text[16];
	ssize_t length = readlink("/proc/self", text, sizeof(text) - 1);

	if (length <= 0)
		return false;
	text[length] = '\0';
	return strtol(text, NULL, 10) == getpid();
}
