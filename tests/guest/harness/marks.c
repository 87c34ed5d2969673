// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * marks.c - trigger functions of the program "triggered"
 *
 * With MARKS_WAIT in the environment, the constructor never returns: loading
 * does not finish.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "marks.h"

__attribute__((constructor)) static void wait_if_asked(void)
{
	if (!getenv("MARKS_WAIT"))
		return;
	puts("waiting");
	fflush(stdout);
	for (;;)
		pause();
}

void begin(void)
{
	__asm__ volatile("" ::: "memory");
}

void finish(void)
{
	__asm__ volatile("" ::: "memory");
}
