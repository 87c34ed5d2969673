// SPDX-License-Identifier: GPL-2.0
/*
 * finding.c - the finding of a check, and random numbers for checks
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "conform.h"

int conform_fail(struct conform *c, const char *text, ...)
{
	va_list args;

	va_start(args, text);
	if (!*c->text)
		vscnprintf(c->text, sizeof(c->text), text, args);
	va_end(args);
	return -EBADMSG;
}

void conform_more(struct conform *c, const char *text, ...)
{
	size_t used = strlen(c->text);
	va_list args;

	va_start(args, text);
	vscnprintf(c->text + used, sizeof(c->text) - used, text, args);
	va_end(args);
}

int conform_skip(struct conform *c, const char *text, ...)
{
	va_list args;

	va_start(args, text);
	vscnprintf(c->text, sizeof(c->text), text, args);
	va_end(args);
	return -EOPNOTSUPP;
}

u32 conform_random(struct conform *c, u32 ceiling)
{
	return prandom_u32_state(&c->rnd) % ceiling;
}
