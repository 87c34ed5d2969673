/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* settings.h - the parsed command line */
#ifndef PFMON_BASE_SETTINGS_H
#define PFMON_BASE_SETTINGS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <perfmon/perfmon.h>

#include "base/util.h"

#define DEFAULT_ENTRIES		2048
#define DEFAULT_REGIONS		4
#define DEFAULT_CAPTURE		"pfmon.cap"
#define DEFAULT_MODULE		"default"

enum action {
	ACTION_MEASURE,
	ACTION_LIST_EVENTS,
	ACTION_EVENT_INFO,
	ACTION_CHECK_EVENTS,
	ACTION_DRY_RUN,
	ACTION_LIST_FORMATS,
	ACTION_HELP,
	ACTION_VERSION,
	ACTION_DOCTOR,
	ACTION_TOP,
};

/* Options that some sampling formats do not accept; one bit each. */
#define FORMAT_OPT_IP_ONLY	0x001
#define FORMAT_OPT_NO_HDR	0x002
#define FORMAT_OPT_ENTRIES	0x004
#define FORMAT_OPT_PMDS		0x008
#define FORMAT_OPT_RANDOM	0x010
#define FORMAT_OPT_REGIONS	0x020
#define FORMAT_OPT_MASK_WHEN_FULL 0x040
#define FORMAT_OPT_RECORD	0x080
#define FORMAT_OPT_IMPRECISE	0x100
#define FORMAT_OPT_SHOW_FUNC	0x200
#define FORMAT_OPT_SHOW_TOP	0x400
#define FORMAT_OPT_INST_VIEW	0x800
#define FORMAT_OPT_DATA_VIEW	0x1000
#define FORMAT_OPT_LEVEL_VIEW	0x2000
#define FORMAT_OPT_FREQUENCY	0x4000
#define FORMAT_OPT_ARG		0x8000
#define FORMAT_OPT_RAW_TIME	0x10000

#define FORMAT_OPT_VIEWS \
	(FORMAT_OPT_INST_VIEW | FORMAT_OPT_DATA_VIEW | FORMAT_OPT_LEVEL_VIEW)

/* Options that are accepted for formats of unknown layout. */
#define FORMAT_OPT_UNKNOWN	(FORMAT_OPT_PMDS | FORMAT_OPT_RANDOM | \
				 FORMAT_OPT_ARG | FORMAT_OPT_REGIONS)

/* The kinds of new threads and processes to follow (--follow-...). */
#define FOLLOW_FORK	0x1
#define FOLLOW_VFORK	0x2
#define FOLLOW_PTHREAD	0x4
#define FOLLOW_EXEC	0x8

/* Methods to find user call chains (--call-graph). */
enum call_graph {
	CALL_GRAPH_NONE,		/* not requested */
	CALL_GRAPH_TABLES,		/* by unwind tables */
	CALL_GRAPH_FP,			/* by frame pointers */
};

/* Methods to measure time off CPU from context switches (--off-cpu). */
enum off_cpu {
	OFF_CPU_NONE,			/* not requested */
	OFF_CPU_RECORD,			/* record each switch */
	OFF_CPU_SUM,			/* let the kernel sum the times */
};

/* The PMD that records the thread's CPU time in each --off-cpu sample. */
#define OFF_CPU_CLOCK	1

/* The PMD whose overflows are the clock samples of --wall-clock. */
#define WALL_CLOCK_TIMER	0

/* Rows of counts: one per thread, one per process or one sum (--aggregate). */
enum aggregation {
	AGGREGATE_DEFAULT,
	AGGREGATE_THREAD,
	AGGREGATE_PROCESS,
	AGGREGATE_ALL,
};

/* One event of -e; it is a sampling event if it has a period. */
struct event_option {
	char *name;
	char *cpus;			/* CPUs that count it, or NULL: all */
	unsigned int set;		/* event set */
	unsigned int number;		/* number of its PMC and PMD */
	unsigned int levels;		/* LEVEL_* from --priv-levels, or 0 */
	bool sampling;
	bool fixed;			/* users cannot choose a period */
	uint64_t long_period;
	uint64_t short_period;
	bool randomised;
	uint64_t frequency;		/* samples per second, or 0 */
	bool adapted;			/* pfmon adapts the period */
	bool quiet;			/* overflows do not notify */
	uint64_t switch_after;		/* overflows before a set switch */
	uint64_t random_mask;
	uint32_t random_seed;
};

struct options {
	enum action action;
	const char *pattern;		/* of --list-events, --event-info */

	struct event_option *events;
	unsigned int event_count;
	unsigned int set_count;		/* 1 unless sets are multiplexed */
	uint64_t switch_ns;		/* --switch-timeout, 0 if not given */
	const char *switch_overflows;	/* a list with one element per event */
	bool excl_idle;
	unsigned int levels;		/* LEVEL_*, 0 if not given */

	bool sampling;			/* some event has a period */
	bool adapts;			/* some period is adapted */
	const char *module;		/* sampling format, by name or UUID */
	enum call_graph call_graph;
	enum off_cpu off_cpu;		/* sample context switches */
	bool wall_clock;		/* sample a clock, too */
	uint64_t entries;
	uint32_t regions;		/* --smpl-regions, 0 if not given */
	uint32_t record;		/* --smpl-record, flag of pebs64 */
	unsigned int format_options;	/* FORMAT_OPT_* that were given */
	unsigned char *format_arg;	/* --smpl-arg, NULL if not given */
	size_t format_arg_size;
	const char *format_fields;	/* --smpl-arg by fields, or NULL */
	const char *priv_levels;	/* lists with one element per event */
	const char *long_periods;
	const char *short_periods;
	const char *frequencies;
	const char *random_masks;
	const char *notify;
	__u64 smpl_pmds[PFM_MAX_PMD_BITVECTOR];	/* --smpl-pmds */
	uint64_t show_top;		/* rows of a view, 0 for all */
	bool reset_non_smpl;
	bool overflow_block;
	bool data_maps;

	bool system_wide;
	int *cpus;
	unsigned int cpu_count;
	bool aggregate;			/* --aggregate-results: sum over CPUs */
	char *cgroups;			/* patterns, or NULL */
	bool pin_command;		/* to the measured CPUs */
	bool default_events;		/* no -e: pfmon chose the events */
	unsigned int runs;		/* --repeat, 0 if not given */
	uint64_t interval_ns;		/* --print-interval, 0 if not given */
	pid_t attach;			/* --attach-task, 0 if not given */
	pid_t attach_process;		/* 0 if not given */
	unsigned int follow;		/* FOLLOW_* */
	bool no_inherit;		/* measure the first thread only */
	regex_t *only;			/* programs to measure; NULL: all */
	regex_t *exclude;		/* programs not to measure */
	enum aggregation aggregation;
	uint64_t timeout_ns;		/* 0 for none */
	uint64_t duration_ns;		/* 0 for none */
	uint64_t delay_ns;		/* 0 for none */
	bool delayed_for_good;		/* wait for SIGUSR1 (--delay=-1) */
	const char *trigger_start;	/* function or address; or NULL */
	const char *trigger_stop;
	uint64_t snapshot_ns;		/* 0: only on SIGUSR2 */
	const char *control;		/* path of the command FIFO, or NULL */
	const char *control_ack;	/* path of the reply FIFO, or NULL */
	char **command;			/* NULL if not given */

	const char *outfile;		/* NULL if not given */
	bool append;			/* append to the output file */
	bool to_stdout;			/* write counts to stdout, not stderr */
	const char *csv;		/* separator, NULL if not given */
	bool table;			/* --table */
	bool with_header;
	bool show_time;
	enum number_format numbers;	/* for counts in text and tables */
	bool verbose;

	bool json;			/* print counts or findings as JSON */

	struct top_options {
		uint64_t interval_ns;	/* 0: not a live view */
		bool batch;
		const char *iterations;	/* this and the rest are for pfmparse */
		const char *window;
		const char *rows;
		const char *sort;
	} top;
};

#endif /* PFMON_BASE_SETTINGS_H */
