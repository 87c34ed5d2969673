// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * slab.c - count the objects in the kernel's caches
 *
 * While a CPU allocates from a slab, all objects of that slab count as used in
 * /proc/slabinfo, so all caches are shrunk first. The files for shrinking stay
 * open, because opening a file allocates objects.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "files.h"
#include "slab.h"

#define MAX_CACHES	512
#define SAME_COUNTS	2	/* stop after this many without a decrease */
#define MAX_COUNTS	50
#define SLABINFO	"/proc/slabinfo"
#define DROP_CACHES	"/proc/sys/vm/drop_caches"

struct cache {
	char	name[64];
	long	before;
	long	objects;
	int	shrink;
};

static struct cache caches[MAX_CACHES];
static unsigned int num_caches;
static int slabinfo;

static struct cache *find_cache(const char *name)
{
	for (unsigned int i = 0; i < num_caches; i++)
		if (!strcmp(caches[i].name, name))
			return &caches[i];
	return NULL;
}

static void add_cache(const char *name)
{
	struct cache *c = &caches[num_caches++];
	char path[128];

	CHECK(num_caches < MAX_CACHES);
	snprintf(path, sizeof(path), "/sys/kernel/slab/%s/shrink", name);
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->shrink = CHECK_OK(open(path, O_WRONLY | O_CLOEXEC));
}

/* Call a function for each cache. */
static void list_caches(void (*call)(const char *name, long objects))
{
	static char text[1 << 17];
	ssize_t len = 0, n;
	char name[64];
	long objects;

	while ((n = CHECK_OK(pread(slabinfo, text + len,
				   sizeof(text) - 1 - len, len))) > 0)
		len += n;
	text[len] = '\0';
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		if (sscanf(line, "%63s %ld", name, &objects) == 2)
			call(name, objects);
}

static void begin_cache(const char *name, long objects)
{
	/*
	 * Skip vmap_area, because the kernel keeps freed address ranges until
	 * there are many of them.
	 */
	if (strcmp(name, "vmap_area"))
		add_cache(name);
}

static bool has_fallen;

static void count_cache(const char *name, long objects)
{
	struct cache *c = find_cache(name);

	if (!c)
		return;
	has_fallen |= objects < c->objects;
	c->objects = objects;
}

/*
 * Dropping caches also makes the kernel start to free objects that wait for an
 * RCU grace period.
 */
static void count_now(void)
{
	write_text(DROP_CACHES, "2");
	for (unsigned int i = 0; i < num_caches; i++)
		CHECK_EQ(write(caches[i].shrink, "1", 1), 1);
	has_fallen = false;
	list_caches(count_cache);
}

/* Count repeatedly until no more objects are freed. */
static void count_all(void)
{
	unsigned int counts = 0, same = 0;

	count_now();
	while (same < SAME_COUNTS) {
		CHECK(++counts < MAX_COUNTS);
		count_now();
		same = has_fallen ? 0 : same + 1;
	}
}

void slab_begin(void)
{
	/* Keep the kernel from logging each drop. */
	write_text(DROP_CACHES, "4");
	slabinfo = CHECK_OK(open(SLABINFO, O_RDONLY | O_CLOEXEC));
	list_caches(begin_cache);
	count_all();
	for (unsigned int i = 0; i < num_caches; i++)
		caches[i].before = caches[i].objects;
}

static bool has_grown(struct cache *c, long n)
{
	long more = c->objects - c->before;

	c->before = c->objects;
	if (more < n)
		return false;
	printf("# %s: %ld more objects\n", c->name, more);
	return true;
}

bool slab_has_grown(long n)
{
	bool grown = false;

	count_all();
	for (unsigned int i = 0; i < num_caches; i++)
		grown |= has_grown(&caches[i], n);
	return grown;
}
