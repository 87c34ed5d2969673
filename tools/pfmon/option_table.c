// SPDX-License-Identifier: MIT OR GPL-2.0
/* option_table.c - every option of pfmon, once */
#define _GNU_SOURCE
#include "cgroup_options.h"
#include "counting_options.h"
#include "event_options.h"
#include "follow_options.h"
#include "option_arguments.h"
#include "option_table.h"
#include "util.h"

#define FIELD(member)	.field = offsetof(struct options, member)
#define SETS(member)	{ EFFECT_FLAG, FIELD(member) }
#define KEEPS(member)	{ EFFECT_TEXT, FIELD(member) }
#define CALLS(function)	{ EFFECT_CALL, .call = function }
#define ACTS(which)	{ EFFECT_ACTION, .action = ACTION_##which }

/* For completion: names, without their marks. */
#define EVENT_WORDS \
	"$(pfmon --list-events='^[^:]*$' 2>/dev/null | cut -d' ' -f1)"

#define TEXT_OF(number)		TEXT_OF_TOKEN(number)
#define TEXT_OF_TOKEN(token)	#token

const struct option_heading option_headings[OPTION_GROUPS] = {
	[GROUP_COUNTING] = { "Counting", NULL },
	[GROUP_SAMPLING] = {
		"Sampling",
		"lists are in the order of the events; an element may be empty"
	},
	[GROUP_FORMAT] = {
		"Options of some sampling formats",
		"the other formats refuse them"
	},
	[GROUP_PRINTING] = { "Information", NULL },
	[GROUP_TOP] = {
		"Options of pfmon " TOP_WORD,
		"it takes those above, too"
	},
	[GROUP_DOCTOR] = {
		"Options of pfmon " DOCTOR_WORD,
		"it takes no others but *--help*"
	},
};

const struct option_row option_table[] = {
	{
		.name = "events", .letter = 'e', .argument = "EV1,...",
		.words = EVENT_WORDS,
		.effect = CALLS(event_options_add),
		.summary = "events; a suffix *:u*, *:k*, *:p* says how",
		.details =
			"An event is one of the kernel's generic ones under the name\n"
			"that *perf*(1) gives it, such as *cpu-clock*, *page-faults*\n"
			"or *cycles*; *r*_HEX_, a raw number of the CPU's;\n"
			"_PMU_*/*_TERM_,...*/* as *perf*(1) writes it, or\n"
			"_NAME_[*:*_TERM_]..., of a PMU that the kernel names;\n"
			"_SYSTEM_*:*_NAME_, a tracepoint; or a name that libpfm4 knows.\n"
			"See EVENTS.\n"
			"A suffix *:u*, *:k* or *:uk* says at which privilege level it\n"
			"is measured, whatever *-u* and *-k* say; letters *p* in it,\n"
			"one to three, are its precise level: how exactly the address\n"
			"of a sample is that of the event, as far as the CPU can tell.\n"
			"_EVENT_*@*_LIST_ is measured on these CPUs only, as in\n"
			"*cycles@0,2-3,instructions@1*; without *@* on all that are\n"
			"measured.\n",
	}, {
		.name = "user-level", .letter = 'u',
		.effect = CALLS(take_user_level),
		.summary = "measure at user level (default)",
		.details =
			"Only what happens in the kernel - context switches, CPU\n"
			"migrations, tracepoints - is by default measured there as\n"
			"well, and so are events of PMUs that are not the CPUs'.\n",
	}, {
		.name = "kernel-level", .letter = 'k',
		.effect = CALLS(take_kernel_level),
		.summary = "measure at kernel level; *-uk* at both",
	}, {
		.name = "priv-levels", .argument = "L1,...",
		.effect = KEEPS(priv_levels),
		.summary = "levels of each event: *u*, *k* or *uk*",
		.details =
			"In the order of the events; one with an empty element is\n"
			"measured as *-u* and *-k* say.\n",
	}, {
		.name = "outfile", .letter = 'o', .argument = "FILE",
		.names_file = true,
		.effect = KEEPS(outfile),
		.summary = "write the counts or the capture to _FILE_",
		.details =
			"Counts go to standard output otherwise, a capture to\n"
			"_" DEFAULT_CAPTURE "_.\n",
	}, {
		.name = "with-header",
		.effect = SETS(with_header),
		.summary = "print machine and session above the counts",
		.details = "The values of the PMCs are printed, too.\n",
	}, {
		.name = "session-timeout", .argument = "S",
		.effect = CALLS(parse_session_timeout),
		.summary = "end after _S_ seconds",
		.details =
			"The number may have decimals.\n"
			"A command is sent *SIGTERM* then.\n",
	}, {
		.name = "duration", .argument = "S",
		.effect = CALLS(parse_duration),
		.summary = "measure for _S_ seconds only",
		.details =
			"Unlike *--session-timeout* it leaves a command alone: what was\n"
			"measured is printed, or saved, at once, and *pfmon* waits for\n"
			"the command, which is not traced any more.\n"
			"The time begins with measuring: see *--delay*.\n",
	}, {
		.name = "delay", .argument = "MS",
		.effect = CALLS(parse_delay),
		.summary = "begin measuring after _MS_ milliseconds",
		.details =
			"They begin with the command, or the session.\n"
			"With -1, measuring begins when *pfmon* gets *SIGUSR1*, as it\n"
			"also does if that comes before the time is over.\n",
	}, {
		.name = "trigger-start", .argument = "CODE",
		.effect = KEEPS(trigger_start),
		.summary = "measure from this function, or address, on",
		.details =
			"_CODE_ is a function of the command's program, or the address\n"
			"of an instruction as *nm*(1) and *objdump*(1) print it, such\n"
			"as *0x1139*. One of a shared library is _LIBRARY_*:*_CODE_, as\n"
			"*libz:inflate*. Measuring starts before its first thread\n"
			"executes that instruction, each time again.\n"
			"On x86-64 and arm64 only.\n",
	}, {
		.name = "trigger-stop", .argument = "CODE",
		.effect = KEEPS(trigger_stop),
		.summary = "measure until the command comes to this code",
		.details =
			"Measuring stops before that instruction, and starts again\n"
			"at that of *--trigger-start*.\n",
	}, {
		.name = "snapshot", .argument = "S",
		.effect = CALLS(parse_snapshot),
		.summary = "save what there is every _S_ seconds",
		.details =
			"*SIGUSR2* does the same at any moment: see SIGNALS.\n",
	}, {
		.name = "switch-timeout", .argument = "MS",
		.effect = CALLS(parse_switch_timeout),
		.summary = "each *-e* is an event set; they take turns of _MS_ ms",
		.details =
			"Turns are rounded up to the kernel's timer tick; counts are\n"
			"scaled to the whole time, and the part of it that they were\n"
			"counted is printed.\n"
			"Samples are those of the set whose turn it is.\n",
	}, {
		.name = "attach-task", .argument = "TID",
		.effect = CALLS(parse_attach_task),
		.summary = "measure a running thread",
		.details =
			"Measuring goes on until it ends, the time is up or a signal\n"
			"arrives.\n",
	}, {
		.name = "attach-process", .argument = "PID",
		.effect = CALLS(parse_attach_process),
		.summary = "measure all threads of a running process",
		.details =
			"Those that it makes later are measured, too; processes that\n"
			"it makes are with *--follow-fork*.\n"
			"Measuring goes on until all have ended, the time is up or a\n"
			"signal arrives.\n",
	}, {
		.name = "follow-fork",
		.effect = CALLS(follow_fork),
		.summary = "measure processes that *fork*(2) makes, too",
		.details =
			"What is followed is measured from its first instruction at\n"
			"user level on.\n"
			"Measuring goes on until the last has ended; but those that\n"
			"have left the session, daemons, go on unmeasured then.\n",
	}, {
		.name = "follow-vfork",
		.effect = CALLS(follow_vfork),
		.summary = "measure processes that *vfork*(2) makes, too",
		.details =
			"Some shells, *make*(1) and *posix_spawn*(3) use it.\n",
	}, {
		.name = "follow-pthread",
		.effect = CALLS(follow_pthread),
		.summary = "measure further threads, too",
	}, {
		.name = "follow-exec", .argument = "REGEX", .optional = true,
		.effect = CALLS(follow_exec),
		.summary = "measure only programs that match _REGEX_",
		.details =
			"An extended regular expression, see *regex*(7), that matches\n"
			"a part of the program's path, or of its arguments with spaces\n"
			"between them.\n"
			"Without it a thread that calls *execve*(2) is measured on,\n"
			"and this option changes nothing.\n",
	}, {
		.name = "follow-all",
		.effect = CALLS(follow_all),
		.summary = "all four: whatever the command does",
	}, {
		.name = "exclude", .argument = "REGEX",
		.effect = CALLS(parse_exclude),
		.summary = "do not measure programs that match _REGEX_",
	}, {
		.name = "aggregate", .argument = "HOW", .words = "thread process all",
		.effect = CALLS(parse_aggregate),
		.summary = "print counts by *thread*, by *process* or of *all*",
		.details =
			"The default is the sum of all threads that are followed.\n",
	}, {
		.name = "system-wide",
		.effect = SETS(system_wide),
		.summary = "measure CPUs, whatever runs there",
	}, {
		.name = "excl-idle",
		.effect = SETS(excl_idle),
		.summary = "leave out what the idle thread does",
		.details = "For CPUs: *--system-wide*.\n",
	}, {
		.name = "cpu-list", .argument = "LIST",
		.effect = CALLS(parse_cpu_list),
		.summary = "these CPUs, such as *0,2-3* (default: all)",
	}, {
		.name = "cgroup", .argument = "PATTERN,...",
		.effect = CALLS(parse_cgroup),
		.summary = "show samples of these control groups only",
		.details =
			"Those of processes in them, or in one below; a pattern is a\n"
			"path such as */system.slice*, with wildcards as in a shell.\n"
			"For sampling CPUs: *--system-wide*. All samples are recorded,\n"
			"and *pfmparse*(1) selects these unless it is told otherwise.\n",
	}, {
		.name = "pin-command",
		.effect = SETS(pin_command),
		.summary = "let the command run on these CPUs only",
	}, {
		.name = "aggregate-results",
		.effect = SETS(aggregate),
		.summary = "print sums over the CPUs instead of each count",
	}, {
		.name = "repeat", .letter = 'r', .group = GROUP_COUNTING,
		.argument = "N",
		.effect = CALLS(parse_repeat),
		.summary = "run the command _N_ times, and print means",
		.details =
			"Behind each mean is its standard error in percent.\n"
			"The exit status is that of the first run that failed.\n",
	}, {
		.name = "print-interval", .letter = 'I',
		.group = GROUP_COUNTING, .argument = "MS",
		.effect = CALLS(parse_print_interval),
		.summary = "print what was counted every _MS_ milliseconds",
		.details =
			"Before each count is the time since the start in seconds.\n",
	}, {
		.name = "json", .letter = 'j', .group = GROUP_COUNTING,
		.effect = SETS(json),
		.summary = "print the counts as JSON, an object in a line",
		.details =
			"So are events and formats with *--event-info*, *--list-events*\n"
			"and *--list-formats*.\n",
	}, {
		.name = "csv", .group = GROUP_COUNTING,
		.argument = "SEP", .optional = true,
		.effect = CALLS(take_csv),
		.summary = "print the counts as columns with _SEP_ between them",
		.details =
			"The default is a comma. The first line names the columns.\n",
	}, {
		.name = "table", .group = GROUP_COUNTING,
		.effect = SETS(table),
		.summary = "print a row for each CPU or thread",
		.details =
			"The columns are the events.\n",
	}, {
		.name = "show-time", .group = GROUP_COUNTING,
		.effect = SETS(show_time),
		.summary = "print how long it took, and the command's own time",
	}, {
		.name = "us-counter-format", .group = GROUP_COUNTING,
		.effect = CALLS(take_us_numbers),
		.summary = "print counts as 1,024",
	}, {
		.name = "eu-counter-format", .group = GROUP_COUNTING,
		.effect = CALLS(take_eu_numbers),
		.summary = "print counts as 1.024",
	}, {
		.name = "hex-counter-format", .group = GROUP_COUNTING,
		.effect = CALLS(take_hex_numbers),
		.summary = "print counts as 0x400",
	}, {
		.name = "append", .group = GROUP_COUNTING,
		.effect = SETS(append),
		.summary = "write behind what is in the file of *-o*",
	}, {
		.name = "long-smpl-periods", .group = GROUP_SAMPLING,
		.argument = "P1,...",
		.effect = KEEPS(long_periods),
		.summary = "first period, and that after a notification",
	}, {
		.name = "short-smpl-periods", .group = GROUP_SAMPLING,
		.argument = "P1,...",
		.effect = KEEPS(short_periods),
		.summary = "period after other samples (default: the same)",
		.details =
			"These are samples that did not fill the buffer.\n"
			"If only one of the two periods is given for an event, it is\n"
			"both.\n",
	}, {
		.name = "smpl-freq", .letter = 'F', .group = GROUP_SAMPLING,
		.argument = "HZ,...",
		.effect = KEEPS(frequencies),
		.format_option = FORMAT_OPT_FREQUENCY,
		.summary = "sample so often a second, instead of a period",
		.details =
			"The period follows from how often the event happens, and is\n"
			"adapted when that changes; that of a clock is fixed, and such\n"
			"events any format takes.\n"
			"A number alone is for all events without a period, *999,* for\n"
			"the first only.\n"
			"The second is one in which the event's set is active.\n",
	}, {
		.name = "smpl-periods-random", .group = GROUP_SAMPLING,
		.argument = "M:S,...",
		.effect = KEEPS(random_masks),
		.format_option = FORMAT_OPT_RANDOM,
		.summary = "shorten by random bits: mask _M_, seed _S_",
		.details =
			"That is for each period; the random number has bits of _M_\n"
			"only, and is from the series that _S_ begins.\n"
			"The mask must be smaller than both periods.\n",
	}, {
		.name = "smpl-notify", .group = GROUP_SAMPLING,
		.argument = "0|1,...",
		.effect = KEEPS(notify),
		.summary = "which events may ask for a notification",
		.details =
			"Without it, all that have a period. Of the *flight* format,\n"
			"they are what freezes the buffer.\n",
	}, {
		.name = "switch-overflow", .group = GROUP_SAMPLING,
		.argument = "N,...",
		.effect = KEEPS(switch_overflows),
		.summary = "each *-e* is an event set, left after _N_ overflows",
		.details =
			"The set of the event is left when its counter has overflowed\n"
			"_N_ times, whatever the other sets do; those of whose events\n"
			"none has an element take turns by *--switch-timeout*, or the\n"
			"last of them is never left.\n",
	}, {
		.name = "smpl-entries", .group = GROUP_SAMPLING,
		.argument = "N",
		.effect = CALLS(parse_smpl_entries),
		.format_option = FORMAT_OPT_ENTRIES,
		.summary = "size of the buffer in samples (default "
			   TEXT_OF(DEFAULT_ENTRIES) ")",
		.details =
			"Exactly so many make it full; of *callstack* at least so many,\n"
			"as chains differ in length, and of *histogram* so many keys.\n",
	}, {
		.name = "smpl-pmds", .group = GROUP_SAMPLING,
		.argument = "NAME,...",
		.words = "elapsed tid resident clock",
		.effect = CALLS(parse_smpl_pmds),
		.format_option = FORMAT_OPT_PMDS,
		.summary = "record elapsed, tid, resident, clock or PMDs by number",
		.details =
			"*elapsed* is the time in nanoseconds since the context was\n"
			"loaded or the PMD last reset, *tid* is the thread, *resident*\n"
			"is the process's pages in memory, *clock* is perf's clock.\n"
			"The counts of events without a period are always recorded.\n",
	}, {
		.name = "reset-non-smpl-periods", .group = GROUP_SAMPLING,
		.effect = SETS(reset_non_smpl),
		.summary = "reset recorded PMDs after each sample",
		.details =
			"Each then holds what happened since the sample before.\n",
	}, {
		.name = "smpl-module", .group = GROUP_SAMPLING,
		.argument = "NAME|UUID",
		.names_format = true,
		.effect = KEEPS(module),
		.summary = "sampling format (default: " DEFAULT_MODULE ")",
		.details =
			"The kernel loads the module of a format that is installed.\n",
	}, {
		.name = "smpl-arg", .group = GROUP_SAMPLING,
		.argument = "NAME=VALUE,...",
		.effect = CALLS(parse_smpl_arg),
		.format_option = FORMAT_OPT_ARG,
		.summary = "fields of the format's argument; or all of it in hex",
		.details =
			"*--list-formats* prints the fields of registered formats.\n"
			"Sizes in bytes may end in *k*, *M* or *G*, as in\n"
			"*buf_size=64k,max_depth=16*.\n"
			"A field that is not named has its default value.\n"
			"Where a format does not publish its fields, _HEX_ is the\n"
			"whole argument, byte by byte; without it all bytes are 0.\n",
	}, {
		.name = "data-maps", .group = GROUP_SAMPLING,
		.effect = SETS(data_maps),
		.summary = "record mappings of data, too",
		.details =
			"The capture then knows what lies where in the processes'\n"
			"memory: files, heap, stacks. It always does if samples have\n"
			"addresses of data, as those of *dear-hist*, and of *pebs64* with\n"
			"a longer *--smpl-record* than *base*.\n",
	}, {
		.name = "overflow-block", .group = GROUP_SAMPLING,
		.effect = SETS(overflow_block),
		.summary = "block the thread while its buffer is saved",
		.details = "It is blocked from the notification on.\n",
	}, {
		.name = "smpl-ip-only", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_IP_ONLY,
		.summary = "record no header but the address",
	}, {
		.name = "smpl-no-hdr", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_NO_HDR,
		.summary = "record no header",
	}, {
		.name = "smpl-regions", .group = GROUP_FORMAT, .argument = "N",
		.effect = CALLS(parse_smpl_regions),
		.format_option = FORMAT_OPT_REGIONS,
		.summary = "number of regions, 2 to 64 (default "
			   TEXT_OF(DEFAULT_REGIONS) ")",
	}, {
		.name = "smpl-mask-when-full", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_MASK_WHEN_FULL,
		.summary = "do not overwrite samples",
		.details =
			"When no region is free, monitoring is masked until one is;\n"
			"otherwise samples that were not saved yet are overwritten.\n",
	}, {
		.name = "smpl-record", .group = GROUP_FORMAT,
		.argument = "NAME",
		.words = "base nehalem haswell skylake",
		.effect = CALLS(parse_smpl_record),
		.format_option = FORMAT_OPT_RECORD,
		.summary = "record *base*, *nehalem*, *haswell* or *skylake*",
		.details =
			"The default is *base*; each has more than the one before.\n",
	}, {
		.name = "smpl-imprecise", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_IMPRECISE,
		.summary = "take samples of imprecise events",
		.details =
			"Sampling events are left as they are, precise or not; where\n"
			"an event is not, the registers are those of the interrupt\n"
			"that reported it.\n",
	}, {
		.name = "smpl-show-func", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_SHOW_FUNC,
		.summary = "show functions instead of instructions",
		.details = "In the view of data, variables.\n",
	}, {
		.name = "smpl-show-top", .group = GROUP_FORMAT,
		.argument = "N",
		.effect = CALLS(parse_show_top),
		.format_option = FORMAT_OPT_SHOW_TOP,
		.summary = "show the first _N_ rows only",
	}, {
		.name = "smpl-inst-view", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_INST_VIEW,
		.summary = "show the loads that missed (default)",
	}, {
		.name = "smpl-data-view", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_DATA_VIEW,
		.summary = "show the addresses of data that they missed",
	}, {
		.name = "smpl-level-view", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_LEVEL_VIEW,
		.summary = "show the levels where these were found",
	}, {
		.name = "list-events", .letter = 'l', .group = GROUP_PRINTING,
		.argument = "PATTERN", .optional = true,
		.effect = CALLS(take_list_events),
		.summary = "print the events that match",
		.details =
			"_PATTERN_ is an extended regular expression.\n"
			"Those that this machine counts are marked *+*, if perfmon can\n"
			"be asked.\n",
	}, {
		.name = "event-info", .letter = 'i', .group = GROUP_PRINTING,
		.argument = "EV1,...",
		.words = EVENT_WORDS,
		.effect = CALLS(take_event_info),
		.summary = "print what there is to know of events",
		.details =
			"That is what it counts, how it is encoded, which suffixes,\n"
			"unit masks, modifiers and parameters it has, and whether this\n"
			"machine counts it.\n"
			"What is no event is a pattern, as of *--list-events*.\n",
	}, {
		.name = "check-events-only", .group = GROUP_PRINTING,
		.effect = ACTS(CHECK_EVENTS),
		.summary = "say whether the events can be counted, and together",
		.details =
			"Nothing is run. The exit status is 0 if all can be, else 1.\n",
	}, {
		.name = "dry-run", .group = GROUP_PRINTING,
		.effect = ACTS(DRY_RUN),
		.summary = "print what the kernel would be told, and do nothing",
		.details =
			"That is each PMC and PMD with its meaning, the event sets, the\n"
			"format with its argument, and the contexts; with *--json* as in\n"
			"a capture's session.\n",
	}, {
		.name = "list-formats", .group = GROUP_PRINTING,
		.effect = ACTS(LIST_FORMATS),
		.summary = "print the registered sampling formats",
		.details =
			"Below each are the fields of its argument: name, default\n"
			"value, unit and size.\n",
	}, {
		.name = "verbose", .letter = 'v', .group = GROUP_PRINTING,
		.effect = SETS(verbose),
		.summary = "print the progress every second",
		.details =
			"It is printed anyway if standard error is a terminal.\n",
	}, {
		.name = "version", .group = GROUP_PRINTING,
		.effect = ACTS(VERSION),
		.summary = "print the version",
	}, {
		.name = "help", .letter = 'h', .group = GROUP_PRINTING,
		.effect = ACTS(HELP),
		.summary = "print a summary of the options",
	}, {
		.name = "interval", .group = GROUP_TOP, .argument = "S",
		.effect = CALLS(parse_interval),
		.summary = "refresh every _S_ seconds (default 1)",
	}, {
		.name = "window", .group = GROUP_TOP, .argument = "TIME",
		.effect = KEEPS(top.window),
		.summary = "show the last _TIME_, such as *500ms* (default 5s)",
	}, {
		.name = "batch", .group = GROUP_TOP,
		.effect = SETS(top.batch),
		.summary = "print each refresh, as without a terminal",
	}, {
		.name = "iterations", .group = GROUP_TOP, .argument = "N",
		.effect = KEEPS(top.iterations),
		.summary = "end after _N_ refreshes",
	}, {
		.name = "rows", .group = GROUP_TOP, .argument = "N",
		.effect = KEEPS(top.rows),
		.summary = "print _N_ rows at each (default 20)",
	}, {
		.name = "sort", .group = GROUP_TOP, .argument = "KEY",
		.words = "samples function object comm",
		.effect = KEEPS(top.sort),
		.summary = "order of the rows that are printed",
	}, {
		.name = "json", .group = GROUP_DOCTOR,
		.effect = SETS(json),
		.summary = "print the findings as JSON",
	},
};

const size_t option_count = ARRAY_SIZE(option_table);
