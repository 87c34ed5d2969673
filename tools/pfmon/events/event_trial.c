// SPDX-License-Identifier: MIT OR GPL-2.0
/* event_trial.c - test whether an event can be counted */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon.h>

#include "access/access.h"
#include "base/util.h"
#include "events/event_trial.h"

void event_trial_init(struct event_trial *trial)
{
	for (size_t i = 0; i < ARRAY_SIZE(trial->contexts); i++)
		trial->contexts[i] = (struct trial_context){ .fd = -1 };
}

void event_trial_close(struct event_trial *trial)
{
	for (size_t i = 0; i < ARRAY_SIZE(trial->contexts); i++) {
		if (trial->contexts[i].fd >= 0)
			close(trial->contexts[i].fd);
		free(trial->contexts[i].why);
	}
	event_trial_init(trial);
}

static char *explain_create(int error, bool system_wide)
{
	const struct access_wish wish = { .system_wide = system_wide };

	switch (error) {
	case ENOSYS:
		return access_absent();
	case EPERM:
		return access_explain(&wish);
	case ENODEV:
		return checked_strdup("perfmon has no PMU description: load one with "
				      ACCESS_LOAD);
	default:
		return checked_printf("cannot create a context: %s",
				      strerror(error));
	}
}

static void create(struct trial_context *context, bool system_wide)
{
	pfarg_ctx_t arg = {
		.ctx_flags = system_wide ? PFM_FL_SYSTEM_WIDE : 0,
	};

	context->fd = pfm_create_context(&arg, NULL, 0);
	if (context->fd >= 0)
		return;
	context->denied = system_wide && errno == EPERM;
	context->why = explain_create(errno, system_wide);
}

static bool write_pmc(int fd, unsigned int number, uint64_t value)
{
	pfarg_pmc_t pmc = {
		.reg_num = (__u16)number,
		.reg_value = value,
	};

	return !pfm_write_pmcs(fd, &pmc, 1);
}

/*
 * Writes the event's PMCs. Clears PMC 0 first: at each write, the kernel checks
 * the new value together with what the other PMCs of the event already contain.
 */
static bool program(int fd, const struct encoded_event *event)
{
	if (!write_pmc(fd, 0, PFM_PERF_NONE))
		return false;
	for (unsigned int i = 0; i < ENCODED_CONFIGS; i++) {
		/*
		 * If the PMU lacks this register, the write fails. This is an
		 * error only if the configuration word is not 0.
		 */
		if (!write_pmc(fd, event_config_pmc(i), event->config[i]) &&
		    event->config[i])
			return false;
	}
	return write_pmc(fd, 0, event->pmc);
}

bool event_trial_counts(struct event_trial *trial,
			const struct encoded_event *event, char **why,
			bool *unknown)
{
	bool system_wide = !event->per_thread;
	struct trial_context *context = &trial->contexts[system_wide];

	*why = NULL;
	if (context->fd < 0 && !context->why)
		create(context, system_wide);
	*unknown = context->fd < 0 && !context->denied;
	if (context->fd < 0)
		*why = checked_strdup(context->why);
	else if (program(context->fd, event))
		return true;
	else if (errno == EPERM || errno == EACCES)
		*why = checked_strdup("you are not allowed to count it: see pfmon doctor");
	else
		*why = checked_strdup("this machine does not support it, at least not at this privilege level");
	return false;
}
