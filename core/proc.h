/* SPDX-License-Identifier: GPL-2.0 */
/*
 * proc.h - a private mount of /proc
 */
#ifndef PFM_CORE_PROC_H
#define PFM_CORE_PROC_H

#include <linux/types.h>

struct pid_namespace;

/* Mount and unmount /proc. Context: process. */
int pfm_proc_init(void);
void pfm_proc_exit(void);

/* Get the PID namespace whose thread IDs the mount uses. Context: any. */
struct pid_namespace *pfm_proc_ns(void);

/**
 * pfm_proc_may_open() - Check whether the caller may open a file for reading
 * @name: path without /proc
 *
 * The checks are those of the file's open function and of the security modules,
 * but not those of the file's mode and owner.
 *
 * Context: process, may sleep; takes signal->exec_update_lock for files of a
 * thread.
 * Return: 0, or the error of the open.
 */
int pfm_proc_may_open(const char *name);

/**
 * pfm_proc_read_int() - Read a number from a file
 * @name:  path without /proc
 * @value: out: the number
 *
 * Context: process, may sleep.
 * Return: 0; -EINVAL if it does not contain a number; an error of open or read.
 */
int pfm_proc_read_int(const char *name, int *value);

#endif /* PFM_CORE_PROC_H */
