/* SPDX-License-Identifier: GPL-2.0 */
/*
 * broken.h - code shared by the broken formats, each of which has one error
 *
 * By default, each of these formats uses a sink, and each of its records
 * consists of one address.
 */
#ifndef PFM_BROKEN_H
#define PFM_BROKEN_H

#include <linux/module.h>
#include <perfmon/perfmon_fmt_sink.h>

#define BROKEN_VERSION	0x10000

struct broken_record {
	__u64	ip;
};

/* Do what a correct handler does. Return: the handler's return value. */
static __always_inline int broken_record(void *buf, pfm_ovfl_arg_t *arg,
					 const struct pfm_ovfl_data *data)
{
	struct broken_record *record = pfm_sink_begin(buf, arg);

	if (!record)
		return -ENOBUFS;
	record->ip = data->ip;
	pfm_sink_end(buf, arg, sizeof(*record));
	return 0;
}

static int __maybe_unused notrace broken_handler(void *buf, pfm_ovfl_arg_t *arg,
						 u64 tstamp,
						 struct pfm_ovfl_data *data)
{
	return broken_record(buf, arg, data);
}

DEFINE_PFM_SINK(broken, sizeof(struct broken_record), 0, BROKEN_VERSION)

/*
 * The fields that all these formats have in common. A format overrides a field
 * by initialising it again.
 */
#define BROKEN(name, uuid)						\
	.fmt_name	= "broken_" name,				\
	.fmt_uuid	= PFM_UUID(uuid),				\
	.fmt_handler	= broken_handler,				\
	PFM_SINK_CALLS(broken)

#define BROKEN_MODULE(fmt, uuid) \
	pfm_format_module(fmt, uuid, "perfmon2: test, a broken format")

/*
 * Avoid warnings in formats that do not use broken_validate() and
 * broken_init().
 */
#define BROKEN_UNUSED	((void)broken_validate, (void)broken_init)

#endif /* PFM_BROKEN_H */
