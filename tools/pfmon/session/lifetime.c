// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * lifetime.c - create, load, unload and close contexts
 *
 * Contexts are created and programmed according to the plan. After the thread
 * of a context has ended, the context can be used for another thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/access.h"
#include "access/cgroup.h"
#include "base/util.h"
#include "formats/registered.h"
#include "options/follow_options.h"
#include "session/evtset.h"
#include "session/fdinfo.h"
#include "session/frequency.h"
#include "session/lifetime.h"
#include "session/registers.h"

static bool counts_in_kernel(const struct plan *plan)
{
	for (unsigned int i = 0; i < plan->options->event_count; i++) {
		if (!(plan->pmcs[i].reg_value & PFM_PERF_EXCL_KERNEL))
			return true;
	}
	return false;
}

/* Returns whether samples record a PMD from @first to @last. */
static bool records(const struct plan *plan, unsigned int first,
		    unsigned int last)
{
	for (unsigned int i = first; i <= last; i++) {
		if (pfm_bv_isset(plan->options->smpl_pmds, i))
			return true;
	}
	return false;
}

static bool records_branches(const struct plan *plan)
{
	return records(plan, PFM_PMD_BRANCH_FROM(0),
		       PFM_PMD_BRANCH_FLAGS(PFM_BRANCHES - 1));
}

/*
 * Prints a message that explains EPERM. @tid is 0 if the thread is not known
 * yet.
 */
static void explain_refusal(const struct plan *plan, pid_t tid)
{
	const struct smpl_module *module = plan->format.module;
	const struct access_wish wish = {
		.system_wide = plan->options->system_wide,
		.kernel = counts_in_kernel(plan) ||
			  records(plan, PFM_PMD_PHYSICAL,
				  PFM_PMD_PHYSICAL),
		.registers = module && module->options & FORMAT_OPT_IMPRECISE,
		.block = plan->options->overflow_block,
		.thread = plan->options->system_wide ? 0 : tid,
	};
	char *why = access_explain(&wish);

	message("not allowed to measure: %s", why);
	free(why);
}

static void explain_absent(void)
{
	char *why = access_absent();

	message("%s", why);
	free(why);
}

/* Returns the option that sets the size of the sampling buffer. */
static const char *size_option(const struct plan *plan)
{
	unsigned int given = plan->options->format_options;

	return given & FORMAT_OPT_ENTRIES ||
	       (plan->format.module && !(given & FORMAT_OPT_ARG)) ?
	       "--smpl-entries" : "the buffer's size in --smpl-arg";
}

/* Prints why a context could not be created, and what to do. */
static void explain_create(const struct plan *plan, int error)
{
	const struct smpl_format *format = &plan->format;
	bool sampling = plan->options->sampling || plan->by_cgroup;

	if (error == ENOSYS)
		explain_absent();
	else if (error == EPERM)
		explain_refusal(plan, 0);
	else if (error == EBADF && plan->by_cgroup)
		message("--cgroup=%s: one of these is not a control group, or has been removed; systemd-cgls lists control groups",
			plan->options->cgroups);
	else if (error == ENODEV)
		message("perfmon has no PMU description: load one with "
			ACCESS_LOAD);
	else if (error == EINVAL && sampling && !registered_has(format->uuid))
		message("the sampling format %s is not registered: load its module with modprobe, or see pfmon doctor",
			format->name);
	else if (error == EINVAL && sampling && format->module &&
		 !format->arg_text)
		message("the sampling format %s rejects its argument: check --smpl-entries and the PMDs to record",
			format->name);
	else if (error == EINVAL && sampling)
		message("the sampling format %s rejects its argument, %s; if the format itself is faulty, the kernel log says so",
			format->name,
			format->arg_text ? format->arg_text : "which is empty");
	else if (error == E2BIG && sampling)
		message("the argument of the sampling format %s, %zu bytes, is larger than %s/arg_size_max allows: as root, raise that limit",
			format->name, format->arg_size, PFM_SYSFS);
	else if (error == EOPNOTSUPP &&
		 plan->options->format_options & FORMAT_OPT_RAW_TIME)
		message("this machine has no counter that is suitable for raw time stamps: omit --smpl-raw-time");
	else if (error == EOPNOTSUPP && format->precise)
		message("the sampling format %s needs precise events that record registers, and this machine has none; on x86, --smpl-imprecise records the registers at the interrupt instead",
			format->name);
	else if (error == EOPNOTSUPP && sampling)
		message("the sampling format %s does not work on this architecture; see --list-formats for others",
			format->name);
	else if (error == ENOMEM && sampling)
		message("not enough memory for the sampling buffer: lower %s, or raise the locked-memory limit (ulimit -l)",
			size_option(plan));
	else
		message("cannot create a context: %s", strerror(error));
}

#define NO_MEMORY \
	"not enough memory for a sampling buffer for each CPU, so only the " \
	"command's first thread is measured"
#define NO_RECORDS \
	"perf does not report memory mappings to this user " \
	"(kernel.perf_event_paranoid), so only the command's first thread is " \
	"measured: to measure all, use --follow-all"
#define ONLY_FIRST \
	" cannot measure the threads that the command creates: " \
	"only the command's first thread is measured; to measure all, use " \
	"--follow-all"

static const char no_memory[] = NO_MEMORY;

/*
 * Returns a text that says why children cannot inherit the context, or NULL if
 * @error has nothing to do with the inheritance. EINVAL means that the loaded
 * perfmon is older than pfmon: it does not know the flag, or does not support
 * it for sampling.
 */
static const char *why_alone(const struct plan *plan, int error)
{
	if (plan->options->sampling && error == ENOMEM)
		return no_memory;
	if (error == EINVAL)
		return "the loaded version of perfmon" ONLY_FIRST;
	return error == EOPNOTSUPP ? "this kernel (PREEMPT_RT)" ONLY_FIRST :
				     NULL;
}

/*
 * Creates a context that children inherit, and returns its descriptor. On
 * failure, returns -1 with errno set. If only the inheritance is impossible,
 * sets context->alone to the reason.
 */
static int create_family(struct context *context, pfarg_ctx_t *arg)
{
	const struct smpl_format *format = &context->plan->format;
	int fd;

	/*
	 * perf's records of mappings are needed: without them, the functions in
	 * samples of processes that have ended would be unknown.
	 */
	if (context->plan->options->sampling && !access_to_perf()) {
		context->alone = NO_RECORDS;
		return -1;
	}
	arg->ctx_flags |= PFM_FL_INHERIT;
	fd = pfm_create_context(arg, format->arg, format->arg_size);
	if (fd < 0)
		context->alone = why_alone(context->plan, errno);
	return fd;
}

/*
 * Creates a context, and returns its descriptor, or -1 with errno set. If
 * children should inherit the context but cannot, creates a context for the
 * first thread only.
 */
static int create_any(struct context *context, pfarg_ctx_t *arg)
{
	const struct smpl_format *format = &context->plan->format;

	if (plan_inherits(context->plan)) {
		int fd = create_family(context, arg);

		if (!context->alone)
			return fd;
		arg->ctx_flags &= ~(__u32)PFM_FL_INHERIT;
	}
	return pfm_create_context(arg, format->arg, format->arg_size);
}

/* Reports what in the options prevents the inheritance. */
static void report_obstacle(const struct options *options, const char *obstacle)
{
	bool triggers = options->trigger_start || options->trigger_stop;

	message("only the command's first thread is measured, because of %s%s",
		obstacle, triggers ? "" : "; to measure all, use --follow-all");
}

void context_report_alone(const struct context *context)
{
	const struct plan *plan = context->plan;
	const char *obstacle = plan_obstacle(plan);

	if (obstacle && follow_wants_all(plan->options))
		report_obstacle(plan->options, obstacle);
	else if (context->alone == no_memory)
		message("%s: lower %s, or raise the locked-memory limit (ulimit -l)",
			no_memory, size_option(plan));
	else if (context->alone)
		message("%s", context->alone);
}

static bool create(struct context *context)
{
	const struct plan *plan = context->plan;
	const struct options *options = plan->options;
	const struct smpl_format *format = &plan->format;
	pfarg_ctx_t arg = { .ctx_flags = 0 };

	if (options->sampling || plan->by_cgroup)
		memcpy(arg.ctx_smpl_buf_id, format->uuid, sizeof(format->uuid));
	if (options->overflow_block)
		arg.ctx_flags |= PFM_FL_NOTIFY_BLOCK;
	if (options->system_wide)
		arg.ctx_flags |= PFM_FL_SYSTEM_WIDE;
	context->fd = create_any(context, &arg);
	if (context->fd < 0) {
		explain_create(plan, errno);
		return false;
	}
	context->buffers.size = arg.ctx_smpl_buf_size;
	/*
	 * If the command inherited the descriptor, the kernel would take the
	 * context for a self-monitoring one.
	 */
	if (fcntl(context->fd, F_SETFD, FD_CLOEXEC) < 0 ||
	    fcntl(context->fd, F_SETFL, O_NONBLOCK) < 0) {
		message("cannot set up a context: %s", strerror(errno));
		return false;
	}
	return true;
}

/*
 * Saves an image of the unused buffer, so that is_untouched() can find out
 * whether the buffer has samples. This works for known formats, whose headers
 * change with each sample.
 */
static void remember_empty(struct context *context)
{
	const struct smpl_format *format = &context->plan->format;
	const struct buffers *buffers = &context->buffers;
	struct image *empty = &context->empty;

	if (buffers->count != 1 || !format->module)
		return;
	empty->count = format->module->choose(format, buffers->list->bytes,
					      buffers->size, SMPL_END,
					      empty->pieces);
	image_copy(empty, buffers->list->bytes);
}

static void init_cgroups(struct context *context)
{
	const struct plan *plan = context->plan;

	context->cgroups = checked_calloc(plan->cgroup_count,
					  sizeof(*context->cgroups));
	for (unsigned int i = 0; i < plan->cgroup_count; i++) {
		result_init(&context->cgroups[i].now, plan, NO_CPU);
		result_init(&context->cgroups[i].printed, plan, NO_CPU);
		context->cgroups[i].now.cgroup = plan->cgroups[i].path;
	}
}

bool context_open(struct context *context, const struct plan *plan,
		  unsigned int id, int cpu)
{
	memset(context, 0, sizeof(*context));
	context->plan = plan;
	context->buffers.format = &plan->format;
	context->id = id;
	context->cpu = cpu;
	result_init(&context->result, plan, cpu);
	result_init(&context->printed, plan, cpu);
	if (plan->by_cgroup)
		init_cgroups(context);
	context->frequency = frequency_create(context);
	if (create(context) &&
	    buffers_map(&context->buffers, context->fd,
			context_has_family(context)) &&
	    evtsets_create(context) && registers_write(context)) {
		remember_empty(context);
		return true;
	}
	context_close(context);
	return false;
}

void context_close(struct context *context)
{
	buffers_unmap(&context->buffers);
	if (context->fd >= 0)
		close(context->fd);
	free(context->empty.bytes);
	frequency_destroy(context->frequency);
	result_free(&context->result);
	result_free(&context->printed);
	for (unsigned int i = 0; context->cgroups &&
	     i < context->plan->cgroup_count; i++) {
		result_free(&context->cgroups[i].now);
		result_free(&context->cgroups[i].printed);
	}
	free(context->cgroups);
	memset(context, 0, sizeof(*context));
	context->fd = -1;
}

static bool lost_anything(const struct context_stats *stats)
{
	return stats->lost || stats->throttled || stats->limited ||
	       stats->messages_dropped || stats->handler_errors ||
	       stats->handler_no_ctrl || stats->handler_bad_ctrl;
}

/*
 * Returns whether the context can be reused: it must not differ from a new
 * context in anything but registers and times. Denied counters and queued
 * messages are not checked, because the next load resets them.
 */
static bool is_untouched(const struct context *context)
{
	const struct options *options = context->plan->options;

	if (options->set_count > 1)
		return false;
	return !options->sampling ||
	       (context->empty.count && !context->restarted &&
		image_equal(&context->buffers.list->image, &context->empty) &&
		!lost_anything(&context->stats));
}

bool context_renew(struct context *context)
{
	char *reason = NULL;
	bool ok;

	if (!is_untouched(context))
		return false;
	message_keep(&reason);
	ok = registers_rewrite(context);
	message_keep(NULL);
	free(reason);
	context->started = false;
	context->pauses = 0;
	frequency_destroy(context->frequency);
	context->frequency = frequency_create(context);
	context->former_ns += context->result.durations[0];
	context->former_runs += context->result.runs[0];
	result_clear(&context->result, context->plan);
	result_clear(&context->printed, context->plan);
	return ok;
}

static void explain_load(const struct context *context, pid_t tid, int error)
{
	bool system_wide = context->cpu != NO_CPU;

	if (error == EBUSY && system_wide)
		message("CPU %d or a thread is being measured already: system-wide and per-thread sessions are mutually exclusive; wait until the other session ends",
			context->cpu);
	else if (error == EBUSY)
		message("thread %d or a CPU is being measured already: per-thread and system-wide sessions are mutually exclusive; wait until the other session ends, or, if another pfmon follows this process, start that pfmon with --no-inherit",
			tid);
	else if (error == ESRCH)
		message("there is no thread %d; ps -eL lists all threads", tid);
	else if (context->plan->cgroups &&
		 !is_cgroup(context->plan->cgroups->fd))
		message("--cgroup=%s is not a control group, or has been removed; systemd-cgls lists control groups",
			context->plan->options->cgroups);
	else if (error == EPERM || error == EACCES)
		explain_refusal(context->plan, tid);
	else if (error == EOPNOTSUPP && context_has_family(context))
		message("this kernel cannot follow forks (try --no-inherit), or this machine's PMU does not support one of the events (--check-events-only shows which)");
	else if (error == ENOENT || error == EOPNOTSUPP || error == ENODEV)
		message("this machine's PMU does not support one of the events (%s): --check-events-only shows which",
			strerror(error));
	else if (error == ENODATA)
		message("an event, such as mem-loads, cannot record data sources on this CPU: use --smpl-pmds=addr,latency without source, and neither dear-hist nor a PEBS format");
	else if (error == EINVAL && records_branches(context->plan))
		message("an event does not provide the branches that --smpl-pmds requests: use hardware events of CPUs that record branches; virtual machines often record none");
	else if (error == EINVAL && records(context->plan, PFM_PMD_ADDRESS,
					    PFM_PMD_TRANSACTION))
		message("an event does not provide the data that --smpl-pmds or the sampling format requests: CPU events need the modifier p, as in cycles:p; page faults and breakpoints provide only addr and physical; other software events and tracepoints provide nothing");
	else
		message("cannot attach the context to thread %d: %s", tid,
			strerror(error));
}

bool context_load(struct context *context, pid_t tid)
{
	pfarg_load_t load = {
		.load_pid = (__u32)tid,
		.load_set = (__u16)evtsets_first(context),
	};
	int error;

	if (context->plan->cgroups && !context->plan->by_cgroup) {
		load.load_flags = PFM_LOADFL_CGROUP;
		load.load_cgroup = (__u32)context->plan->cgroups->fd;
	}
	context->tid = tid;
	context->result.tid = context->cpu == NO_CPU ? tid : 0;
	if (!pfm_load_context(context->fd, &load))
		return true;
	error = errno;
	explain_load(context, tid, error);
	errno = error;
	return false;
}

void context_unload(struct context *context)
{
	if (context->cpu != NO_CPU && fdinfo_is_offline(context))
		message("CPU %d went offline: it was measured only until then",
			context->cpu);
	/*
	 * EBUSY means that the thread has ended, so that the context is
	 * unloaded already.
	 */
	if (pfm_unload_context(context->fd) && errno != EBUSY)
		message("cannot detach the context: %s", strerror(errno));
}
