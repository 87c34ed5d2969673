// SPDX-License-Identifier: MIT OR GPL-2.0
/* option_table.c - the table of pfmon's options */
#define _GNU_SOURCE
#include <string.h>

#include "access/cgroup.h"
#include "base/util.h"
#include "options/call_graph_options.h"
#include "options/counting_options.h"
#include "options/event_options.h"
#include "options/follow_options.h"
#include "options/off_cpu_options.h"
#include "options/option_arguments.h"
#include "options/option_table.h"

#define FIELD(member)	.field = offsetof(struct options, member)
#define SETS(member)	{ EFFECT_FLAG, FIELD(member) }
#define KEEPS(member)	{ EFFECT_TEXT, FIELD(member) }
#define CALLS(function)	{ EFFECT_CALL, .call = function }
#define ACTS(which)	{ EFFECT_ACTION, .action = ACTION_##which }

/* For shell completion: the names that --list-events prints, without the +. */
#define EVENT_WORDS \
	"$(pfmon --list-events='^[^:]*$' 2>/dev/null | cut -d' ' -f1)"

#define TEXT_OF(number)		TEXT_OF_TOKEN(number)
#define TEXT_OF_TOKEN(token)	#token

const struct option_heading option_headings[OPTION_GROUPS] = {
	[GROUP_COUNTING] = { "Counting", NULL },
	[GROUP_SAMPLING] = {
		"Sampling",
		"lists follow the order of the events; an element may be empty"
	},
	[GROUP_FORMAT] = {
		"Format-specific options",
		"only the formats in parentheses accept them"
	},
	[GROUP_PRINTING] = { "Information", NULL },
	[GROUP_TOP] = {
		"Options of pfmon " TOP_WORD,
		"it accepts the options above, too"
	},
	[GROUP_DOCTOR] = {
		"Options of pfmon " DOCTOR_WORD,
		"it accepts only these and --help"
	},
};

const struct option_row option_table[] = {
	{
		.name = "events", .letter = 'e', .argument = "EV1,...",
		.words = EVENT_WORDS,
		.effect = CALLS(event_options_add),
		.summary = "events; *:u* and *:k* select the level, *:p* precision",
		.details =
			"An event is one of the kernel's generic events under its\n"
			"*perf*(1) name, such as *cpu-clock*, *page-faults* or *cycles*;\n"
			"*r*_HEX_, a raw event code of the CPU;\n"
			"an event of a PMU that the kernel exports, as\n"
			"_PMU_*/*_TERM_,...*/* in *perf*(1) syntax, or by its name\n"
			"_NAME_[*:*_TERM_]...;\n"
			"_SYSTEM_*:*_NAME_, a tracepoint; or a libpfm4 event name.\n"
			"See EVENTS.\n"
			"A suffix *:u*, *:k* or *:uk* sets the event's privilege level\n"
			"and overrides *-u* and *-k*.\n"
			"One to three letters *p* in the suffix are the precise level:\n"
			"how close the address of a sample is to the instruction that\n"
			"caused the event, as far as the CPU supports it.\n"
			"_EVENT_*@*_LIST_ restricts an event to these CPUs, as in\n"
			"*cycles@0,2-3,instructions@1*; without *@* it is measured on\n"
			"all measured CPUs.\n",
	}, {
		.name = "user-level", .letter = 'u',
		.effect = CALLS(take_user_level),
		.summary = "measure in user space (default)",
		.details =
			"Events that happen only in the kernel (context switches, CPU\n"
			"migrations, tracepoints) and events of PMUs outside the CPUs\n"
			"are measured at both levels by default.\n",
	}, {
		.name = "kernel-level", .letter = 'k',
		.effect = CALLS(take_kernel_level),
		.summary = "measure in the kernel; *-uk*: in both",
	}, {
		.name = "priv-levels", .argument = "L1,...",
		.effect = KEEPS(priv_levels),
		.summary = "privilege levels of each event: *u*, *k* or *uk*",
		.details =
			"The list follows the order of the events. If an element is\n"
			"empty, *-u* and *-k* apply to its event.\n",
	}, {
		.name = "outfile", .letter = 'o', .argument = "FILE",
		.names_file = true,
		.effect = KEEPS(outfile),
		.summary = "write the counts or the capture to _FILE_",
		.details =
			"The default is standard error for counts, standard output\n"
			"(also *-*) for counts with *--csv* or *--json*,\n"
			"and _" DEFAULT_CAPTURE "_ for a capture.\n",
	}, {
		.name = "with-header",
		.effect = SETS(with_header),
		.summary = "print a header about machine and session",
		.details =
			"The header precedes the counts and includes the values of PMCs.\n",
	}, {
		.name = "session-timeout", .argument = "S",
		.effect = CALLS(parse_session_timeout),
		.summary = "end the session after _S_ seconds",
		.details =
			"The number may have decimals.\n"
			"If a command is measured, *pfmon* sends *SIGTERM* to it.\n",
	}, {
		.name = "duration", .argument = "S",
		.effect = CALLS(parse_duration),
		.summary = "measure for _S_ seconds only",
		.details =
			"Unlike *--session-timeout* this does not end the command: the\n"
			"results are printed, or saved, at once, and *pfmon* waits for\n"
			"the command without tracing it.\n"
			"The time starts when measuring starts: see *--delay*.\n",
	}, {
		.name = "delay", .argument = "MS",
		.effect = CALLS(parse_delay),
		.summary = "start measuring after _MS_ milliseconds",
		.details =
			"The delay starts with the command or, without a command, with\n"
			"the session.\n"
			"With -1, measuring starts when *pfmon* receives *SIGUSR1*;\n"
			"the signal also ends a delay early.\n",
	}, {
		.name = "trigger-start", .argument = "CODE",
		.effect = KEEPS(trigger_start),
		.summary = "start measuring at this function or address",
		.details =
			"_CODE_ is a function of the command's program, or the address\n"
			"of an instruction as printed by *nm*(1) and *objdump*(1), such\n"
			"as *0x1139*. Measuring starts whenever the command's first\n"
			"thread is about to execute that instruction.\n"
			"Only on x86-64 and arm64.\n",
	}, {
		.name = "trigger-stop", .argument = "CODE",
		.effect = KEEPS(trigger_stop),
		.summary = "stop measuring at this function or address",
		.details =
			"Measuring stops before that instruction is executed, and starts\n"
			"again at the *--trigger-start* instruction.\n",
	}, {
		.name = "snapshot", .argument = "S",
		.effect = CALLS(parse_snapshot),
		.summary = "save intermediate results every _S_ seconds",
		.details =
			"*SIGUSR2* saves results at any time: see SIGNALS.\n",
	}, {
		.name = "control", .argument = "fifo:PATH[,ACK]",
		.effect = CALLS(parse_control),
		.summary = "execute commands that come through a FIFO",
		.details =
			"Each line that a program writes to the FIFO _PATH_ is a\n"
			"command: *enable* ends a *--delay*, *snapshot* saves\n"
			"intermediate results, *stop* ends measuring but not the\n"
			"measured command, and *set* _NAME_=_VALUE_,... changes fields\n"
			"of the sampling format's argument, if they can be changed.\n"
			"If _ACK_ is given, *pfmon* writes a line *ack* to the FIFO _ACK_\n"
			"after each line. Errors are reported on standard error.\n",
	}, {
		.name = "switch-timeout", .argument = "MS",
		.effect = CALLS(parse_switch_timeout),
		.summary = "multiplex event sets, one per *-e*, each for _MS_ ms",
		.details =
			"The time is rounded up to the kernel's timer tick. Counts are\n"
			"scaled to the whole time; the share of this time in which an\n"
			"event was counted is printed, too.\n"
			"Only the active set records samples.\n",
	}, {
		.name = "attach-task", .argument = "TID",
		.effect = CALLS(parse_attach_task),
		.summary = "measure a running thread",
		.details =
			"The session ends when the thread ends, on a timeout or on a\n"
			"signal.\n",
	}, {
		.name = "attach-process", .argument = "PID",
		.effect = CALLS(parse_attach_process),
		.summary = "measure all threads of a running process",
		.details =
			"Threads that the process creates later are measured, too;\n"
			"processes that it creates are measured with *--follow-fork*.\n"
			"The session ends when all threads have ended, on a timeout or\n"
			"on a signal.\n",
	}, {
		.name = "follow-fork",
		.effect = CALLS(follow_fork),
		.summary = "also measure new processes",
		.details =
			"This includes processes created by *vfork*(2) and\n"
			"*posix_spawn*(3).\n"
			"They are measured from their first instruction in user space.\n"
			"The session ends when the last of them has ended, but does not\n"
			"wait for daemons, which continue without being measured.\n",
	}, {
		.name = "follow-vfork",
		.effect = CALLS(follow_vfork),
		.summary = "also measure processes created by *vfork*(2) only",
		.details =
			"*vfork*(2) is used by some shells, *make*(1), *system*(3) and\n"
			"*posix_spawn*(3). Processes created by *fork*(2) are not\n"
			"measured.\n",
	}, {
		.name = "follow-pthread",
		.effect = CALLS(follow_pthread),
		.summary = "also measure new threads",
	}, {
		.name = "follow-exec", .argument = "REGEX", .optional = true,
		.effect = CALLS(follow_exec),
		.summary = "measure only programs that match _REGEX_",
		.details =
			"_REGEX_ is an extended regular expression, see *regex*(7). It\n"
			"matches part of the program's path, or of its arguments\n"
			"joined with spaces.\n"
			"Without _REGEX_ this option has no effect: a thread that calls\n"
			"*execve*(2) is measured in any case.\n",
	}, {
		.name = "follow-all",
		.effect = CALLS(follow_all),
		.summary = "follow everything that the command starts",
		.details =
			"This is short for *--follow-fork --follow-pthread*.\n",
	}, {
		.name = "exclude", .argument = "REGEX",
		.effect = CALLS(parse_exclude),
		.summary = "do not measure programs that match _REGEX_",
	}, {
		.name = "no-inherit",
		.effect = SETS(no_inherit),
		.summary = "measure only the first thread of the command",
		.details =
			"Without this option, and without options that follow threads,\n"
			"counts and samples include all threads and processes that the\n"
			"command creates. With several event sets, and for samples of\n"
			"some formats, only the first thread is measured.\n",
	}, {
		.name = "aggregate", .argument = "HOW", .words = "thread process all",
		.effect = CALLS(parse_aggregate),
		.summary = "print counts per *thread*, per *process* or for *all* threads",
		.details =
			"The default is the sum of all followed threads.\n",
	}, {
		.name = "system-wide",
		.effect = SETS(system_wide),
		.summary = "measure CPUs, and all threads that run on them",
	}, {
		.name = "excl-idle",
		.effect = SETS(excl_idle),
		.summary = "exclude the idle thread",
		.details = "This requires *--system-wide*.\n",
	}, {
		.name = "cpu-list", .argument = "LIST",
		.effect = CALLS(parse_cpu_list),
		.summary = "measure these CPUs, such as *0,2-3* (default: all)",
	}, {
		.name = "cgroup", .argument = "PATTERN,...",
		.effect = CALLS(parse_cgroup),
		.summary = "measure these control groups",
		.details =
			"This requires *--system-wide*. A control group includes its\n"
			"descendants.\n"
			"When counting, give paths, such as */system.slice*. With one\n"
			"group, only its tasks are counted; with several groups, pfmon\n"
			"prints the counts of each. If a task joins or leaves a group,\n"
			"this takes effect at its next context switch.\n"
			"When sampling, the samples of all processes are recorded, and\n"
			"*pfmparse*(1) by default shows only samples of processes in one\n"
			"of the groups; a pattern can then contain shell wildcards.\n",
	}, {
		.name = "pin-command",
		.effect = SETS(pin_command),
		.summary = "run the command on the measured CPUs only",
	}, {
		.name = "aggregate-results",
		.effect = SETS(aggregate),
		.summary = "print sums over the CPUs instead of counts per CPU",
	}, {
		.name = "repeat", .letter = 'r', .group = GROUP_COUNTING,
		.argument = "N",
		.effect = CALLS(parse_repeat),
		.summary = "run the command _N_ times and print means",
		.details =
			"Each mean is followed by its standard error in percent.\n"
			"The exit status is that of the first run that failed.\n",
	}, {
		.name = "print-interval", .letter = 'I',
		.group = GROUP_COUNTING, .argument = "MS",
		.effect = CALLS(parse_print_interval),
		.summary = "print counts every _MS_ milliseconds",
		.details =
			"The time since the start, in seconds, precedes each count.\n"
			"The first interval starts when measuring starts: see *--delay*.\n",
	}, {
		.name = "json", .letter = 'j', .group = GROUP_COUNTING,
		.effect = SETS(json),
		.summary = "print counts as JSON, one object per line",
		.details =
			"The output of *--event-info*, *--list-events* and\n"
			"*--list-formats* becomes JSON, too.\n",
	}, {
		.name = "csv", .group = GROUP_COUNTING,
		.argument = "SEP", .optional = true,
		.effect = CALLS(take_csv),
		.summary = "print counts as columns separated by _SEP_",
		.details =
			"The default separator is a comma. The first line names the\n"
			"columns.\n",
	}, {
		.name = "table", .group = GROUP_COUNTING,
		.effect = SETS(table),
		.summary = "print a row for each CPU, control group or thread",
		.details =
			"The columns are the events.\n",
	}, {
		.name = "show-time", .group = GROUP_COUNTING,
		.effect = SETS(show_time),
		.summary = "print elapsed, user and system time",
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
		.summary = "append to the file given with *-o*",
	}, {
		.name = "long-smpl-periods", .group = GROUP_SAMPLING,
		.argument = "P1,...",
		.effect = KEEPS(long_periods),
		.summary = "first period, and period after a notification",
	}, {
		.name = "short-smpl-periods", .group = GROUP_SAMPLING,
		.argument = "P1,...",
		.effect = KEEPS(short_periods),
		.summary = "period after other samples (default: the same)",
		.details =
			"Other samples are those that did not fill the buffer.\n"
			"If only one of the two periods is given for an event, it is\n"
			"used for both.\n",
	}, {
		.name = "smpl-freq", .letter = 'F', .group = GROUP_SAMPLING,
		.argument = "HZ,...",
		.effect = KEEPS(frequencies),
		.format_option = FORMAT_OPT_FREQUENCY,
		.summary = "sampling frequency, instead of a period",
		.details =
			"The period is computed from the rate of the event, and adapted\n"
			"when the rate changes. Some formats accept no periods that\n"
			"change, and therefore a frequency only for clocks, whose\n"
			"period is computed once.\n"
			"A single number applies to all events without a period;\n"
			"*999,* applies to the first event only.\n"
			"Without *-e*, the event is _cycles_ or, with *-g* or if this\n"
			"machine does not count cycles, _cpu-clock_.\n"
			"With several event sets, the frequency refers to the time in\n"
			"which the event's set is active.\n",
	}, {
		.name = "smpl-periods-random", .group = GROUP_SAMPLING,
		.argument = "M:S,...",
		.effect = KEEPS(random_masks),
		.format_option = FORMAT_OPT_RANDOM,
		.summary = "randomize periods: mask _M_, seed _S_",
		.details =
			"Each period is shortened by a random number, of which only the\n"
			"bits in _M_ are used. _S_ is the seed of the random numbers.\n"
			"The mask must be smaller than both periods. Among events with\n"
			"a frequency, only clocks accept a mask.\n",
	}, {
		.name = "smpl-notify", .group = GROUP_SAMPLING,
		.argument = "0|1,...",
		.effect = KEEPS(notify),
		.summary = "whether each event may send notifications",
		.details =
			"The default is 1 for each event with a period. With the\n"
			"*flight* format, events with a 1 freeze the buffer.\n",
	}, {
		.name = "switch-overflow", .group = GROUP_SAMPLING,
		.argument = "N,...",
		.effect = KEEPS(switch_overflows),
		.summary = "each *-e* is an event set, left after _N_ overflows",
		.details =
			"Each _N_ belongs to an event: when the event's counter has\n"
			"overflowed _N_ times, the next set becomes active. A set\n"
			"without elements in this list is left after\n"
			"*--switch-timeout*; without that option, each set but the\n"
			"last needs an element, and the last remains active if it has\n"
			"none.\n",
	}, {
		.name = "smpl-entries", .group = GROUP_SAMPLING,
		.argument = "N",
		.effect = CALLS(parse_smpl_entries),
		.format_option = FORMAT_OPT_ENTRIES,
		.summary = "size of the buffer in samples (default "
			   TEXT_OF(DEFAULT_ENTRIES) ")",
		.details =
			"The buffer is full after exactly _N_ samples; a buffer of\n"
			"*callstack* holds at least _N_, because chains differ in\n"
			"length. A buffer of *histogram* holds _N_ keys, and one of\n"
			"*stacks* at least _N_. *flight* keeps the last _N_ samples,\n"
			"minus at most one region. This option overrides the size in\n"
			"*--smpl-arg*.\n",
	}, {
		.name = "smpl-pmds", .group = GROUP_SAMPLING,
		.argument = "NAME,...",
		.words = "state elapsed tid resident clock addr latency weight2 weight3 source physical transaction branch-from branch-to branch-flags branches",
		.effect = CALLS(parse_smpl_pmds),
		.format_option = FORMAT_OPT_PMDS,
		.summary = "record tid, addr, latency, ... or PMD numbers",
		.details =
			"*elapsed* is the time in nanoseconds since the context was\n"
			"loaded or the PMD was last reset, *tid* is the thread ID,\n"
			"*resident* is the number of the process's pages in memory,\n"
			"*clock* is perf's clock, *state* is the state of the thread as\n"
			"a letter of *ps*(1): in samples of _context-switches_ it shows\n"
			"why the thread has left the CPU.\n"
			"The other names are data that the PMU supplies for the sample,\n"
			"or 0: *addr* is the data address, *latency* is the latency of\n"
			"the access or another weight of the event, *weight2* and\n"
			"*weight3* are further parts of the weight, *source* is the\n"
			"memory level that had the data, *physical* is the physical\n"
			"address of the data, *transaction* has the flags of a memory\n"
			"transaction. For these data, CPU events need the modifier *p*.\n"
			"Page faults and breakpoints have *addr* and *physical*.\n"
			"*physical* needs permission to measure the kernel.\n"
			"*branch-from*, *branch-to* and *branch-flags* describe the last\n"
			"8 branches before the sample, if the CPU records branches;\n"
			"*branches* stands for all three. CPU events have branches even\n"
			"without *p*.\n"
			"The counts of events without a period are always recorded.\n",
	}, {
		.name = "reset-non-smpl-periods", .group = GROUP_SAMPLING,
		.effect = SETS(reset_non_smpl),
		.summary = "reset recorded PMDs after each sample",
		.details =
			"Each sample then has the counts since the previous sample.\n",
	}, {
		.name = "smpl-module", .group = GROUP_SAMPLING,
		.argument = "NAME|UUID",
		.names_format = true,
		.effect = KEEPS(module),
		.summary = "sampling format (default: " DEFAULT_MODULE ")",
		.details =
			"The kernel loads the module of an installed format.\n",
	}, {
		.name = "smpl-arg", .group = GROUP_SAMPLING,
		.argument = "NAME=VALUE,...",
		.effect = CALLS(parse_smpl_arg),
		.format_option = FORMAT_OPT_ARG,
		.summary = "argument of the format: *buf_size=64k*,... or hex",
		.details =
			"*--list-formats* prints the fields of the registered formats.\n"
			"Sizes in bytes may end in *k*, *M* or *G*, as in\n"
			"*buf_size=64k*.\n"
			"A field that is not given has its default value.\n"
			"If a format does not publish its fields, give the whole\n"
			"argument as hexadecimal bytes; the default is all zero.\n",
	}, {
		.name = "call-graph", .letter = 'g', .group = GROUP_SAMPLING,
		.argument = "fp", .optional = true, .words = "fp",
		.effect = CALLS(parse_call_graph),
		.summary = "record call chains, with the format *callstack*",
		.details =
			"Without *-e* and a period, _cpu-clock_ is sampled 1000 times\n"
			"per second. Programs need no frame pointers: their unwind\n"
			"information is compiled to tables for the kernel and kept in\n"
			"the user's cache directory, see FILES. With *fp*, the kernel\n"
			"follows frame pointers, which is faster. With\n"
			"*--smpl-module=stacks*, the kernel counts equal chains.\n",
	}, {
		.name = "off-cpu", .group = GROUP_SAMPLING,
		.argument = "sum", .optional = true, .words = "sum",
		.effect = CALLS(parse_off_cpu),
		.summary = "record where threads leave the CPU, and for how long",
		.details =
			"Each context switch of the measured threads is a sample with\n"
			"its call chains, as with *--call-graph*, and with the state\n"
			"of the thread. *pfmparse*(1) weighs the samples by the time\n"
			"until the thread runs again. With *-u*, the default for users\n"
			"who may not measure the kernel, chains do not contain kernel\n"
			"functions.\n"
			"With *sum*, the kernel sums the times by chain, thread and\n"
			"state with the format *stacks*, and writes no samples.\n",
	}, {
		.name = "wall-clock", .group = GROUP_SAMPLING,
		.effect = SETS(wall_clock),
		.summary = "record where threads run and wait, and for how long",
		.details =
			"Records the context switches as *--off-cpu* does, and samples\n"
			"_cpu-clock_ in the same run. *pfmparse*(1) weighs the samples\n"
			"by CPU time and time off CPU, which add up to the elapsed time\n"
			"of each thread from when it first runs. *-F*,\n"
			"*--long-smpl-periods* and *--short-smpl-periods* apply to\n"
			"_cpu-clock_, which is otherwise sampled 1000 times per second\n"
			"of CPU time.\n",
	}, {
		.name = "data-maps", .group = GROUP_SAMPLING,
		.effect = SETS(data_maps),
		.summary = "record data mappings, too",
		.details =
			"The capture then describes the layout of the processes'\n"
			"memory: files, heap, stacks. This is the default if samples\n"
			"contain data addresses: with *addr* in *--smpl-pmds*, with\n"
			"*dear-hist*, and with *pebs64* and a larger\n"
			"*--smpl-record* than *base*.\n",
	}, {
		.name = "overflow-block", .group = GROUP_SAMPLING,
		.effect = SETS(overflow_block),
		.summary = "block the thread while its buffer is saved",
		.details =
			"The thread is blocked when the notification is sent, and\n"
			"continues when *pfmon* has saved the buffer.\n",
	}, {
		.name = "smpl-ip-only", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_IP_ONLY,
		.summary = "record only the address as the header",
	}, {
		.name = "smpl-no-hdr", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_NO_HDR,
		.summary = "record no header",
	}, {
		.name = "smpl-raw-time", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_RAW_TIME,
		.summary = "record the time-stamp counter as time, which is cheaper",
		.details =
			"Tools convert the value to a time. Some machines have no\n"
			"suitable counter.\n",
	}, {
		.name = "smpl-regions", .group = GROUP_FORMAT, .argument = "N",
		.effect = CALLS(parse_smpl_regions),
		.format_option = FORMAT_OPT_REGIONS,
		.summary = "number of regions, 2 to 64",
		.details =
			"The default is " TEXT_OF(DEFAULT_REGIONS) " for *nway*, 1 for *callstack* and 16\n"
			"for *flight*.\n",
	}, {
		.name = "smpl-mask-when-full", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_MASK_WHEN_FULL,
		.summary = "do not overwrite samples",
		.details =
			"While no region is free, monitoring is masked; without this\n"
			"option, samples that have not yet been saved are overwritten.\n",
	}, {
		.name = "smpl-record", .group = GROUP_FORMAT,
		.argument = "NAME",
		.words = "base nehalem haswell skylake",
		.effect = CALLS(parse_smpl_record),
		.format_option = FORMAT_OPT_RECORD,
		.summary = "record *base*, *nehalem*, *haswell* or *skylake*",
		.details =
			"The default is *base*; each layout extends the previous one.\n",
	}, {
		.name = "smpl-imprecise", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_IMPRECISE,
		.summary = "allow imprecise sampling events",
		.details =
			"Events without a precise level remain imprecise: their samples\n"
			"have the registers at the interrupt that reported the event.\n",
	}, {
		.name = "smpl-show-func", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_SHOW_FUNC,
		.summary = "show functions instead of instructions",
		.details = "With *--smpl-data-view*, show variables.\n",
	}, {
		.name = "smpl-show-top", .group = GROUP_FORMAT,
		.argument = "N",
		.effect = CALLS(parse_show_top),
		.format_option = FORMAT_OPT_SHOW_TOP,
		.summary = "show only the first _N_ rows",
	}, {
		.name = "smpl-inst-view", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_INST_VIEW,
		.summary = "show instructions whose loads missed (default)",
	}, {
		.name = "smpl-data-view", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_DATA_VIEW,
		.summary = "show the data addresses of the misses",
	}, {
		.name = "smpl-level-view", .group = GROUP_FORMAT,
		.format_option = FORMAT_OPT_LEVEL_VIEW,
		.summary = "show the memory levels that served the misses",
	}, {
		.name = "list-events", .letter = 'l', .group = GROUP_PRINTING,
		.argument = "PATTERN", .optional = true,
		.effect = CALLS(take_list_events),
		.summary = "list the events that match _PATTERN_",
		.details =
			"_PATTERN_ is an extended regular expression.\n"
			"A *+* marks events that this machine can count, if perfmon is\n"
			"available to test them.\n",
	}, {
		.name = "event-info", .letter = 'i', .group = GROUP_PRINTING,
		.argument = "EV1,...",
		.words = EVENT_WORDS,
		.effect = CALLS(take_event_info),
		.summary = "describe events",
		.details =
			"The description includes what the event counts, its encoding,\n"
			"suffixes, unit masks, modifiers and parameters, and whether\n"
			"this machine can count it.\n"
			"A name that is not an event is used as a pattern, as with\n"
			"*--list-events*.\n",
	}, {
		.name = "check-events-only", .group = GROUP_PRINTING,
		.effect = ACTS(CHECK_EVENTS),
		.summary = "check that events can be counted, alone and together",
		.details =
			"No command is run. The exit status is 0 if all events can be\n"
			"counted together, and 1 otherwise.\n",
	}, {
		.name = "dry-run", .group = GROUP_PRINTING,
		.effect = ACTS(DRY_RUN),
		.summary = "print what would be configured, without measuring",
		.details =
			"The configuration consists of each PMC and PMD with its\n"
			"meaning, the event sets, the format with its argument, and the\n"
			"contexts; with *--json* it has the form of the session in a\n"
			"capture.\n",
	}, {
		.name = "list-formats", .group = GROUP_PRINTING,
		.effect = ACTS(LIST_FORMATS),
		.summary = "list the registered and installed sampling formats",
		.details =
			"The fields of a format's argument follow its name: field\n"
			"name, default value, unit and size.\n",
	}, {
		.name = "verbose", .letter = 'v', .group = GROUP_PRINTING,
		.effect = SETS(verbose),
		.summary = "print the progress every second",
		.details =
			"This is the default if standard error is a terminal.\n",
	}, {
		.name = "version", .group = GROUP_PRINTING,
		.effect = ACTS(VERSION),
		.summary = "print the version",
	}, {
		.name = "help", .letter = 'h', .group = GROUP_PRINTING,
		.effect = ACTS(HELP),
		.summary = "print this summary of the options",
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
		.summary = "append each refresh to the output (no full screen)",
	}, {
		.name = "iterations", .group = GROUP_TOP, .argument = "N",
		.effect = KEEPS(top.iterations),
		.summary = "end after _N_ refreshes",
	}, {
		.name = "rows", .group = GROUP_TOP, .argument = "N",
		.effect = KEEPS(top.rows),
		.summary = "print _N_ rows per refresh (default 20)",
	}, {
		.name = "sort", .group = GROUP_TOP, .argument = "KEY",
		.words = "samples function object comm",
		.effect = KEEPS(top.sort),
		.summary = "sort key of the rows",
	}, {
		.name = "json", .group = GROUP_DOCTOR,
		.effect = SETS(json),
		.summary = "print the findings as JSON",
	},
};

const size_t option_count = ARRAY_SIZE(option_table);

/* The option names of the original pfmon. */
const struct option_alias option_aliases[] = {
	{ "show-events",	 0,   "list-events" },
	{ "long-show-events",	 'L', "list-events" },
	{ "info",		 0,   "list-formats" },
	{ NULL,			 'V', "version" },
	{ NULL,			 '3', "user-level" },
	{ NULL,			 '0', "kernel-level" },
	{ NULL,			 't', "session-timeout" },
	{ "exclude-idle",	 0,   "excl-idle" },
	{ "smpl-outfile",	 0,   "outfile" },
	{ "extra-smpl-pmds",	 0,   "smpl-pmds" },
	{ "smpl-per-function",	 0,   "smpl-show-func" },
	{ "follow-exec-exclude", 0,   "exclude" },
};

const size_t option_alias_count = ARRAY_SIZE(option_aliases);

const struct option_row *option_of_alias(const struct option_alias *alias)
{
	for (size_t i = 0; i < option_count; i++) {
		if (!strcmp(option_table[i].name, alias->option))
			return &option_table[i];
	}
	return NULL;
}
