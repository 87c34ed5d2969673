// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * dry_run.c - the option --dry-run
 *
 * Prints the plan of a measurement. If perfmon is loaded, a context is created
 * from the plan, but not attached, so that the kernel checks the configuration
 * and reports the buffer size.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include "base/cpu_list.h"
#include "base/util.h"
#include "capture/capture_json.h"
#include "dry_run.h"
#include "events/pmc_value.h"
#include "events/pmu.h"
#include "formats/arg_layout.h"
#include "formats/registered.h"
#include "session/context.h"
#include "session/evtset.h"
#include "session/lifetime.h"
#include "session/plan.h"

static bool print_cpus(const struct plan *plan)
{
	unsigned int count;
	char *text;
	int *cpus;

	if (!plan_choose_cpus(plan, &cpus, &count))
		return false;
	text = cpus_text(cpus, count);
	printf("Contexts: %u, system-wide, one for each of the CPUs %s\n",
	       count, text);
	free(text);
	free(cpus);
	return true;
}

static void print_command(char **command)
{
	if (!command)
		return;
	fputs("Command:", stdout);
	for (; *command; command++)
		printf(" %s", *command);
	putchar('\n');
}

/*
 * Returns whether child processes will be counted, too; asks the kernel if
 * possible.
 */
static bool inherits(const struct plan *plan)
{
	struct context context;
	bool alone = false;
	char *reason;

	if (!plan_inherits(plan))
		return false;
	message_keep(&reason);
	if (context_open(&context, plan, 0, NO_CPU)) {
		alone = context.alone;
		context_close(&context);
	}
	message_keep(NULL);
	free(reason);
	return !alone;
}

static bool print_contexts(const struct plan *plan)
{
	const struct options *options = plan->options;

	print_command(options->command);
	if (options->system_wide)
		return print_cpus(plan);
	if (options->attach)
		printf("Contexts: 1, of thread %d\n", options->attach);
	else if (options->attach_process)
		printf("Contexts: one for each thread of process %d\n",
		       options->attach_process);
	else if (options->follow & ~FOLLOW_EXEC)
		puts("Contexts: one for each followed thread of the command");
	else
		puts("Contexts: 1, of the command's first thread");
	if (inherits(plan))
		puts("\tinherited by the threads and processes that it creates");
	if (options->overflow_block)
		puts("\tblocks the thread while its buffer is saved");
	return true;
}

static void print_bytes(const unsigned char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		printf("%02x", bytes[i]);
	putchar('\n');
}

/*
 * Prints the fields of the format's argument, if the format is registered and
 * publishes them.
 */
static void print_fields(const struct smpl_format *format)
{
	char *layout_text = registered_file(format->uuid, "arg_layout");
	struct arg_layout layout;
	char *text;

	arg_layout_parse(&layout, layout_text ? layout_text : "",
			 format->arg_size);
	text = arg_layout_text(&layout, format->arg);
	if (*text)
		printf("\tfields: %s\n", text);
	free(text);
	arg_layout_free(&layout);
	free(layout_text);
}

static void print_format(const struct smpl_format *format)
{
	char uuid[UUID_STR_LEN];

	uuid_unparse_lower(format->uuid, uuid);
	printf("Format:   %s, %s\n\targument: %zu bytes", format->name, uuid,
	       format->arg_size);
	if (format->arg_size) {
		fputs(": ", stdout);
		print_bytes(format->arg, format->arg_size);
		print_fields(format);
	} else {
		putchar('\n');
	}
	if (format->device)
		printf("\tsamples are read from %s\n", format->device_path);
	if (format->entry_size)
		printf("\teach sample has %zu bytes\n", format->entry_size);
}

static void print_list(const char *title, const __u64 *bits)
{
	char *names = checked_strdup("");

	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++) {
		if (pfm_bv_isset(bits, i))
			names = checked_append(names, ", ",
					       virtual_pmd_name(i));
	}
	if (*names)
		printf("\t\t%s: %s\n", title, names);
	free(names);
}

static void print_pmc(const pfarg_pmc_t *pmc, const char *event)
{
	char *text = pmc_value_text(pmc->reg_value);

	printf("\tPMC%-3u 0x%016" PRIx64 "  %s: %s\n", pmc->reg_num,
	       (uint64_t)pmc->reg_value, event, text);
	free(text);
	if (pmc->reg_flags & PFM_REGFL_OVFL_NOTIFY)
		puts("\t\tan overflow may notify pfmon");
	if (pmc->reg_flags & PFM_REGFL_RANDOM)
		puts("\t\tperiods are randomised");
	print_list("records", pmc->reg_smpl_pmds);
	print_list("resets", pmc->reg_reset_pmds);
}

/*
 * The initial value and the reset values of a sampling counter are negated
 * periods.
 */
static void print_pmd(const pfarg_pmd_t *pmd,
		      const struct event_option *event)
{
	printf("\tPMD%-3u 0x%016" PRIx64 "  counts %s", pmd->reg_num,
	       (uint64_t)pmd->reg_value, event->name);
	if (event->cpus)
		printf(", on CPUs %s", event->cpus);
	putchar('\n');
	if (!event->sampling)
		return;
	printf("\t\tlong reset -%" PRIu64 ", short reset -%" PRIu64 "\n",
	       (uint64_t)-pmd->reg_long_reset,
	       (uint64_t)-pmd->reg_short_reset);
	if (event->randomised)
		printf("\t\trandom mask %#" PRIx64 ", seed %u\n",
		       (uint64_t)pmd->reg_random_mask,
		       (unsigned int)pmd->reg_random_seed);
	if (event->switch_after)
		printf("\t\tthe set switches after %" PRIu64 " overflows\n",
		       event->switch_after);
}

static void print_registers(const struct plan *plan, unsigned int set)
{
	const struct event_option *events = plan->options->events;

	for (unsigned int i = 0; i < plan->config_count; i++) {
		const pfarg_pmc_t *pmc = &plan->configs[i];

		if (pmc->reg_set == set)
			printf("\tPMC%-3u 0x%016" PRIx64 "  %s: config%u\n",
			       pmc->reg_num, (uint64_t)pmc->reg_value,
			       events[pmc->reg_smpl_eventid].name,
			       pmc->reg_num / EVENT_CONFIG_STEP);
	}
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (events[i].set != set)
			continue;
		print_pmc(&plan->pmcs[i], events[i].name);
		print_pmd(&plan->pmds[i], &events[i]);
	}
}

static void print_set(const struct plan *plan, unsigned int i)
{
	const struct options *options = plan->options;
	pfarg_setdesc_t set = evtset_description(options, i);

	printf("Event set %u:", i);
	if (set.set_flags & PFM_SETFL_EXCL_IDLE)
		fputs(" PFM_SETFL_EXCL_IDLE,", stdout);
	if (set.set_flags & PFM_SETFL_OVFL_SWITCH)
		puts(" PFM_SETFL_OVFL_SWITCH");
	else if (set.set_flags & PFM_SETFL_TIME_SWITCH)
		printf(" PFM_SETFL_TIME_SWITCH, switches after %.3f ms\n",
		       (double)set.set_timeout.tv_sec * 1e3 +
		       (double)set.set_timeout.tv_nsec / 1e6);
	else
		puts(" stays active");
	print_registers(plan, i);
}

static bool try_on(const struct plan *plan, int cpu, size_t *buffer_size)
{
	struct context context;

	if (!context_open(&context, plan, 0, cpu))
		return false;
	context_report_alone(&context);
	*buffer_size = context.buffers.size;
	context_close(&context);
	return true;
}

/* Tries each CPU, because CPUs can have different events. */
static bool try_all(const struct plan *plan, size_t *buffer_size)
{
	unsigned int count;
	bool ok = true;
	int *cpus;

	if (!plan->options->system_wide)
		return try_on(plan, NO_CPU, buffer_size);
	if (!plan_choose_cpus(plan, &cpus, &count))
		return false;
	for (unsigned int i = 0; ok && i < count; i++)
		ok = try_on(plan, cpus[i], buffer_size);
	free(cpus);
	return ok;
}

/* Lets the kernel check the plan, if perfmon is available. */
static bool try_contexts(const struct plan *plan)
{
	size_t buffer_size = 0;

	fflush(stdout);
	if (access(PFM_DEVICE, F_OK)) {
		puts("Kernel:   cannot check this, because perfmon is not loaded");
		return true;
	}
	if (!try_all(plan, &buffer_size))
		return false;
	printf("Kernel:   accepts this; each context's buffer has %zu bytes\n",
	       buffer_size);
	return true;
}

/* Prints the plan in the same form as the session in a capture. */
static bool print_json(const struct plan *plan)
{
	char *text = session_json(plan, NULL, 0);

	puts(text);
	free(text);
	return true;
}

static bool print_text(const struct plan *plan)
{
	const struct options *options = plan->options;
	bool ok = print_contexts(plan);

	if (options->sampling) {
		print_format(&plan->format);
		printf("Capture:  %s\n", options->outfile);
	}
	for (unsigned int i = 0; i < options->set_count; i++)
		print_set(plan, i);
	return ok && try_contexts(plan);
}

bool dry_run(const struct options *options)
{
	struct plan plan;
	bool ok;

	if (!plan_init(&plan, options))
		return false;
	ok = options->json ? print_json(&plan) : print_text(&plan);
	plan_free(&plan);
	return ok;
}
