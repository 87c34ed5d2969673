// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * setmap.c - read PMDs from the page of their event set (Eranian 2006, 8)
 *
 * Only the sets of contexts with PFM_FL_MAP_SETS have a page. Values that are
 * not in the page are read with PFM_READ_PMDS.
 */
/* Use 64-bit mapping offsets in 32-bit programs, too. */
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "counter.h"
#include "ioctl.h"

/*
 * Limit the retries: something may interrupt the kernel for a long time while
 * it writes the page.
 */
#define MAX_TRIES	16
#define NSEC_PER_SEC	1000000000ULL

/**
 * struct pfm_set_map - a mapped event set
 * @page: its page
 * @size: size of the mapping in bytes
 * @fd:   descriptor of the context
 * @set:  number of the set
 * @user: process that created the mapping
 */
struct pfm_set_map {
	const volatile pfm_set_page_t	*page;
	size_t				size;
	int				fd;
	__u16				set;
	struct counter_user		user;
};

static int mmap_offset(int fd, unsigned int set, off_t *offset)
{
	pfarg_setinfo_t info = { .set_id = (__u16)set };

	if (set > 0xffff)
		return fail(EINVAL);
	if (pfm_getinfo_evtsets(fd, &info, 1) < 0)
		return -1;
	if (!info.set_mmap_offset)
		return fail(EINVAL);
	*offset = (off_t)info.set_mmap_offset;
	return 0;
}

struct pfm_set_map *pfm_map_set(int fd, unsigned int set)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	struct pfm_set_map *map;
	off_t offset;
	void *page;
	int error;

	if (mmap_offset(fd, set, &offset) < 0)
		return NULL;
	map = malloc(sizeof(*map));
	if (!map)
		return NULL;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);
	if (page == MAP_FAILED) {
		error = errno;
		free(map);
		errno = error;
		return NULL;
	}
	*map = (struct pfm_set_map){
		.page = page,
		.size = size,
		.fd = fd,
		.set = (__u16)set,
		.user = counter_this_user(),
	};
	return map;
}

void pfm_unmap_set(struct pfm_set_map *map)
{
	if (!map)
		return;
	munmap((void *)map->page, map->size);
	free(map);
}

static __u64 monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * NSEC_PER_SEC + (__u64)now.tv_nsec;
}

/* Get the count from which to subtract map_value. Return: as counter_read(). */
static inline int read_live(const struct pfm_set_map *map, int state,
			    __u64 *value)
{
	if (state >= PFM_MAP_COUNTER)
		return counter_read(&map->user, map->page, state, value);
	if (state != PFM_MAP_CLOCK)
		return 0;
	*value = monotonic_ns();
	return 1;
}

/* Read a PMD as its state in the page requires. Return: as counter_read(). */
static inline int read_page(const struct pfm_set_map *map, unsigned int pmd,
			    __u64 *value)
{
	const volatile pfm_set_page_t *page = map->page;
	__u32 seq = __atomic_load_n(&page->map_seq, __ATOMIC_ACQUIRE);
	int state = page->map_state[pmd];
	__u64 kept = page->map_value[pmd], live = 0;
	int found = 1;

	if (state != PFM_MAP_VALUE) {
		found = read_live(map, state, &live);
		kept = live - kept;
	}
	/* Pairs with the kernel's barrier after it has made map_seq odd. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (seq & 1 || seq != __atomic_load_n(&page->map_seq, __ATOMIC_RELAXED))
		return -1;
	*value = kept;
	return found;
}

static __attribute__((__noinline__)) int
ask_kernel(const struct pfm_set_map *map, unsigned int pmd, __u64 *value)
{
	pfarg_pmd_t arg = { .reg_num = (__u16)pmd, .reg_set = map->set };

	if (pfm_read_pmds(map->fd, &arg, 1) < 0)
		return -1;
	*value = arg.reg_value;
	return 0;
}

/*
 * Retry a read during which the page was changed. Not inlined, so that the
 * common path does not save registers.
 */
static __attribute__((__noinline__)) int
read_again(const struct pfm_set_map *map, unsigned int pmd, __u64 *value)
{
	int found = -1;
	__u64 read;

	for (int i = 1; i < MAX_TRIES && found < 0; i++)
		found = read_page(map, pmd, &read);
	if (found <= 0)
		return ask_kernel(map, pmd, value);
	*value = read;
	return 0;
}

int pfm_read_mapped(const struct pfm_set_map *map, unsigned int pmd,
		    __u64 *value)
{
	__u64 read;
	int found;

	if (pmd >= PFM_MAX_PMDS)
		return fail(EINVAL);
	found = read_page(map, pmd, &read);
	if (!found)
		return ask_kernel(map, pmd, value);
	if (found < 0)
		return read_again(map, pmd, value);
	*value = read;
	return 0;
}
