/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* vdso.h - images of the vDSOs of processes */
#ifndef PFMON_CAPTURE_VDSO_H
#define PFMON_CAPTURE_VDSO_H

#include <stdbool.h>
#include <sys/types.h>

#include "capture/capture.h"
#include "process/mapping.h"

/* The images found so far, of 64-bit and of 32-bit processes. */
struct vdsos;

struct vdsos *vdsos_create(void);
void vdsos_destroy(struct vdsos *vdsos);

/*
 * Returns the build ID of the vDSO that a process maps; @vdsos owns it. Uses an
 * image that was found before, if it can be the mapped one. Returns NULL if the
 * image cannot be read or has no build ID.
 */
const char *vdso_find(struct vdsos *vdsos, pid_t pid,
		      const struct mapping *mapping);

/* Writes a VDSO chunk for each image that was not written yet. */
int vdsos_write(struct vdsos *vdsos, struct capture *capture);

#endif /* PFMON_CAPTURE_VDSO_H */
