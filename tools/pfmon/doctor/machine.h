/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * machine.h - the machine that `pfmon doctor` examines, and its user
 *
 * Whatever files tell is read below a root: tests have trees that look like
 * machines.
 */
#ifndef PFMON_DOCTOR_MACHINE_H
#define PFMON_DOCTOR_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"

struct trial;

struct machine {
	const char *root;	/* "" for the machine that this runs on */
	char *release;		/* of the running kernel */
	char *arch;		/* as uname -m has it */
	bool is_container;	/* or has no kernel of its own */
	bool is_debian;

	/* The user. */
	struct access_facts access;
	uint64_t memlock;	/* RLIMIT_MEMLOCK in bytes */
	uint64_t memlock_max;

	/* Try to record a sample, and to count cycles. */
	void (*try_sample)(struct trial *trial);
	void (*try_count)(struct trial *trial);
};

/* Looks at a root, "" for this machine; the user is who runs this. */
void machine_init(struct machine *machine, const char *root);
void machine_free(struct machine *machine);

/* Paths are absolute, and formatted; what is returned is to be freed. */
#define PATH_FORMAT __attribute__((format(printf, 2, 3)))
char *machine_path(const struct machine *machine, const char *format, ...)
	PATH_FORMAT;
bool machine_has(const struct machine *machine, const char *format, ...)
	PATH_FORMAT;
/* The first line of a file; NULL if it cannot be read. */
char *machine_line(const struct machine *machine, const char *format, ...)
	PATH_FORMAT;

/* A file with a number; false if it is not there, or has something else. */
bool machine_number(const struct machine *machine, const char *path,
		    long *number);

/* Whether a file consists of this line. */
bool machine_says(const struct machine *machine, const char *path,
		  const char *line);

/* Has the CPU counters, as far as the kernel knows? */
bool machine_has_counters(const struct machine *machine);

/* Has the user the capability? */
bool machine_can(const struct machine *machine, unsigned int capability);

#endif /* PFMON_DOCTOR_MACHINE_H */
