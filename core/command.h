/* SPDX-License-Identifier: GPL-2.0 */
/*
 * command.h - commands on a context
 */
#ifndef PFM_CORE_COMMAND_H
#define PFM_CORE_COMMAND_H

#include <perfmon/perfmon.h>

struct pfm_context;

/*
 * Run the command whose ioctl's number is @nr. While the monitored thread
 * itself calls, event sets are not switched by time (3.7.7).
 * Context: process, pfm_context.mutex not held.
 * Return: 0; -ENOTTY if there is no such command; -EFAULT; what the command
 * says.
 */
long pfm_command(struct pfm_context *ctx, unsigned int nr,
		 const struct pfm_ioc *ioc);

#endif /* PFM_CORE_COMMAND_H */
