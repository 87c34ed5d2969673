/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracepoint.h - tracepoints of the kernel's whose symbols are not exported
 */
#ifndef PFM_CORE_TRACEPOINT_H
#define PFM_CORE_TRACEPOINT_H

struct tracepoint;

/* Return: the tracepoint of that name, or NULL. Context: process. */
struct tracepoint *pfm_find_tracepoint(const char *name);

#endif /* PFM_CORE_TRACEPOINT_H */
