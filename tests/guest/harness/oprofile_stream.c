// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * oprofile_stream.c - read the sample stream of the OProfile bridge
 */
#define _GNU_SOURCE
#include <limits.h>
#include <string.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <perfmon/perfmon_oprofile_smpl.h>

#include "check.h"
#include "oprofile_stream.h"

#define ESC	PFM_OPROFILE_ESC

/* The decoder's state, including the values that escape codes have set. */
struct decoder {
	const __u64		*next;
	const __u64		*end;
	struct sample		now;
	unsigned int		said;	/* one bit per escape code seen */
	bool			in_trace;
	bool			traced;	/* whether that trace has its sample */
};

__u64 words[MAX_WORDS];
struct sample samples[MAX_SAMPLES];
unsigned int num_samples;

static __u64 next_word(struct decoder *d)
{
	CHECK(d->next < d->end);
	return *d->next++;
}

/* Check that all escape codes that must precede a sample were seen. */
static void check_said(const struct decoder *d)
{
	unsigned int need = 1U << PFM_OPROFILE_CPU_SWITCH |
			    1U << PFM_OPROFILE_CTX_SWITCH |
			    1U << PFM_OPROFILE_CTX_TGID |
			    1U << PFM_OPROFILE_KERNEL_EXIT;

	if (d->now.user)
		need |= 1U << PFM_OPROFILE_COOKIE_SWITCH;
	CHECK((d->said & need) == need);
}

static void decode_pair(struct decoder *d, __u64 offset)
{
	__u64 event = next_word(d);
	struct sample *s;

	check_said(d);
	if (d->in_trace && d->traced) {
		s = &samples[num_samples - 1];
		CHECK_EQ(event, 0);
		CHECK(s->num_callers < MAX_CALLERS);
		s->callers[s->num_callers].cookie = d->now.cookie;
		s->callers[s->num_callers++].offset = offset;
		return;
	}
	CHECK(num_samples < MAX_SAMPLES);
	s = &samples[num_samples++];
	*s = d->now;
	s->offset = offset;
	s->event = event;
	d->traced = d->in_trace;
}

static void decode_escape(struct decoder *d)
{
	__u64 code = next_word(d);

	switch (code) {
	case PFM_OPROFILE_CPU_SWITCH:
		d->now.cpu = next_word(d);
		/* A CPU switch invalidates all other state. */
		d->said = 0;
		break;
	case PFM_OPROFILE_CTX_SWITCH:
		d->now.tid = next_word(d);
		d->now.app = next_word(d);
		CHECK_EQ(next_word(d), ESC);
		CHECK_EQ(next_word(d), PFM_OPROFILE_CTX_TGID);
		d->now.tgid = next_word(d);
		d->said |= 1U << PFM_OPROFILE_CTX_TGID;
		break;
	case PFM_OPROFILE_KERNEL_ENTER:
	case PFM_OPROFILE_KERNEL_EXIT:
		d->now.user = code == PFM_OPROFILE_KERNEL_EXIT;
		code = PFM_OPROFILE_KERNEL_EXIT;
		break;
	case PFM_OPROFILE_COOKIE_SWITCH:
		d->now.cookie = next_word(d);
		break;
	case PFM_OPROFILE_TRACE_BEGIN:
		CHECK(!d->in_trace);
		d->in_trace = true;
		d->traced = false;
		break;
	case PFM_OPROFILE_TRACE_END:
		CHECK(d->in_trace && d->traced);
		d->in_trace = false;
		break;
	default:
		check_failed(__FILE__, __LINE__, "unknown escape code %llu",
			     code);
	}
	d->said |= 1U << code;
}

void decode(size_t n)
{
	struct decoder d = { .next = words, .end = words + n };

	num_samples = 0;
	while (d.next < d.end) {
		__u64 word = next_word(&d);

		if (word == ESC)
			decode_escape(&d);
		else
			decode_pair(&d, word);
	}
	CHECK(!d.in_trace);
}

size_t drain(int device, size_t n)
{
	ssize_t len;

	while ((len = read(device, words + n, sizeof(words) - n * WORD)) > 0) {
		CHECK_EQ(len % WORD, 0);
		n += len / WORD;
	}
	CHECK_ERRNO(len, EAGAIN);
	return n;
}

void read_samples(int device, unsigned int expected)
{
	decode(drain(device, 0));
	CHECK_EQ(num_samples, expected);
}

int ask_path(int device, __u64 cookie, char *path, size_t size)
{
	struct pfm_oprofile_cookie req = {
		.cookie = cookie, .path = (uintptr_t)path, .size = size,
	};
	int ret = ioctl(device, PFM_OPROFILE_IOC_COOKIE, &req);

	if (!ret)
		CHECK_EQ(req.length, strlen(path) + 1);
	return ret;
}

void expect_path(int device, __u64 cookie, const char *expected)
{
	char path[PATH_MAX];

	CHECK_OK(ask_path(device, cookie, path, sizeof(path)));
	if (strcmp(path, expected))
		check_failed(__FILE__, __LINE__, "cookie %llu is '%s', not '%s'",
			     cookie, path, expected);
}
