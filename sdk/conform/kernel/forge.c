// SPDX-License-Identifier: GPL-2.0
/*
 * forge.c - what is mapped is not to be trusted: somebody may have changed it
 *
 * The handler may write nonsense into a buffer that is nonsense; it may not
 * write beside it, hang or crash.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "conform.h"

/* Bytes of the header that are forged one by one. */
#define HEADER		512
/* Buffers full of chance. */
#define ROUNDS		200
#define ROUNDS_QUICK	20

/* All that is called with a context, twice. */
static int forge_use(struct conform *c)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++)
		ret = conform_overflow(c, 1 + i, NULL) ?:
			conform_restart(c, true) ?: conform_restart(c, false);
	return ret;
}

/* What a pointer, an offset, or a count could be made of. */
static void forge_field(struct conform *c, size_t at, unsigned int how)
{
	u64 value = how & 1 ? U64_MAX : c->buf.size - (how & 6);
	size_t size = min_t(size_t, how & 8 ? 8 : 4, c->buf.size - at);

	memcpy(c->buf.start + at, &value, size);
}

static int forge_fields(struct conform *c)
{
	size_t end = min_t(size_t, HEADER, c->buf.size), at;
	unsigned int how;
	int ret = 0;

	for (at = 0; !ret && at < end; at += 4)
		for (how = 0; !ret && how < 16; how++) {
			/* What was forged before is as the format had it. */
			ret = conform_make_small(c);
			if (ret)
				break;
			forge_field(c, at, how);
			ret = forge_use(c);
		}
	if (ret == -EBADMSG)
		conform_more(c, ", when byte %zu of its buffer has been forged",
			     at - 4);
	return ret;
}

/* At some fill level, everything becomes chance. */
static int forge_all(struct conform *c)
{
	unsigned int level = conform_random(c, 40);
	int ret = conform_make(c);

	while (!ret && !c->held && level--)
		ret = conform_overflow(c, 1, NULL);
	if (ret)
		return ret;
	prandom_bytes_state(&c->rnd, c->buf.start, c->buf.size);
	ret = forge_use(c) ?: conform_fill(c, 2) ?: forge_use(c) ?:
		conform_end(c);
	if (ret == -EBADMSG)
		conform_more(c, ", when its whole buffer has been forged");
	return ret;
}

int conform_check_forged(struct conform *c)
{
	unsigned int n = c->quick ? ROUNDS_QUICK : ROUNDS;
	int ret = conform_make_small(c) ?: conform_values(c, 2);

	if (ret)
		return ret;
	if (!c->buf.size)
		return conform_skip(c, "the format has no buffer");
	ret = forge_fields(c) ?: conform_end(c);
	for (; !ret && n; n--)
		ret = forge_all(c);
	return ret;
}
