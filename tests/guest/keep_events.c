// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * keep_events.c - for scripts: keeps events until it is killed
 */
#include <stdio.h>

#include "keep_events.h"

int main(void)
{
	if (keep_events_on() < 0) {
		perror("keep_events");
		return 1;
	}
	pause();
	return 0;
}
