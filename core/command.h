/* SPDX-License-Identifier: GPL-2.0 */
/*
 * command.h - commands on a context
 */
#ifndef PFM_CORE_COMMAND_H
#define PFM_CORE_COMMAND_H

#include <perfmon/perfmon.h>

struct pfm_context;

/*
 * Run the command with ioctl number @nr. While the monitored thread itself is
 * in a command, event sets do not switch on timeouts (3.7.7).
 * Context: process, pfm_context.mutex not held.
 * Return: 0; -ENOTTY if there is no such command; -EFAULT; an error of the
 * command.
 */
long pfm_command(struct pfm_context *ctx, unsigned int nr,
		 const struct pfm_ioc *ioc);

#endif /* PFM_CORE_COMMAND_H */
