/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tracepoint.h - kernel tracepoints whose symbols are not exported
 */
#ifndef PFM_CORE_TRACEPOINT_H
#define PFM_CORE_TRACEPOINT_H

struct tracepoint;

/* Find a tracepoint by name. Return: NULL if not found. Context: process. */
struct tracepoint *pfm_find_tracepoint(const char *name);

#endif /* PFM_CORE_TRACEPOINT_H */
