/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * machine.h - the machine that `pfmon doctor` examines, and its user
 *
 * All files are read below a root directory, so that tests can simulate
 * machines.
 */
#ifndef PFMON_DOCTOR_MACHINE_H
#define PFMON_DOCTOR_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access/access.h"

struct trial;

struct machine {
	const char *root;	/* "": the machine that pfmon runs on */
	char *release;		/* of the running kernel */
	char *arch;		/* as printed by uname -m */
	bool is_container;	/* or another system without its own kernel */
	bool is_debian;

	/* The user. */
	struct access_facts access;
	uint64_t memlock;	/* RLIMIT_MEMLOCK in bytes */
	uint64_t memlock_max;

	/* Try to record a sample, and to count cycles. */
	void (*try_sample)(struct trial *trial);
	void (*try_count)(struct trial *trial);
};

/* Examines the machine below root ("": this machine) and the calling user. */
void machine_init(struct machine *machine, const char *root);
void machine_free(struct machine *machine);

/*
 * Paths are absolute, and are given as printf() formats. The caller frees
 * returned texts.
 */
#define PATH_FORMAT __attribute__((format(printf, 2, 3)))
char *machine_path(const struct machine *machine, const char *format, ...)
	PATH_FORMAT;
bool machine_has(const struct machine *machine, const char *format, ...)
	PATH_FORMAT;
/* Returns the first line of a file; NULL if it cannot be read. */
char *machine_line(const struct machine *machine, const char *format, ...)
	PATH_FORMAT;

/* Reads a number from a file; false if it cannot be read. */
bool machine_number(const struct machine *machine, const char *path,
		    long *number);

/* Returns whether a file's first line is @line. */
bool machine_says(const struct machine *machine, const char *path,
		  const char *line);

/* Returns whether the kernel has a PMU driver for the CPU. */
bool machine_has_counters(const struct machine *machine);

bool machine_can(const struct machine *machine, unsigned int capability);

#endif /* PFMON_DOCTOR_MACHINE_H */
