// SPDX-License-Identifier: MIT OR GPL-2.0
/* plan.c - the register values of all contexts of a measurement */
#define _GNU_SOURCE
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <perfmon/perfmon_cgroup_counts_smpl.h>

#include "access/access.h"
#include "access/cgroup.h"
#include "base/cpu_list.h"
#include "base/util.h"
#include "formats/table.h"
#include "options/event_options.h"
#include "options/follow_options.h"
#include "options/format_options.h"
#include "session/plan.h"
#include "stacks/table_set.h"

/* The rate that is assumed for a hardware event until its rate is known. */
#define FIRST_RATE	100000000ULL
#define MAX_RATE_FILE	"/proc/sys/kernel/perf_event_max_sample_rate"

static bool share_a_cpu(const struct event_option *a,
			const struct event_option *b)
{
	return !a->cpus || !b->cpus || cpus_overlap(a->cpus, b->cpus);
}

/*
 * Chooses the PMDs that the samples of an event record: those of --smpl-pmds,
 * and those of the events without a period that are in the same set and share a
 * CPU with the event.
 */
static void choose_pmds(const struct options *options,
			const struct event_option *event, pfarg_pmc_t *pmc)
{
	memcpy(pmc->reg_smpl_pmds, options->smpl_pmds,
	       sizeof(pmc->reg_smpl_pmds));
	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *other = &options->events[i];

		if (other->set == event->set && !other->sampling &&
		    share_a_cpu(event, other))
			pfm_bv_set(pmc->reg_smpl_pmds, other->number);
	}
	if (!options->reset_non_smpl)
		return;
	memcpy(pmc->reg_reset_pmds, pmc->reg_smpl_pmds,
	       sizeof(pmc->reg_reset_pmds));
	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *other = &options->events[i];

		if (other->set == event->set && other->sampling)
			pmc->reg_reset_pmds[other->number / 64] &=
				~(1ULL << (other->number % 64));
	}
}

static unsigned int recorded_count(const pfarg_pmc_t *pmc)
{
	unsigned int count = 0;

	for (unsigned int i = 0; i < PFM_MAX_PMDS; i++)
		count += (unsigned int)pfm_bv_isset(pmc->reg_smpl_pmds, i);
	return count;
}

/* Describes which PMDs the samples of each event record. */
static void choose_kinds(struct plan *plan)
{
	const struct options *options = plan->options;

	plan->kinds = checked_calloc(options->event_count,
				     sizeof(*plan->kinds));
	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *event = &options->events[i];

		if (!event->sampling)
			continue;
		choose_pmds(options, event, &plan->pmcs[i]);
		plan->kinds[plan->kind_count++] = (struct pfm_read_kind){
			.set = (__u16)event->set,
			.pmd = (__u16)event->number,
			.num_pmds = recorded_count(&plan->pmcs[i]),
		};
	}
}

/*
 * Returns the first event whose samples record other PMDs than the samples of
 * the first sampling event; NULL if there is none.
 */
static const struct event_option *find_odd(const struct plan *plan)
{
	const struct options *options = plan->options;
	const pfarg_pmc_t *first = NULL;

	for (unsigned int i = 0; i < options->event_count; i++) {
		const pfarg_pmc_t *pmc = &plan->pmcs[i];

		if (!options->events[i].sampling)
			continue;
		if (first && memcmp(first->reg_smpl_pmds, pmc->reg_smpl_pmds,
				    sizeof(pmc->reg_smpl_pmds)))
			return &options->events[i];
		first = pmc;
	}
	return NULL;
}

/*
 * If the samples of different events record different PMDs, samples need a
 * header, which identifies the event. Returns false, with a message, if samples
 * need the header but options omit it.
 */
static bool check_headers(const struct plan *plan)
{
	const unsigned int short_entries =
		FORMAT_OPT_NO_HDR | FORMAT_OPT_IP_ONLY;
	const struct event_option *odd = NULL;

	if (plan->options->format_options & short_entries)
		odd = find_odd(plan);
	if (!odd)
		return true;
	message("samples of %s do not record the same counters as those of earlier events: omit --smpl-no-hdr and --smpl-ip-only, because only the header tells the samples apart",
		odd->name);
	return false;
}

static bool choose_format(struct plan *plan)
{
	const struct smpl_kinds kinds = { plan->kinds, plan->kind_count };

	return smpl_format_find(&plan->format, plan->options->module, &kinds) &&
	       format_options_agree(&plan->format, plan->options) &&
	       smpl_format_set_up(&plan->format, plan->options) &&
	       check_headers(plan);
}

static unsigned int type_of(uint64_t pmc)
{
	return (pmc & PFM_PERF_TYPE_MASK) >> PFM_PERF_TYPE_SHIFT;
}

static bool is_software(uint64_t pmc, uint64_t id)
{
	return (pmc & (PFM_PERF_RAW | PFM_PERF_TYPE_MASK | PFM_PERF_ID_MASK)) ==
	       PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, id);
}

static bool is_clock(uint64_t pmc)
{
	return is_software(pmc, PERF_COUNT_SW_CPU_CLOCK) ||
	       is_software(pmc, PERF_COUNT_SW_TASK_CLOCK);
}

/*
 * Returns the first period of an event whose period is adapted. It is 1 for
 * tracepoints, breakpoints, and software events other than clocks, because such
 * events may be rare.
 */
static uint64_t first_period(uint64_t pmc, uint64_t frequency)
{
	uint64_t rate = FIRST_RATE;
	bool of_kernel = !(pmc & PFM_PERF_RAW) &&
		(type_of(pmc) == PERF_TYPE_SOFTWARE ||
		 type_of(pmc) == PERF_TYPE_TRACEPOINT ||
		 type_of(pmc) == PERF_TYPE_BREAKPOINT);

	if (of_kernel)
		rate = is_clock(pmc) ? (uint64_t)1e9 : 0;
	return frequency < rate ? rate / frequency : 1;
}

static bool check_frequencies(const struct options *options)
{
	char *text = read_line_of(MAX_RATE_FILE);
	uint64_t most = UINT64_MAX;
	bool ok = true;

	if (text)
		parse_u64(text, &most);
	free(text);
	for (unsigned int i = 0; ok && i < options->event_count; i++) {
		ok = options->events[i].frequency <= most;
		if (!ok)
			message("event %s: the kernel allows at most %" PRIu64 " samples per second: lower --smpl-freq, or raise kernel.perf_event_max_sample_rate",
				options->events[i].name, most);
	}
	return ok;
}

/* A sampling counter starts at minus its period. */
static void set_period(const struct event_option *event, pfarg_pmc_t *pmc,
		       pfarg_pmd_t *pmd)
{
	uint64_t first = event->adapted ?
		first_period(pmc->reg_value, event->frequency) : 0;

	pmc->reg_flags = event->quiet ? 0 : PFM_REGFL_OVFL_NOTIFY;
	pmd->reg_long_reset = -(first ? first : event->long_period);
	pmd->reg_short_reset = -(first ? first : event->short_period);
	pmd->reg_value = pmd->reg_long_reset;
	pmd->reg_ovflsw_thres = event->switch_after;
	if (!event->randomised)
		return;
	pmc->reg_flags |= PFM_REGFL_RANDOM;
	pmd->reg_random_mask = event->random_mask;
	pmd->reg_random_seed = event->random_seed;
}

static void add_configs(struct plan *plan, unsigned int i)
{
	const struct event_option *option = &plan->options->events[i];

	for (unsigned int word = 0; word < ENCODED_CONFIGS; word++) {
		uint64_t value = plan->events[i].config[word];

		if (!value)
			continue;
		plan->configs = checked_realloc(plan->configs,
						plan->config_count + 1,
						sizeof(*plan->configs));
		plan->configs[plan->config_count++] = (pfarg_pmc_t){
			.reg_num = (__u16)(event_config_pmc(word) +
					   option->number),
			.reg_set = (__u16)option->set,
			.reg_value = value,
			.reg_smpl_eventid = i,
		};
	}
}

/*
 * Checks that the event can be measured as requested. An event of a PMU that
 * CPUs share can only be counted, not sampled, and only in a system-wide
 * session.
 */
static bool is_measurable(const struct plan *plan, unsigned int i)
{
	const struct event_option *option = &plan->options->events[i];

	if (plan->events[i].per_thread)
		return true;
	if (!plan->options->system_wide)
		message("event %s can only be counted system-wide (on CPUs %s): use --system-wide",
			option->name, plan->events[i].cpus);
	else if (option->sampling)
		message("event %s can only be counted (on CPUs %s), not sampled: omit its period",
			option->name, plan->events[i].cpus);
	else
		return true;
	return false;
}

static bool encode_event(struct plan *plan, unsigned int i)
{
	const struct options *options = plan->options;
	const struct event_option *event = &options->events[i];

	if (!event_encode("", event->name, event_option_levels(options, event),
			  &plan->events[i]) || !is_measurable(plan, i))
		return false;
	add_configs(plan, i);
	return true;
}

static bool set_registers(struct plan *plan)
{
	const struct options *options = plan->options;

	for (unsigned int i = 0; i < options->event_count; i++) {
		const struct event_option *event = &options->events[i];
		pfarg_pmc_t *pmc = &plan->pmcs[i];
		pfarg_pmd_t *pmd = &plan->pmds[i];

		if (!encode_event(plan, i))
			return false;
		pmc->reg_num = (__u16)event->number;
		pmc->reg_set = (__u16)event->set;
		pmc->reg_value = plan->events[i].pmc;
		pmc->reg_smpl_eventid = i;
		pmd->reg_num = (__u16)event->number;
		pmd->reg_set = (__u16)event->set;
		if (!event->sampling)
			continue;
		if (plan->format.precise && !pmc_is_precise(pmc))
			pmc->reg_value |= 1ULL << PFM_PERF_PRECISE_SHIFT;
		set_period(event, pmc, pmd);
		/* --off-cpu also samples the switch at a thread's exit. */
		if (plan->options->off_cpu)
			pmc->reg_flags |= PFM_REGFL_AT_EXIT;
	}
	return true;
}

/* Returns whether all samples of an event are taken in the kernel. */
static bool is_in_kernel(uint64_t pmc)
{
	return pmc & PFM_PERF_EXCL_USER ||
	       is_software(pmc, PERF_COUNT_SW_CONTEXT_SWITCHES) ||
	       is_software(pmc, PERF_COUNT_SW_CPU_MIGRATIONS) ||
	       (!(pmc & PFM_PERF_RAW) &&
		type_of(pmc) == PERF_TYPE_TRACEPOINT);
}

static bool samples_user_level(const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (plan->options->events[i].sampling &&
		    !is_in_kernel(plan->pmcs[i].reg_value))
			return true;
	}
	return false;
}

static bool open_cgroup(struct plan *plan, const char *path)
{
	int fd = cgroup_open(path);

	if (fd < 0)
		return false;
	plan->cgroups = checked_realloc(plan->cgroups, plan->cgroup_count + 1,
					sizeof(*plan->cgroups));
	plan->cgroups[plan->cgroup_count++] = (struct cgroup){
		.path = checked_strdup(path), .fd = fd,
		.is_root = is_root_cgroup(fd),
	};
	return true;
}

/*
 * Opens the control groups of --cgroup for counting. When sampling, pfmparse
 * selects the samples later.
 */
static bool open_cgroups(struct plan *plan)
{
	const struct options *options = plan->options;
	char *list, *rest = NULL;
	bool ok = true;

	if (options->sampling || !options->cgroups)
		return true;
	list = checked_strdup(options->cgroups);
	for (char *path = strtok_r(list, ",", &rest); ok && path;
	     path = strtok_r(NULL, ",", &rest))
		ok = open_cgroup(plan, path);
	free(list);
	return ok;
}

/* Chooses the format that counts control groups, and its argument. */
static bool choose_cgroup_format(struct plan *plan)
{
	const struct smpl_kinds none = { .count = 0 };
	pfm_cgroup_counts_smpl_arg_t *arg;

	if (plan->cgroup_count > PFM_CGROUP_COUNTS_GROUPS) {
		message("--cgroup: at most %d control groups can be counted",
			PFM_CGROUP_COUNTS_GROUPS);
		return false;
	}
	if (!smpl_format_find(&plan->format, PFM_CGROUP_COUNTS_SMPL_NAME,
			      &none) ||
	    !smpl_format_set_up(&plan->format, plan->options))
		return false;
	/* If the format is missing, creating the context will fail. */
	if (plan->format.arg_size < sizeof(*arg))
		return true;
	arg = (pfm_cgroup_counts_smpl_arg_t *)plan->format.arg;
	arg->num_groups = plan->cgroup_count;
	for (unsigned int i = 0; i < plan->cgroup_count; i++)
		arg->groups[i] = plan->cgroups[i].fd;
	return true;
}

/* Returns why the samples of the format have no process IDs. */
static const char *format_obstacle(const struct plan *plan)
{
	unsigned int given = plan->options->format_options;

	return given & FORMAT_OPT_IP_ONLY ? "--smpl-ip-only" :
	       given & FORMAT_OPT_NO_HDR ? "--smpl-no-hdr" :
					   "the sampling format";
}

const char *plan_obstacle(const struct plan *plan)
{
	const char *obstacle = follow_obstacle(plan->options);

	return obstacle || !plan->options->sampling || plan->format.processes ?
		       obstacle : format_obstacle(plan);
}

bool plan_inherits(const struct plan *plan)
{
	return follow_wants_all(plan->options) && !plan_obstacle(plan);
}

/*
 * Returns whether pfmon can measure the command without tracing it: the kernel
 * starts measuring at the exec. When sampling, perf must then report mappings.
 * If samples have neither times nor process IDs, pfmon must save the samples of
 * a program before the next exec.
 */
static bool is_untraced(const struct plan *plan)
{
	const struct options *options = plan->options;
	const struct smpl_format *format = &plan->format;

	if (!options->command || follow_needs_trace(options))
		return false;
	return !options->sampling ||
	       ((format->times || format->processes) && access_to_perf());
}

bool plan_init(struct plan *plan, const struct options *options)
{
	memset(plan, 0, sizeof(*plan));
	plan->options = options;
	plan->by_cgroup = counts_several_cgroups(options);
	plan->events = checked_calloc(options->event_count,
				      sizeof(*plan->events));
	plan->pmcs = checked_calloc(options->event_count, sizeof(*plan->pmcs));
	plan->pmds = checked_calloc(options->event_count, sizeof(*plan->pmds));
	if (options->sampling)
		choose_kinds(plan);
	if (!check_frequencies(options) || !open_cgroups(plan) ||
	    (options->sampling && !choose_format(plan)) ||
	    (plan->by_cgroup && !choose_cgroup_format(plan)) ||
	    !set_registers(plan)) {
		plan_free(plan);
		return false;
	}
	plan->untraced = is_untraced(plan);
	/*
	 * With --wall-clock, a thread may switch before the clock has taken a
	 * sample of it in user space.
	 */
	if (plan->format.tables &&
	    (plan->options->wall_clock || !samples_user_level(plan)))
		table_set_look_up(plan->format.tables);
	return true;
}

bool plan_counts_on(const struct plan *plan, uint64_t event, int cpu)
{
	const char *own = plan->options->events[event].cpus;
	const char *cpus = plan->events[event].cpus;

	return !plan->options->system_wide ||
	       ((!cpus || cpus_have(cpus, cpu)) &&
		(!own || cpus_have(own, cpu)));
}

static bool plan_uses_cpu(const struct plan *plan, int cpu)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (plan_counts_on(plan, i, cpu))
			return true;
	}
	return false;
}

bool plan_uses_set(const struct plan *plan, unsigned int set, int cpu)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (plan->options->events[i].set == set &&
		    plan_counts_on(plan, i, cpu))
			return true;
	}
	return false;
}

static bool any_counts(const struct plan *plan, unsigned int event,
		       const int *cpus, unsigned int count)
{
	for (unsigned int i = 0; i < count; i++) {
		if (plan_counts_on(plan, event, cpus[i]))
			return true;
	}
	return false;
}

/*
 * Checks that all CPUs to which an event is restricted (EVENT@CPUS) are
 * measured.
 */
static bool check_own_cpus(const struct event_option *event, const int *cpus,
			   unsigned int count)
{
	char *measured = cpus_text(cpus, count);
	bool ok = !event->cpus || cpus_include(measured, event->cpus);

	if (!ok)
		message("event %s is restricted to CPUs %s, but the measured CPUs are %s: see --cpu-list; some may be offline",
			event->name, event->cpus, measured);
	free(measured);
	return ok;
}

static bool check_cpus(const struct plan *plan, const int *cpus,
		       unsigned int count)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		const struct event_option *event = &plan->options->events[i];

		if (!check_own_cpus(event, cpus, count))
			return false;
		if (any_counts(plan, i, cpus, count))
			continue;
		message("event %s is counted by CPUs %s, but is measured on none of them: see --cpu-list",
			event->name, plan->events[i].cpus);
		return false;
	}
	return true;
}

/* Returns a copy of --cpu-list. */
static bool given_cpus(const struct options *options, int **cpus,
		       unsigned int *count)
{
	*count = options->cpu_count;
	*cpus = checked_calloc(*count, sizeof(**cpus));
	memcpy(*cpus, options->cpus, *count * sizeof(**cpus));
	return true;
}

bool plan_choose_cpus(const struct plan *plan, int **cpus, unsigned int *count)
{
	const struct options *options = plan->options;
	unsigned int all;

	if (!(options->cpus ? given_cpus(options, cpus, &all) :
			      cpus_online(cpus, &all))) {
		message("cannot find out which CPUs are online: use --cpu-list");
		return false;
	}
	if (!check_cpus(plan, *cpus, all)) {
		free(*cpus);
		return false;
	}
	*count = 0;
	for (unsigned int i = 0; i < all; i++) {
		if (plan_uses_cpu(plan, (*cpus)[i]))
			(*cpus)[(*count)++] = (*cpus)[i];
	}
	return true;
}

void plan_free(struct plan *plan)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++)
		free(plan->events[i].cpus);
	for (unsigned int i = 0; i < plan->cgroup_count; i++) {
		close(plan->cgroups[i].fd);
		free(plan->cgroups[i].path);
	}
	free(plan->cgroups);
	free(plan->events);
	free(plan->configs);
	free(plan->kinds);
	smpl_format_free(&plan->format);
	free(plan->pmcs);
	free(plan->pmds);
	memset(plan, 0, sizeof(*plan));
}
