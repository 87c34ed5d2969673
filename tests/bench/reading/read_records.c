// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * read_records - read the same records repeatedly, to count the instructions
 *
 * usage: read_records default|nway|live TIMES
 *
 * The program reads a buffer TIMES times. The buffer has RECORDS entries, each
 * with two PMDs. "live" reads the n-way buffer as if the kernel were writing to
 * it. The instructions that one more repetition takes are the cost of RECORDS
 * records.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perfmon/perfmon_read_nway.h>

#define RECORDS		10000
#define VALUES		2
#define ENTRY		(sizeof(pfm_default_smpl_entry_t) + VALUES * 8)
#define REGIONS		2

static __u64 buffer[(RECORDS * ENTRY + 4096) / 8];
static const struct pfm_read_kind kind = { 0, 0, VALUES };
static __u64 sum;

static void make_default(void)
{
	pfm_default_smpl_hdr_t *hdr = (pfm_default_smpl_hdr_t *)buffer;

	hdr->hdr_version = PFM_DFL_SMPL_VERSION;
	hdr->hdr_count = RECORDS;
	hdr->hdr_cur_offs = sizeof(*hdr) + RECORDS * ENTRY;
	hdr->hdr_buf_size = sizeof(buffer);
}

static void make_nway(void)
{
	pfm_nway_smpl_hdr_t *hdr = (pfm_nway_smpl_hdr_t *)buffer;
	pfm_nway_smpl_rgn_t *rgn = (pfm_nway_smpl_rgn_t *)(hdr + 1);

	hdr->hdr_version = PFM_NWAY_SMPL_VERSION;
	hdr->hdr_buf_size = sizeof(buffer);
	hdr->hdr_num_regions = REGIONS;
	hdr->hdr_region_offs = PFM_NWAY_REGION_OFFS(REGIONS);
	hdr->hdr_region_size = RECORDS / REGIONS * ENTRY;
	for (int i = 0; i < REGIONS; i++) {
		rgn[i].rgn_seq = i + 1;
		rgn[i].rgn_state = PFM_NWAY_RGN_READY;
		rgn[i].rgn_count = RECORDS / REGIONS;
		rgn[i].rgn_size = hdr->hdr_region_size;
	}
}

static void use(const struct pfm_read_entry *entry)
{
	sum += entry->head.ip + entry->pmds[0] + entry->pmds[1];
}

static __u64 read_default(void)
{
	struct pfm_read_default r;
	__u64 found = 0;

	if (pfm_read_default_init(&r, &kind, 1) ||
	    pfm_read_default_begin(&r, buffer, sizeof(buffer), 0))
		return 0;
	for (; pfm_read_default_next(&r) > 0; found++)
		use(&r.entry);
	return found;
}

static __u64 read_nway(unsigned int flags)
{
	static struct pfm_read_nway r;
	__u64 found = 0;

	if (pfm_read_nway_init(&r, &kind, 1) ||
	    pfm_read_nway_begin(&r, buffer, sizeof(buffer), flags))
		return 0;
	for (; pfm_read_nway_next(&r) > 0; found++)
		use(&r.entry);
	return found;
}

int main(int argc, char **argv)
{
	int is_default = argc == 3 && !strcmp(argv[1], "default");
	int is_live = argc == 3 && !strcmp(argv[1], "live");
	long times = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	__u64 found = 0;

	if (is_default)
		make_default();
	else
		make_nway();
	for (long i = 0; i < times; i++)
		found += is_default ? read_default() :
			 read_nway(is_live ? PFM_READ_LIVE : 0);
	printf("%llu records\n", (unsigned long long)found);
	return found == (__u64)times * RECORDS ? 0 : 1;
}
