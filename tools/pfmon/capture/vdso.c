// SPDX-License-Identifier: MIT OR GPL-2.0
/* vdso.c - images of the vDSOs of processes */
#define _GNU_SOURCE
#include <elf.h>
#include <endian.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/vdso.h"
#include "process/buildid.h"

#define LARGEST	(1 << 18)

/* The start of a chunk's payload, see docs/capture.md. */
struct vdso_header {
	uint32_t id_size;
	uint32_t reserved;
	uint8_t build_id[LARGEST_BUILD_ID];
};

_Static_assert(sizeof(struct vdso_header) == 72, "docs/capture.md");

struct vdso {
	struct vdso *next;
	char *build_id;
	bool written;
	size_t size;		/* of the payload */
	struct vdso_header *payload;
};

struct vdsos {
	struct vdso *first;
};

struct vdsos *vdsos_create(void)
{
	return checked_calloc(1, sizeof(struct vdsos));
}

void vdsos_destroy(struct vdsos *vdsos)
{
	struct vdso *next;

	for (struct vdso *vdso = vdsos->first; vdso; vdso = next) {
		next = vdso->next;
		free(vdso->build_id);
		free(vdso->payload);
		free(vdso);
	}
	free(vdsos);
}

/* Reads the memory of a process; false if that is not allowed. */
static bool read_memory(pid_t pid, uint64_t start, void *to, size_t size)
{
	char *path = checked_printf("/proc/%d/mem", pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool ok = fd >= 0 && pread(fd, to, size, (off_t)start) == (ssize_t)size;

	if (fd >= 0)
		close(fd);
	free(path);
	return ok;
}

static const char *keep(struct vdsos *vdsos, struct vdso_header *payload,
			size_t size)
{
	char *build_id = buildid_of_image(payload + 1, size - sizeof(*payload));
	struct vdso *vdso = vdsos->first;

	while (build_id && vdso && strcmp(vdso->build_id, build_id))
		vdso = vdso->next;
	if (!build_id || vdso) {
		free(build_id);
		free(payload);
		return vdso ? vdso->build_id : NULL;
	}
	payload->id_size = htole32((uint32_t)strlen(build_id) / 2);
	for (size_t i = 0; build_id[2 * i]; i++) {
		if (sscanf(build_id + 2 * i, "%2hhx",
			   &payload->build_id[i]) != 1)
			break;
	}
	vdso = checked_calloc(1, sizeof(*vdso));
	*vdso = (struct vdso){
		.next = vdsos->first, .build_id = build_id, .size = size,
		.payload = payload,
	};
	vdsos->first = vdso;
	return build_id;
}

/*
 * Returns whether @mapping can be a mapping of this image: both must have the
 * same size, and only images for 64-bit processes are mapped above 4 GiB.
 */
static bool is_of(const struct vdso *vdso, const struct mapping *mapping)
{
	const unsigned char *image = (const unsigned char *)(vdso->payload + 1);
	uint64_t size = mapping->end - mapping->start;

	return vdso->size == sizeof(*vdso->payload) + size &&
	       (image[EI_CLASS] == ELFCLASS64) == (mapping->start >> 32 != 0);
}

/* Reads and keeps the image; returns its build ID, or NULL. */
static const char *vdso_read(struct vdsos *vdsos, pid_t pid,
			     const struct mapping *mapping)
{
	uint64_t size = mapping->end - mapping->start;
	struct vdso_header *payload;

	if (size > LARGEST)
		return NULL;
	payload = checked_calloc(1, sizeof(*payload) + size);
	if (read_memory(pid, mapping->start, payload + 1, size))
		return keep(vdsos, payload, sizeof(*payload) + size);
	free(payload);
	return NULL;
}

const char *vdso_find(struct vdsos *vdsos, pid_t pid,
		      const struct mapping *mapping)
{
	for (struct vdso *vdso = vdsos->first; vdso; vdso = vdso->next) {
		if (is_of(vdso, mapping))
			return vdso->build_id;
	}
	return vdso_read(vdsos, pid, mapping);
}

int vdsos_write(struct vdsos *vdsos, struct capture *capture)
{
	int ret = 0;

	for (struct vdso *vdso = vdsos->first; vdso && !ret;
	     vdso = vdso->next) {
		if (!vdso->written)
			ret = capture_write_packed(capture, "VDSO",
						   vdso->payload, vdso->size);
		vdso->written = true;
	}
	return ret;
}
