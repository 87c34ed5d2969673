// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * exec_worker.c - the program "worker", which a worker process executes when it
 *		   is asked to (WORK_EXEC)
 */
#include <stddef.h>

#include "worker.h"

int main(void)
{
	worker_loop(WORKER_ASK_FD, WORKER_DONE_FD, NULL);
	return 0;
}
