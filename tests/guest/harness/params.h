/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * params.h - tests under other parameters of the module perfmon
 */
#ifndef GUEST_PARAMS_H
#define GUEST_PARAMS_H

#define PFM_PARAMETERS	"/sys/module/perfmon/parameters/"

struct param_run {
	const char	*name;
	const char	*value;
	void		(*run)(void *arg);
	void		*arg;
};

/* Run a function in a child while a parameter has a value. */
void with_param(const struct param_run *r);

/* Everybody may open the device, from now on. */
void open_device_to_all(void);
/* The calling process may lock so many pages, and no more. */
void limit_locked_pages(unsigned int pages);
/* Run a function in a child with that limit; users may do what root may. */
void with_locked_pages(unsigned int pages, void (*run)(void *arg));

#endif /* GUEST_PARAMS_H */
