// SPDX-License-Identifier: GPL-2.0
/*
 * forge.c - change the mapped buffer, as an attacker could
 *
 * The handler may then write nonsense into the buffer. It must not write
 * outside of it, hang or crash.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include "conform.h"

/* Number of bytes at the start of the buffer in which fields are forged. */
#define HEADER		512
/* Number of buffers with random content. */
#define ROUNDS		200
#define ROUNDS_QUICK	20

/* Call the handler and both kinds of restart, twice. */
static int forge_use(struct conform *c)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; !ret && i < 2; i++)
		ret = conform_overflow(c, 1 + i, NULL) ?:
			conform_restart(c, true) ?: conform_restart(c, false);
	return ret;
}

/* Forge a field that may be a pointer, an offset, or a count. */
static void forge_field(struct conform *c, size_t at, unsigned int how)
{
	u64 value = how & 1 ? U64_MAX : c->buf.size - (how & 6);
	size_t size = min_t(size_t, how & 8 ? 8 : 4, c->buf.size - at);

	memcpy(c->buf.start + at, &value, size);
	/* Do not poison: the headers no longer tell where records are. */
	c->sink.hdr_magic = 0;
}

static int forge_fields(struct conform *c)
{
	size_t end = min_t(size_t, HEADER, c->buf.size), at;
	unsigned int how;
	int ret = 0;

	for (at = 0; !ret && at < end; at += 4)
		for (how = 0; !ret && how < 16; how++) {
			/* Undo the previous forgery. */
			ret = conform_make_small(c);
			if (ret)
				break;
			forge_field(c, at, how);
			ret = forge_use(c);
		}
	if (ret == -EBADMSG)
		conform_more(c, ", after byte %zu of its buffer was forged",
			     at - 4);
	return ret;
}

/* Overwrite the whole buffer with random bytes after some overflows. */
static int forge_all(struct conform *c)
{
	unsigned int level = conform_random(c, 40);
	int ret = conform_make(c);

	while (!ret && !c->held && level--)
		ret = conform_overflow(c, 1, NULL);
	if (ret)
		return ret;
	prandom_bytes_state(&c->rnd, c->buf.start, c->buf.size);
	c->sink.hdr_magic = 0;
	ret = forge_use(c) ?: conform_fill(c, 2) ?: forge_use(c) ?:
		conform_end(c);
	if (ret == -EBADMSG)
		conform_more(c, ", after its whole buffer was forged");
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
