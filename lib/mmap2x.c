// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * mmap2x.c - mmap() for perfmon 2.x programs, which map buffers MAP_PRIVATE
 *
 * The specification allows only MAP_SHARED (3.5.4). For a mapping that cannot
 * be written the two kinds are equivalent. Every call is first made as
 * requested. If a private, read-only mapping of a context fails with EINVAL, it
 * is retried as a shared one.
 */
#define _GNU_SOURCE
/* mmap() and mmap64() are both defined here, each with its own offset type. */
#undef _FILE_OFFSET_BITS
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "ioctl.h"

#pragma GCC visibility push(default)
void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset);
void *mmap64(void *addr, size_t size, int prot, int flags, int fd,
	     off64_t offset);
#pragma GCC visibility pop

/* SYS_mmap2, of 32-bit systems, takes the offset in units of 2^12 bytes. */
#define MMAP2_SHIFT	12

static void *map(void *addr, size_t size, int prot, int flags, int fd,
		 uint64_t offset)
{
#ifdef SYS_mmap2
	unsigned long pages = offset >> MMAP2_SHIFT;

	if ((uint64_t)pages << MMAP2_SHIFT != offset) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	return (void *)syscall(SYS_mmap2, addr, size, prot, flags, fd, pages);
#else
	return (void *)syscall(SYS_mmap, addr, size, prot, flags, fd, offset);
#endif
}

/*
 * Map as requested; if that fails as described above, retry as a shared
 * mapping, in which records that are written after the call also appear.
 */
static void *map_buffer(void *addr, size_t size, int prot, int flags, int fd,
			uint64_t offset)
{
	void *mapped = map(addr, size, prot, flags, fd, offset);

	if (mapped != MAP_FAILED || errno != EINVAL || prot != PROT_READ ||
	    (flags & MAP_TYPE) != MAP_PRIVATE || flags & MAP_ANONYMOUS)
		return mapped;
	if (pfm_is_context(fd))
		return map(addr, size, prot,
			   (flags & ~MAP_TYPE) | MAP_SHARED, fd, offset);
	errno = EINVAL;
	return MAP_FAILED;
}

void *mmap64(void *addr, size_t size, int prot, int flags, int fd,
	     off64_t offset)
{
	return map_buffer(addr, size, prot, flags, fd, offset);
}

/* Treat a 32-bit offset as unsigned. */
void *mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	return map_buffer(addr, size, prot, flags, fd, (unsigned long)offset);
}
