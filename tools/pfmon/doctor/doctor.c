// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * doctor.c - find what prevents measuring on this machine
 *
 * Causes are checked before their consequences. A check is skipped if an
 * earlier problem already explains its failure.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/util.h"
#include "doctor/checks.h"
#include "doctor/doctor.h"
#include "doctor/trial.h"

/* Version of the --json output; adding members does not change it. */
#define JSON_VERSION	1

enum check_number {
	CONTAINER, KERNEL, HEADERS, MODULE, SIGNATURE, LOADED, VERSION, PMU,
	DEFECTS, FORMATS, UNWIND, ACCESS, MEMORY, COUNTERS, WATCHDOG,
	USER_READS, REGISTERS, SAMPLE, CYCLES, CHECKS
};

#define AFTER(number)	(1U << (number))
#define NEEDED_TO_LOAD \
	(AFTER(KERNEL) | AFTER(HEADERS) | AFTER(MODULE) | AFTER(SIGNATURE))
#define NEEDED_TO_SAMPLE \
	(AFTER(LOADED) | AFTER(VERSION) | AFTER(PMU) | AFTER(FORMATS) | \
	 AFTER(ACCESS) | AFTER(MEMORY))

static const struct check {
	const char *name;
	check_t *look;
	unsigned int after;	/* skip if one of these checks has failed */
} checks[CHECKS] = {
	[CONTAINER]	= { "container", check_container, 0 },
	[KERNEL]	= { "kernel", check_kernel, 0 },
	[HEADERS]	= { "headers", check_headers, AFTER(KERNEL) },
	[MODULE]	= { "module", check_module, AFTER(HEADERS) },
	[SIGNATURE]	= { "signature", check_signature, AFTER(MODULE) },
	[LOADED]	= { "loaded", check_loaded, NEEDED_TO_LOAD },
	[VERSION]	= { "version", check_version, AFTER(LOADED) },
	[PMU]		= { "pmu", check_pmu, AFTER(LOADED) },
	[DEFECTS]	= { "defects", check_defects, AFTER(LOADED) },
	[FORMATS]	= { "formats", check_formats, AFTER(LOADED) },
	[UNWIND]	= { "unwind", check_unwind, AFTER(LOADED) },
	[ACCESS]	= { "access", check_access, AFTER(LOADED) },
	[MEMORY]	= { "memory", check_memory, 0 },
	[COUNTERS]	= { "counters", check_counters, 0 },
	[WATCHDOG]	= { "watchdog", check_watchdog, 0 },
	[USER_READS]	= { "user-reads", check_user_reads, 0 },
	[REGISTERS]	= { "registers", check_registers, 0 },
	[SAMPLE]	= { "sample", check_sample, NEEDED_TO_SAMPLE },
	[CYCLES]	= { "cycles", check_cycles, AFTER(SAMPLE) },
};

static void look(const struct machine *machine, struct finding findings[CHECKS])
{
	unsigned int failed = 0;

	memset(findings, 0, CHECKS * sizeof(*findings));
	for (unsigned int i = 0; i < CHECKS; i++) {
		if (!(checks[i].after & failed))
			checks[i].look(machine, &findings[i]);
		if (checks[i].after & failed ||
		    findings[i].status == STATUS_PROBLEM)
			failed |= AFTER(i);
	}
}

static const char * const words[] = {
	[STATUS_SKIPPED] = "skipped",
	[STATUS_OK] = "ok",
	[STATUS_NOTE] = "note",
	[STATUS_PROBLEM] = "problem",
};

static void print_remedy(const char *remedy)
{
	const char *end;

	for (; remedy; remedy = *end ? end + 1 : NULL) {
		end = remedy + strcspn(remedy, "\n");
		printf("             %.*s\n", (int)(end - remedy), remedy);
	}
}

static void print_finding(const struct check *check,
			  const struct finding *finding)
{
	if (finding->status == STATUS_SKIPPED)
		return;
	printf("%-8s %s: %s\n", words[finding->status], check->name,
	       finding->text);
	print_remedy(finding->remedy);
}

static void print_all(const struct finding findings[CHECKS], bool works)
{
	bool root_sees_more = false;

	for (unsigned int i = 0; i < CHECKS; i++) {
		print_finding(&checks[i], &findings[i]);
		root_sees_more |= findings[i].root_sees_more;
	}
	puts(works ? "Samples can be recorded." :
		     "Samples cannot be recorded: fix the first problem, then run pfmon doctor again.");
	if (root_sees_more)
		puts("Run pfmon doctor as root to see more.");
}

static struct json_object *remedy_json(const char *remedy)
{
	struct json_object *lines = json_new_array();
	char *text = checked_strdup(remedy ? remedy : "");
	char *rest = remedy ? text : NULL, *line;

	while ((line = strsep(&rest, "\n")))
		json_append(lines, json_new_text(line));
	free(text);
	return lines;
}

static struct json_object *finding_json(const struct check *check,
					const struct finding *finding)
{
	struct json_object *object = json_new_object();

	json_add_text(object, "check", check->name);
	json_add_text(object, "status", words[finding->status]);
	json_add_text(object, "text", finding->text);
	json_add(object, "remedy", remedy_json(finding->remedy));
	json_add_bool(object, "root_sees_more", finding->root_sees_more);
	return object;
}

static void print_json(const struct machine *machine,
		       const struct finding findings[CHECKS], bool works)
{
	struct json_object *object = json_new_object();
	struct json_object *list = json_new_array();

	json_add_u64(object, "doctor", JSON_VERSION);
	json_add_text(object, "pfmon", PFM_PROJECT_VERSION);
	json_add_text(object, "kernel", machine->release);
	json_add_bool(object, "works", works);
	for (unsigned int i = 0; i < CHECKS; i++)
		json_append(list, finding_json(&checks[i], &findings[i]));
	json_add(object, "checks", list);
	json_print(object, stdout);
}

int doctor_examine(const struct machine *machine, bool json)
{
	struct finding findings[CHECKS];
	bool works;

	/*
	 * pfmon inherits SIG_IGN from a parent that ignores SIGCHLD. waitpid()
	 * would then fail instead of returning the exit status of a trial.
	 */
	signal(SIGCHLD, SIG_DFL);
	look(machine, findings);
	works = findings[SAMPLE].status == STATUS_OK;
	if (json)
		print_json(machine, findings, works);
	else
		print_all(findings, works);
	for (unsigned int i = 0; i < CHECKS; i++)
		finding_free(&findings[i]);
	return works ? 0 : PFMON_EXIT_ERROR;
}

int doctor(bool json)
{
	struct machine machine;
	int status;

	machine_init(&machine, "");
	machine.try_sample = trial_sample;
	machine.try_count = trial_count;
	status = doctor_examine(&machine, json);
	machine_free(&machine);
	return status;
}
