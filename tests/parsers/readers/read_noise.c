// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * read_noise - read buffers that a thread overwrites at random
 *
 * The thread writes valid and random words at random offsets, also into
 * headers. It may change a field after a reader has checked the field and
 * before the reader uses it. The readers may return meaningless results, but
 * must terminate and must not read beyond the buffer. The program is compiled
 * with a sanitizer, which knows the buffer's size.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_read_callstack.h>
#include <perfmon/perfmon_read_nway.h>
#include <perfmon/perfmon_read_pebs64.h>

#define WORDS		160
#define PASSES		40000

static __u64 good[WORDS];
static __u64 *buffer;
static int stop;
static __u64 sum;

static __u64 next_random(__u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 24;
}

/* Write words of the valid buffer, except that about one in eight is random. */
static void *make_noise(void *unused)
{
	__u64 state = 1, word, at;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		at = next_random(&state) % WORDS;
		word = good[at];
		switch (next_random(&state) % 32) {
		case 0:
			word = next_random(&state) << 24;
			break;
		case 1:
			word = next_random(&state) % (WORDS * 8);
			break;
		case 2:
			word = ~(next_random(&state) % 256);
			break;
		case 3:
			word = good[next_random(&state) % WORDS];
			break;
		}
		__atomic_store_n(&buffer[at], word, __ATOMIC_RELAXED);
	}
	return unused;
}

static void make_default(void)
{
	pfm_default_smpl_hdr_t *hdr = (pfm_default_smpl_hdr_t *)good;

	hdr->hdr_count = 20;
	hdr->hdr_cur_offs = 128 + 20 * 48;
	hdr->hdr_buf_size = sizeof(good);
	hdr->hdr_version = PFM_DFL_SMPL_VERSION;
}

static void make_nway(void)
{
	pfm_nway_smpl_hdr_t *hdr = (pfm_nway_smpl_hdr_t *)good;
	pfm_nway_smpl_rgn_t *rgn = (pfm_nway_smpl_rgn_t *)(hdr + 1);

	hdr->hdr_version = PFM_NWAY_SMPL_VERSION;
	hdr->hdr_num_regions = 3;
	hdr->hdr_region_offs = PFM_NWAY_REGION_OFFS(3);
	hdr->hdr_region_size = 256;
	hdr->hdr_buf_size = sizeof(good);
	for (int i = 0; i < 3; i++) {
		rgn[i].rgn_seq = i + 1;
		rgn[i].rgn_state = PFM_NWAY_RGN_READY;
		rgn[i].rgn_count = 5;
		rgn[i].rgn_size = 240;
	}
}

static void make_sink(void)
{
	pfm_sink_hdr_t *hdr = (pfm_sink_hdr_t *)good;
	pfm_sink_rgn_t *rgn = (pfm_sink_rgn_t *)(hdr + 1);

	hdr->hdr_magic = PFM_SINK_MAGIC;
	hdr->hdr_version = PFM_SINK_VERSION;
	hdr->hdr_fmt_version = PFM_CALLSTACK_SMPL_VERSION;
	hdr->hdr_num_regions = 2;
	hdr->hdr_more_offs = PFM_SINK_MORE_OFFS(2);
	hdr->hdr_region_offs = PFM_SINK_REGION_OFFS(2);
	hdr->hdr_region_size = 512;
	hdr->hdr_buf_size = sizeof(good);
	for (int i = 0; i < 2; i++) {
		rgn[i].rgn_seq = i + 1;
		rgn[i].rgn_state = PFM_SINK_RGN_READY;
		rgn[i].rgn_count = 10;
		rgn[i].rgn_used = 400;
	}
}

static void make_pebs(void)
{
	pfm_pebs64_smpl_hdr_t *hdr = (pfm_pebs64_smpl_hdr_t *)good;

	hdr->hdr_version = PFM_PEBS64_SMPL_VERSION;
	hdr->hdr_entry_size = sizeof(pfm_pebs64_skl_entry_t);
	hdr->hdr_buf_size = sizeof(good);
	hdr->hdr_ds.pebs_buf_base = sizeof(*hdr);
	hdr->hdr_ds.pebs_index = sizeof(*hdr) + 5 * hdr->hdr_entry_size;
	hdr->hdr_ds.pebs_abs_max = sizeof(good);
}

/* Kinds of entries that random words often match. */
static const struct pfm_read_kind kinds[] = {
	{ 0, 0, 1 }, { 0, 1, PFM_MAX_PMDS }, { 1, 0, 8 },
};

static void read_default(unsigned int flags)
{
	struct pfm_read_default r;
	__u32 i;

	pfm_read_default_init(&r, kinds, 3);
	if (pfm_read_default_begin(&r, buffer, sizeof(good), flags))
		return;
	while (pfm_read_default_next(&r) > 0)
		for (i = 0; i < r.entry.num_pmds; i++)
			sum += r.entry.pmds[i];
}

static void read_nway(unsigned int flags)
{
	static struct pfm_read_nway r;
	int got;
	__u32 i;

	if (!r.entries.num_kinds || flags)
		pfm_read_nway_init(&r, kinds, 3);
	if (pfm_read_nway_begin(&r, buffer, sizeof(good), flags))
		return;
	while ((got = pfm_read_nway_next(&r)))
		for (i = 0; got > 0 && i < r.entry.num_pmds; i++)
			sum += r.entry.pmds[i];
}

static void read_sink(unsigned int flags)
{
	static struct pfm_read_callstack r;
	int got;
	__u32 i;

	if (!r.sink.needed || flags)
		pfm_read_callstack_init(&r);
	if (pfm_read_callstack_begin(&r, buffer, sizeof(good), flags))
		return;
	while ((got = pfm_read_callstack_next(&r)))
		for (i = 0; got > 0 && i < r.record.num_user; i++)
			sum += r.user[i];
}

static void read_pebs(unsigned int flags)
{
	struct pfm_read_pebs64 r;

	(void)flags;
	pfm_read_pebs64_init(&r);
	if (pfm_read_pebs64_begin(&r, buffer, sizeof(good)))
		return;
	while (pfm_read_pebs64_next(&r) > 0)
		sum += r.entry.regs.ip + r.entry.skl.tsc;
}

static const struct {
	void (*make)(void);
	void (*read)(unsigned int flags);
} formats[] = {
	{ make_default, read_default },
	{ make_nway, read_nway },
	{ make_sink, read_sink },
	{ make_pebs, read_pebs },
};

static int read_under_noise(unsigned int format)
{
	pthread_t noise;

	memset(good, 0, sizeof(good));
	formats[format].make();
	memcpy(buffer, good, sizeof(good));
	stop = 0;
	if (pthread_create(&noise, NULL, make_noise, NULL))
		return -1;
	for (int i = 0; i < PASSES; i++)
		formats[format].read(i % 2 ? PFM_READ_LIVE : 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	return pthread_join(noise, NULL) ? -1 : 0;
}

int main(void)
{
	unsigned int i;

	buffer = malloc(sizeof(good));
	if (!buffer)
		return 1;
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (read_under_noise(i))
			return 1;
	}
	free(buffer);
	printf("%llu\n", (unsigned long long)sum);
	return 0;
}
