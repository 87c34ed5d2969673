/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracepoint.h - kernel tracepoints whose symbols are not exported
 */
#ifndef PFM_CORE_TRACEPOINT_H
#define PFM_CORE_TRACEPOINT_H

struct tracepoint;

/**
 * struct pfm_probe - a function that is registered at a tracepoint while the
 * probe has users
 * @name:  name of the tracepoint
 * @func:  the function
 * @tp:    the tracepoint, once it has been found
 * @users: number of users; protected by pfm_probe_lock
 */
struct pfm_probe {
	const char		*name;
	void			*func;
	struct tracepoint	*tp;
	unsigned int		users;
};

/* Find a tracepoint by name. Return: NULL if not found. Context: process. */
struct tracepoint *pfm_find_tracepoint(const char *name);

/*
 * Begin to use a probe. Context: process. Return: 0; -ENOENT if the kernel
 * lacks the tracepoint; or another errno.
 */
int pfm_probe_get(struct pfm_probe *probe);

/*
 * End the use of a probe. Its function may still be running afterwards: if that
 * matters, the caller must call tracepoint_synchronize_unregister(). Context:
 * process.
 */
void pfm_probe_put(struct pfm_probe *probe);

#endif /* PFM_CORE_TRACEPOINT_H */
