// SPDX-License-Identifier: MIT OR GPL-2.0
/* output_signals.c - signals that pfmon's own output causes */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>

#include "base/output_signals.h"

static void do_nothing(int signal)
{
	(void)signal;
}

/*
 * Sets a handler instead of SIG_IGN, because exec() resets handlers to the
 * default action but keeps SIG_IGN. A signal that pfmon's parent ignored stays
 * ignored, also in the programs that pfmon starts.
 */
static void survive(int signal)
{
	const struct sigaction handled = {
		.sa_handler = do_nothing, .sa_flags = SA_RESTART
	};
	struct sigaction now;

	if (!sigaction(signal, NULL, &now) && now.sa_handler != SIG_IGN)
		sigaction(signal, &handled, NULL);
}

void output_signals_survive(void)
{
	survive(SIGPIPE);
	survive(SIGXFSZ);
}
