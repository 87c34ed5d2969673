// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * fmt.c - format modules, which are registered and loaded by UUID
 * (specification 3.5, 3.5.2, 3.5.8, 3.5.9)
 *
 * When the program begins, and after each test, the modules perfmon,
 * pfm_pmu_perf and pfm_fmt_default are loaded.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <perfmon/perfmon_callstack_smpl.h>
#include <perfmon/perfmon_cgroup_counts_smpl.h>
#include <perfmon/perfmon_flight_smpl.h>
#include <perfmon/perfmon_histogram_smpl.h>
#include <perfmon/perfmon_nway_smpl.h>
#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>
#include <perfmon/perfmon_stacks_smpl.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "modules.h"
#include "params.h"
#include "smpl.h"
#include "../../../examples/format_count/perfmon_count_smpl.h"

#define FORMAT_DIR PFM_SYSFS "/formats/" PFM_DFL_SMPL_UUID_STR

#define FORMATS	(sizeof(formats) / sizeof(formats[0]))

/* Proves 3.5.9-01, H11 */
TEST(format_in_use_cannot_be_unloaded)
{
	struct smpl s = smpl_new(0, 4096, 0);

	CHECK_ERRNO(module_unload(MODULE_DEFAULT), EAGAIN);
	CHECK_OK(close(s.fd));
	CHECK_OK(module_unload(MODULE_DEFAULT));
	CHECK(!exists(FORMAT_DIR));
	module_load(MODULE_DEFAULT);
	CHECK(exists(FORMAT_DIR));
}

/* Proves 3.5-07 */
TEST(unloaded_format_is_autoloaded_by_uuid)
{
	CHECK_OK(module_unload(MODULE_DEFAULT));
	close(smpl_new(0, 4096, 0).fd);
	expect_text(FORMAT_DIR "/name", "default");
}

static const struct format {
	const char *name;
	const char *module;
	const char *uuid_text;
	pfm_uuid_t uuid;
} formats[] = {
	{ "default", "pfm_fmt_default", PFM_DFL_SMPL_UUID_STR,
	  PFM_DFL_SMPL_UUID },
	{ "nway", "pfm_fmt_nway", PFM_NWAY_SMPL_UUID_STR, PFM_NWAY_SMPL_UUID },
	{ "pebs32", "pfm_fmt_pebs32", PFM_PEBS32_SMPL_UUID_STR,
	  PFM_PEBS32_SMPL_UUID },
	{ "pebs64", "pfm_fmt_pebs64", PFM_PEBS64_SMPL_UUID_STR,
	  PFM_PEBS64_SMPL_UUID },
	{ "histogram", "pfm_fmt_histogram", PFM_HISTOGRAM_SMPL_UUID_STR,
	  PFM_HISTOGRAM_SMPL_UUID },
	{ "callstack", "pfm_fmt_callstack", PFM_CALLSTACK_SMPL_UUID_STR,
	  PFM_CALLSTACK_SMPL_UUID },
	{ "flight", "pfm_fmt_flight", PFM_FLIGHT_SMPL_UUID_STR,
	  PFM_FLIGHT_SMPL_UUID },
	{ "stacks", "pfm_fmt_stacks", PFM_STACKS_SMPL_UUID_STR,
	  PFM_STACKS_SMPL_UUID },
	{ "cgroup_counts", "pfm_fmt_cgroup_counts",
	  PFM_CGROUP_COUNTS_SMPL_UUID_STR, PFM_CGROUP_COUNTS_SMPL_UUID },
};

static void expect_format(const struct format *f)
{
	char path[128];

	snprintf(path, sizeof(path), PFM_SYSFS "/formats/%s/name",
		 f->uuid_text);
	expect_text(path, f->name);
}

static void expect_no_format(const struct format *f)
{
	char path[128];

	snprintf(path, sizeof(path), PFM_SYSFS "/formats/%s", f->uuid_text);
	CHECK(!exists(path));
}

/* Proves 3.5-01, 3.5.2-04, 3.5.9-01, P5.4-02 */
TEST(each_format_is_loaded_by_insmod)
{
	char command[256];

	/* The format callstack uses this module. */
	module_load("pfm_unwind");
	for (unsigned int i = 0; i < FORMATS; i++) {
		module_unload(formats[i].module);
		snprintf(command, sizeof(command),
			 "insmod /lib/modules/$(uname -r)/extra/formats/%s/%s.ko",
			 formats[i].name, formats[i].module);
		expect_no_format(&formats[i]);
		CHECK_EQ(system(command), 0);
		expect_format(&formats[i]);
		CHECK_OK(module_unload(formats[i].module));
		expect_no_format(&formats[i]);
	}
	module_load(MODULE_DEFAULT);
}

/* Proves 3.5.2-01, 3.5.2-03, 3.5.8-01, 3.6.1-01, P5.4-01 */
TEST(each_format_is_loaded_by_its_uuid)
{
	for (unsigned int i = 0; i < FORMATS; i++) {
		pfarg_ctx_t ctx = {};

		module_unload(formats[i].module);
		memcpy(ctx.ctx_smpl_buf_id, formats[i].uuid,
		       sizeof(pfm_uuid_t));
		/*
		 * Without an argument no context is created, but the format is
		 * loaded.
		 */
		CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
		expect_format(&formats[i]);
	}
	for (unsigned int i = 1; i < FORMATS; i++)
		CHECK_OK(module_unload(formats[i].module));
}

/* Open the kernel log at its end. */
static int log_open(void)
{
	int fd = CHECK_OK(open("/dev/kmsg", O_RDONLY | O_NONBLOCK));

	CHECK_OK(lseek(fd, 0, SEEK_END));
	return fd;
}

/*
 * Return whether exactly one new line of the log contains the text. Close the
 * log.
 */
static bool log_says_once(int fd, const char *text)
{
	char line[1024];
	int found = 0;
	ssize_t n;

	while ((n = read(fd, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		found += strstr(line, text) != NULL;
	}
	close(fd);
	return found == 1;
}

static void expect_refusal(const char *parameters, const char *reason)
{
	int log = log_open();

	CHECK_ERRNO(module_insert_with(ODD, parameters), EINVAL);
	CHECK(log_says_once(log, reason));
}

TEST(refused_format_names_the_wrong_field)
{
	static const char *const fields[] = {
		"fmt_name", "fmt_uuid", "fmt_handler", "fmt_arg_size",
		"fmt_msgq_depth", "fmt_flags", "fmt_arg_layout",
	};

	for (unsigned int i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		char wrong[32], reason[64];

		snprintf(wrong, sizeof(wrong), "wrong=%s", fields[i]);
		snprintf(reason, sizeof(reason), "in module %s: %s",
			 MODULE_ODD, fields[i]);
		expect_refusal(wrong, reason);
	}
	CHECK_OK(module_insert(ODD));
	CHECK_OK(module_unload(MODULE_ODD));
}

TEST(refused_layout_names_the_wrong_field)
{
	expect_refusal("wrong=fmt_arg_layout arg_size=12",
		       "fmt_arg_layout[1] (beyond): it ends beyond fmt_arg_size");
}

TEST(format_for_other_interface_is_refused)
{
	expect_refusal("interface=4711",
		       "in module " MODULE_ODD ": built for interface 4711 ");
}

static int odd_new(void)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = ODD_UUID };

	return CHECK_OK(pfm_create_context(&ctx, NULL, 0));
}

TEST(invalid_return_value_blames_the_format)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = ODD_UUID };
	int log;

	CHECK_OK(module_insert_with(ODD, "validate=3"));
	log = log_open();
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
	CHECK(log_says_once(log, "format odd: fmt_validate returns 3, "));
	CHECK_OK(module_unload(MODULE_ODD));
}

/*
 * Load the test format "odd" with @parameters, and check that fdinfo contains
 * @lines after one overflow.
 */
static void expect_odd(const char *parameters, const char *const lines[])
{
	struct counter c = counter(0, 0, 1);
	int fd;

	CHECK_OK(module_insert_with(ODD, parameters));
	fd = odd_new();
	counter_write(fd, &c);
	ctx_start_self(fd);
	touch_pages(1, NULL);
	for (int i = 0; i < 4; i++)
		CHECK(ctx_says(fd, lines[i]));
	CHECK_OK(close(fd));
	CHECK_OK(module_unload(MODULE_ODD));
}

/* Proves 3.5.14-06 */
TEST(counter_not_reset_by_handler_keeps_counting)
{
	struct counter c = counter(0, 0, 10);
	int fd;

	CHECK_OK(module_insert_with(ODD, "ctrl=0"));
	fd = odd_new();
	counter_write(fd, &c);
	ctx_start_self(fd);
	touch_pages(45, NULL);
	ctx_stop(fd);
	CHECK_EQ(ctx_read(fd, 0), 35);
	CHECK(ctx_says(fd, "pfm_handler_no_ctrl:\t1"));
	CHECK(ctx_says(fd, "pfm_lost:\t0"));
	CHECK_OK(close(fd));
	CHECK_OK(module_unload(MODULE_ODD));
}

TEST(fdinfo_counts_invalid_handler_results)
{
	expect_odd("ret=-5", (const char *[]){
		"pfm_handler_errors:\t1", "pfm_handler_errno:\t5",
		"pfm_handler_no_ctrl:\t0", "pfm_handler_bad_ctrl:\t0" });
	expect_odd("ctrl=0x12", (const char *[]){
		"pfm_handler_errors:\t0", "pfm_handler_errno:\t0",
		"pfm_handler_no_ctrl:\t0", "pfm_handler_bad_ctrl:\t1" });
	expect_odd("ctrl=0", (const char *[]){
		"pfm_handler_errors:\t0", "pfm_handler_errno:\t0",
		"pfm_handler_no_ctrl:\t1", "pfm_handler_bad_ctrl:\t0" });
	/* ENOBUFS is a valid result of a handler. */
	expect_odd("ret=-105", (const char *[]){
		"pfm_handler_errors:\t0", "pfm_handler_errno:\t0",
		"pfm_handler_no_ctrl:\t0", "pfm_handler_bad_ctrl:\t0" });
}

/* Sample page faults until the context is masked. */
static void overflow_slowly(void *unused)
{
	struct counter c = counter(0, PFM_REGFL_OVFL_NOTIFY, 1);
	int fd = odd_new();
	pfm_msg_t msg;

	counter_write(fd, &c);
	CHECK_OK(fcntl(fd, F_SETFL, O_NONBLOCK));
	ctx_start_self(fd);
	do {
		touch_pages(20, NULL);
	} while (read(fd, &msg, sizeof(msg)) < 0);
	CHECK_EQ(msg.msg_type, PFM_MSG_OVFL);
	ctx_expect_state(fd, "masked");
	CHECK_EQ(ctx_number(fd, "pfm_throttled"), 1);
	CHECK_OK(pfm_restart(fd));
	ctx_expect_state(fd, "started");
	CHECK_OK(close(fd));
}

static void overflow_without_limit(void *unused)
{
	struct counter c = counter(0, PFM_REGFL_OVFL_NOTIFY, 1);
	int fd = odd_new();

	counter_write(fd, &c);
	ctx_start_self(fd);
	touch_pages(250, NULL);
	ctx_expect_state(fd, "started");
	CHECK_EQ(ctx_number(fd, "pfm_throttled"), 0);
	CHECK_OK(close(fd));
}

static void overflow_with_and_without_limit(void *unused)
{
	struct param_run r = { "ovfl_cpu_max", "0", overflow_without_limit,
			       NULL };

	overflow_slowly(NULL);
	with_param(&r);
}

/*
 * With this limit on the rate, perfmon checks the time of the handlers after
 * 100 overflows. A handler takes so long that the rate stays below the limit.
 */
/* Proves 4.4.4-02, H18 */
TEST(slow_handler_masks_unless_cpu_limit_is_off)
{
	struct param_run r = { "ovfl_rate_max", "1000",
			       overflow_with_and_without_limit, NULL };

	CHECK_OK(module_insert_with(ODD, "delay=2000"));
	with_param(&r);
	CHECK_OK(module_unload(MODULE_ODD));
}

/*
 * Set the fields of @arg to the defaults in @lines, the contents of arg_layout.
 * Return: the number of fields.
 */
static int set_defaults(unsigned char *arg, size_t size, char *lines)
{
	char name[32], unit[32], *rest, *line;
	unsigned long long value;
	unsigned int at, length;
	int n = 0, words;

	for (line = strtok_r(lines, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest), n++) {
		words = sscanf(line, "%31s %u %u %llu %31s", name, &at,
			       &length, &value, unit);
		CHECK_EQ(words, 5);
		CHECK(at + length <= size);
		/* All supported machines are little endian. */
		memcpy(arg + at, &value, length);
	}
	return n;
}

static int create_with_defaults(const struct format *f, int fields)
{
	pfarg_ctx_t ctx = {};
	unsigned char arg[512] = {};
	char path[128], lines[1024];
	long size;

	snprintf(path, sizeof(path), PFM_SYSFS "/formats/%s/arg_size",
		 f->uuid_text);
	size = read_number(path);
	CHECK(size <= (long)sizeof(arg));
	snprintf(path, sizeof(path), PFM_SYSFS "/formats/%s/arg_layout",
		 f->uuid_text);
	read_text(path, lines, sizeof(lines));
	CHECK_EQ(set_defaults(arg, size, lines), fields);
	memcpy(ctx.ctx_smpl_buf_id, f->uuid, sizeof(pfm_uuid_t));
	return pfm_create_context(&ctx, arg, size);
}

TEST(layout_defaults_form_a_valid_argument)
{
	static const int fields[FORMATS] = { 2, 3, 4, 4, 3, 4, 10, 6, 3 };

	for (unsigned int i = 0; i < FORMATS; i++) {
		int fd;

		module_load(formats[i].module);
		fd = create_with_defaults(&formats[i], fields[i]);
		/*
		 * Accept EOPNOTSUPP: the argument is valid, but the machine has
		 * no precise events.
		 */
		if (fd < 0)
			CHECK_EQ(errno, EOPNOTSUPP);
		else
			CHECK_OK(close(fd));
	}
	for (unsigned int i = 1; i < FORMATS; i++)
		CHECK_OK(module_unload(formats[i].module));
}

TEST(format_without_layout_has_no_arg_layout_file)
{
	CHECK_OK(module_insert(ODD));
	CHECK(exists(PFM_SYSFS "/formats/" ODD_UUID_TEXT "/arg_size"));
	CHECK(!exists(PFM_SYSFS "/formats/" ODD_UUID_TEXT "/arg_layout"));
	CHECK_OK(module_unload(MODULE_ODD));
}

/* Proves 3.1.2-18, 3.5-05, 3.5.14-16 */
TEST(the_example_format_counts_overflows_by_event)
{
	static const pfm_uuid_t uuid = PFM_COUNT_SMPL_UUID;
	pfm_count_smpl_arg_t arg = { .num_events = 2 };
	struct mapped m = mapped_new(uuid, 0, &arg, sizeof(arg));
	const pfm_count_smpl_hdr_t *hdr = m.buf;
	const __u64 *counts = (const void *)(hdr + 1);

	/* Three counters of the same event, with the event IDs 0, 1 and 2. */
	for (int i = 0; i < 3; i++) {
		struct counter c = counter(i, 0, i + 1);

		c.pmc.reg_smpl_eventid = i;
		counter_write(m.fd, &c);
	}
	ctx_start_self(m.fd);
	touch_pages(60, NULL);
	ctx_stop(m.fd);
	CHECK_EQ(counts[0], 60);
	CHECK_EQ(counts[1], 30);
	CHECK_EQ(hdr->hdr_others, 20);
	CHECK_OK(munmap((void *)m.buf, m.size));
	CHECK_OK(close(m.fd));
	CHECK_OK(module_unload("pfm_fmt_count"));
}
