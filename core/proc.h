/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proc.h - a /proc of our own, over which nobody can mount anything
 */
#ifndef PFM_CORE_PROC_H
#define PFM_CORE_PROC_H

#include <linux/types.h>

struct pid_namespace;

/* Context: process. */
int pfm_proc_init(void);
void pfm_proc_exit(void);

/* The pid name space whose numbers it has. Context: any. */
struct pid_namespace *pfm_proc_ns(void);

/**
 * pfm_proc_may_open() - does a file let the caller open it for reading?
 * @name: its name, without /proc
 *
 * What the file itself asks, and the security modules; not its mode and owner.
 *
 * Context: process, may sleep; takes signal->exec_update_lock for files of a
 * thread.
 * Return: 0; the reason why not.
 */
int pfm_proc_may_open(const char *name);

/**
 * pfm_proc_read_int() - the number in a file
 * @name:  its name, without /proc
 * @value: out
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if it has none; the reason why it cannot be read.
 */
int pfm_proc_read_int(const char *name, int *value);

#endif /* PFM_CORE_PROC_H */
