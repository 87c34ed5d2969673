// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * print_records.c - print what the SDK's readers find in buffers
 *
 * A request on standard input is a line, followed by the bytes of the buffers:
 *
 *	FORMAT FLAGS WORD KINDS SIZE...
 *
 * FLAGS are passed to the reader's begin function. WORD is the size of an
 * OProfile word in bytes. KINDS lists the sampling PMDs, separated by
 * semicolons. Each is SET:PMD:PMDS, in which PMDS are the PMDs that its samples
 * record, separated by commas. The buffers belong to one context and are in
 * order. For each buffer the program prints samples, problems and losses as
 * lines of JSON, and then a line "end".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_read_callstack.h>
#include <perfmon/perfmon_read_default.h>
#include <perfmon/perfmon_read_flight.h>
#include <perfmon/perfmon_read_histogram.h>
#include <perfmon/perfmon_read_nway.h>
#include <perfmon/perfmon_read_oprofile.h>
#include <perfmon/perfmon_read_pebs32.h>
#include <perfmon/perfmon_read_pebs64.h>
#include <perfmon/perfmon_read_stacks.h>

#define MAX_KINDS	64
#define LINE		65536

/*
 * The sampling PMDs. names[i] are the numbers of the PMDs that samples of
 * kinds[i] record.
 */
static struct pfm_read_kind kinds[MAX_KINDS];
static unsigned int names[MAX_KINDS][PFM_MAX_PMDS];
static unsigned int num_kinds;

static union {
	struct pfm_read_default entries;
	struct pfm_read_nway nway;
	struct pfm_read_pebs32 pebs32;
	struct pfm_read_pebs64 pebs64;
	struct pfm_read_oprofile oprofile;
	struct pfm_read_sink sink;
	struct pfm_read_callstack callstack;
	struct pfm_read_flight flight;
	struct pfm_read_histogram histogram;
	struct pfm_read_stacks stacks;
} r;

/* A format: its reader, and functions that print the reader's results. */
struct format {
	const char *name;
	int (*init)(unsigned int word);
	int (*begin)(const void *buf, size_t size, unsigned int flags);
	int (*next)(void);
	const struct pfm_read_problem *problem;
	void (*print)(void);
	void (*print_lost)(void);
};

static void field(const char *name, uint64_t value)
{
	printf("\"%s\": %" PRIu64 ", ", name, value);
}

#define FIELD(structure, member)	field(#member, (structure)->member)

static void print_pmds(const struct pfm_read_kind *kind, const __u64 *pmds,
		       unsigned int num)
{
	printf("\"pmds\": {");
	for (unsigned int i = 0; kind && i < num; i++)
		printf("%s\"%u\": %" PRIu64, i ? ", " : "",
		       names[kind - kinds][i], (uint64_t)pmds[i]);
	printf("}");
}

/*
 * Find the last kind with this set and PMD. Return: the kind, or NULL if it
 * does not exist or does not have @num PMDs.
 */
static const struct pfm_read_kind *kind_of(unsigned int set, unsigned int pmd,
					   unsigned int num)
{
	for (unsigned int i = num_kinds; i--;) {
		if (kinds[i].set == set && kinds[i].pmd == pmd)
			return kinds[i].num_pmds == num ? &kinds[i] : NULL;
	}
	return NULL;
}

static void print_entry(const struct pfm_read_entry *entry, __u32 flags,
			int is_ia64)
{
	const pfm_default_smpl_entry_t *head = &entry->head;
	const struct pfm_read_kind *kind = entry->kind ? entry->kind : kinds;

	if (!flags) {
		printf("\"pid\": %" PRId64 ", ",
		       is_ia64 ? (int64_t)(int32_t)head->pid :
		       (int64_t)head->pid);
		printf("\"tgid\": %" PRId64 ", ",
		       is_ia64 ? (int64_t)(int32_t)head->tgid :
		       (int64_t)head->tgid);
		FIELD(head, ovfl_pmd);
		FIELD(head, last_reset_val);
		FIELD(head, tstamp);
		FIELD(head, cpu);
		FIELD(head, set);
	}
	if (flags != PFM_DFL_SMPL_NO_HDR)
		FIELD(head, ip);
	print_pmds(kind, entry->pmds, entry->num_pmds);
}

static int default_init(unsigned int word)
{
	(void)word;
	return pfm_read_default_init(&r.entries, kinds, num_kinds);
}

static int ia64_init(unsigned int word)
{
	(void)word;
	return pfm_read_default_ia64_init(&r.entries, kinds, num_kinds);
}

static int default_begin(const void *buf, size_t size, unsigned int flags)
{
	return pfm_read_default_begin(&r.entries, buf, size, flags);
}

static int default_next(void)
{
	return pfm_read_default_next(&r.entries);
}

static void default_print(void)
{
	const struct pfm_read_entries *entries = &r.entries.entries;
	__u32 flags = entries->head == 0 ? PFM_DFL_SMPL_NO_HDR :
		      entries->head == 8 ? PFM_DFL_SMPL_IIP_HDR : 0;

	print_entry(&r.entries.entry, flags, entries->is_ia64);
}

static void nothing_lost(void)
{
}

static int nway_init(unsigned int word)
{
	(void)word;
	return pfm_read_nway_init(&r.nway, kinds, num_kinds);
}

static int nway_begin(const void *buf, size_t size, unsigned int flags)
{
	return pfm_read_nway_begin(&r.nway, buf, size, flags);
}

static int nway_next(void)
{
	return pfm_read_nway_next(&r.nway);
}

static void nway_print(void)
{
	print_entry(&r.nway.entry, 0, 0);
}

static void nway_lost(void)
{
	FIELD(&r.nway, overwritten);
	FIELD(&r.nway, dropped);
}

static const char * const registers[] = {
	"eflags", "ip", "eax", "ebx", "ecx", "edx", "esi", "edi", "ebp", "esp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "status", "dla",
	"dse", "lat", "real_ip", "tsx_tuning", "tsc",
};

static int pebs32_init(unsigned int word)
{
	(void)word;
	pfm_read_pebs32_init(&r.pebs32);
	return 0;
}

static int pebs32_begin(const void *buf, size_t size, unsigned int flags)
{
	(void)flags;
	return pfm_read_pebs32_begin(&r.pebs32, buf, size);
}

static int pebs32_next(void)
{
	return pfm_read_pebs32_next(&r.pebs32);
}

static void pebs32_print(void)
{
	const __u32 *values = (const __u32 *)&r.pebs32.entry;

	for (unsigned int i = 0; i < r.pebs32.pebs.entry_size / 4; i++)
		field(registers[i], values[i]);
	print_pmds(NULL, NULL, 0);
}

static int pebs64_init(unsigned int word)
{
	(void)word;
	pfm_read_pebs64_init(&r.pebs64);
	return 0;
}

static int pebs64_begin(const void *buf, size_t size, unsigned int flags)
{
	(void)flags;
	return pfm_read_pebs64_begin(&r.pebs64, buf, size);
}

static int pebs64_next(void)
{
	return pfm_read_pebs64_next(&r.pebs64);
}

static void pebs64_print(void)
{
	const __u64 *values = (const __u64 *)&r.pebs64.entry;

	for (unsigned int i = 0; i < r.pebs64.pebs.entry_size / 8; i++)
		field(registers[i], values[i]);
	print_pmds(NULL, NULL, 0);
}

/* Both PEBS readers begin with the same structure. */
static void pebs_lost(void)
{
	FIELD(&r.pebs32.pebs, dropped);
	FIELD(&r.pebs32.pebs, no_room);
}

static int oprofile_init(unsigned int word)
{
	return pfm_read_oprofile_init(&r.oprofile, word);
}

static int oprofile_begin(const void *buf, size_t size, unsigned int flags)
{
	(void)flags;
	pfm_read_oprofile_begin(&r.oprofile, buf, size);
	return 0;
}

/* Print a caller on a line of its own, because it is not a sample. */
static int oprofile_next(void)
{
	const struct pfm_read_oprofile *o = &r.oprofile;
	int got;

	while ((got = pfm_read_oprofile_next(&r.oprofile)) > 0 && o->is_caller)
		printf("{\"caller\": [%" PRIu64 ", %" PRIu64 "]}\n",
		       (uint64_t)o->offset,
		       o->is_kernel ? 0 : (uint64_t)o->cookie);
	return got;
}

static void oprofile_print(void)
{
	const struct pfm_read_oprofile *o = &r.oprofile;

	FIELD(o, offset);
	FIELD(o, event);
	FIELD(o, cpu);
	field("pid", o->tid);
	FIELD(o, tgid);
	FIELD(o, app_cookie);
	FIELD(o, cookie);
	field("kernel", (uint64_t)o->is_kernel);
	print_pmds(NULL, NULL, 0);
}

/* The readers of all formats with a sink begin with the sink's reader. */
static void sink_lost(void)
{
	FIELD(&r.sink, overwritten);
	field("full", r.sink.lost[PFM_SINK_LOST_FULL]);
	field("table", r.sink.lost[PFM_SINK_LOST_TABLE]);
	field("registers", r.sink.lost[PFM_SINK_LOST_REGS]);
	field("other", r.sink.lost[PFM_SINK_LOST_OTHER]);
	FIELD(&r.sink, skipped);
}

static int sink_begin(const void *buf, size_t size, unsigned int flags)
{
	return pfm_read_sink_begin(&r.sink, buf, size, flags);
}

static int callstack_init(unsigned int word)
{
	(void)word;
	pfm_read_callstack_init(&r.callstack);
	return 0;
}

static int callstack_next(void)
{
	return pfm_read_callstack_next(&r.callstack);
}

/* Print the chain without its first address, which is that of the sample. */
static void print_callers(const __u64 *kernel, unsigned int num_kernel,
			  const __u64 *user, unsigned int num_user)
{
	printf("\"callers\": [");
	for (unsigned int i = 1; i < num_kernel + num_user; i++)
		printf("%s%" PRIu64, i > 1 ? ", " : "",
		       (uint64_t)(i < num_kernel ? kernel[i] :
				  user[i - num_kernel]));
	printf("], ");
}

static void callstack_print(void)
{
	const pfm_callstack_record_t *record = &r.callstack.record;

	FIELD(record, tstamp);
	FIELD(record, ip);
	FIELD(record, tid);
	FIELD(record, tgid);
	FIELD(record, ovfl_pmd);
	FIELD(record, cpu);
	FIELD(record, set);
	print_callers(r.callstack.kernel, record->num_kernel,
		      r.callstack.user, record->num_user);
	print_pmds(kind_of(record->set, record->ovfl_pmd, record->num_pmds),
		   r.callstack.pmds, record->num_pmds);
}

static int flight_init(unsigned int word)
{
	(void)word;
	pfm_read_flight_init(&r.flight);
	return 0;
}

static int flight_next(void)
{
	return pfm_read_flight_next(&r.flight);
}

static void flight_print(void)
{
	const pfm_flight_record_t *record = &r.flight.record;

	FIELD(record, tstamp);
	FIELD(record, ip);
	FIELD(record, tid);
	FIELD(record, tgid);
	FIELD(record, ovfl_pmd);
	FIELD(record, cpu);
	FIELD(record, set);
	print_pmds(kind_of(record->set, record->ovfl_pmd, record->num_pmds),
		   r.flight.pmds, record->num_pmds);
}

static int histogram_init(unsigned int word)
{
	(void)word;
	pfm_read_histogram_init(&r.histogram);
	return 0;
}

static int histogram_next(void)
{
	return pfm_read_histogram_next(&r.histogram);
}

static void histogram_print(void)
{
	const pfm_histogram_record_t *record = &r.histogram.record;

	FIELD(record, ovfl_pmd);
	FIELD(record, set);
	FIELD(record, tgid);
	FIELD(record, ip);
	FIELD(record, count);
	print_pmds(NULL, NULL, 0);
}

static int stacks_init(unsigned int word)
{
	(void)word;
	pfm_read_stacks_init(&r.stacks);
	return 0;
}

static int stacks_next(void)
{
	return pfm_read_stacks_next(&r.stacks);
}

static void stacks_print(void)
{
	const pfm_stacks_record_t *record = &r.stacks.record;

	FIELD(record, count);
	FIELD(record, periods);
	FIELD(record, ovfl_pmd);
	FIELD(record, set);
	FIELD(record, tgid);
	FIELD(record, tid);
	field("ip", record->num_kernel ? r.stacks.kernel[0] :
		    record->num_user ? r.stacks.user[0] : 0);
	print_callers(r.stacks.kernel, record->num_kernel,
		      r.stacks.user, record->num_user);
	print_pmds(NULL, NULL, 0);
}

static const struct format formats[] = {
	{ "default", default_init, default_begin, default_next,
	  &r.entries.problem, default_print, nothing_lost },
	{ "ia64", ia64_init, default_begin, default_next,
	  &r.entries.problem, default_print, nothing_lost },
	{ "nway", nway_init, nway_begin, nway_next, &r.nway.problem,
	  nway_print, nway_lost },
	{ "pebs32", pebs32_init, pebs32_begin, pebs32_next,
	  &r.pebs32.pebs.problem, pebs32_print, pebs_lost },
	{ "pebs64", pebs64_init, pebs64_begin, pebs64_next,
	  &r.pebs64.pebs.problem, pebs64_print, pebs_lost },
	{ "oprofile", oprofile_init, oprofile_begin, oprofile_next,
	  &r.oprofile.problem, oprofile_print, nothing_lost },
	{ "callstack", callstack_init, sink_begin, callstack_next,
	  &r.sink.problem, callstack_print, sink_lost },
	{ "flight", flight_init, sink_begin, flight_next,
	  &r.sink.problem, flight_print, sink_lost },
	{ "histogram", histogram_init, sink_begin, histogram_next,
	  &r.sink.problem, histogram_print, sink_lost },
	{ "stacks", stacks_init, sink_begin, stacks_next,
	  &r.sink.problem, stacks_print, sink_lost },
};

static const struct format *find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (!strcmp(formats[i].name, name))
			return &formats[i];
	}
	fprintf(stderr, "%s: no such format\n", name);
	exit(2);
}

static void print_problem(const struct pfm_read_problem *problem)
{
	printf("{\"problem\": \"%s %s\", \"error\": %d, \"offset\": %" PRIu64
	       ", \"region\": %u}\n", problem->what, pfm_read_text(problem),
	       (int)problem->error, (uint64_t)problem->offset, problem->region);
}

static void read_buffer(const struct format *format, const void *buf,
			size_t size, unsigned int flags)
{
	int got = format->begin(buf, size, flags);

	if (got) {
		print_problem(format->problem);
		printf("end\n");
		return;
	}
	while ((got = format->next())) {
		if (got < 0) {
			print_problem(format->problem);
			continue;
		}
		printf("{\"sample\": {");
		format->print();
		printf("}}\n");
	}
	printf("{\"lost\": {");
	format->print_lost();
	printf("\"readable\": true}}\nend\n");
}

/*
 * Read a buffer into exactly @size bytes, so that a sanitizer detects reads
 * beyond its end.
 */
static void *take(size_t size)
{
	void *bytes = malloc(size);

	if (!bytes || fread(bytes, 1, size, stdin) != size) {
		perror("cannot read a buffer");
		exit(2);
	}
	return bytes;
}

static void parse_kinds(char *text)
{
	char *one, *name;

	num_kinds = 0;
	while ((one = strsep(&text, ";")) && *one && num_kinds < MAX_KINDS) {
		struct pfm_read_kind *kind = &kinds[num_kinds];

		kind->set = (__u16)strtoul(strsep(&one, ":"), NULL, 10);
		kind->pmd = (__u16)strtoul(strsep(&one, ":"), NULL, 10);
		kind->num_pmds = 0;
		while ((name = strsep(&one, ",")) && *name)
			names[num_kinds][kind->num_pmds++] =
				(unsigned int)strtoul(name, NULL, 10);
		num_kinds++;
	}
}

static void serve(char *line)
{
	const struct format *format = find(strsep(&line, " "));
	unsigned int flags = (unsigned int)strtoul(strsep(&line, " "), NULL, 0);
	unsigned int word = (unsigned int)strtoul(strsep(&line, " "), NULL, 0);
	const char *number;
	size_t size;
	void *bytes;

	parse_kinds(strsep(&line, " "));
	if (format->init(word))
		print_problem(format->problem);
	while ((number = strsep(&line, " "))) {
		size = strtoul(number, NULL, 0);
		bytes = take(size);
		read_buffer(format, bytes, size, flags);
		free(bytes);
		fflush(stdout);
	}
}

int main(void)
{
	static char line[LINE];

	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		serve(line);
	}
	return 0;
}
