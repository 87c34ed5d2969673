// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nway_reader - print the samples of an n-way buffer, also while it is written
 *
 * FILE is the image of a buffer; a tool maps the context's file descriptor
 * instead, read only, and does the same. All samples must have VALUES PMD
 * values. For each sample a line is printed: its region's sequence number and
 * its instruction pointer.
 *
 * usage: nway_reader FILE VALUES
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <perfmon/perfmon_nway_smpl.h>

/* A region as it was copied; bytes has room for hdr_region_size. */
struct copy {
	__u64 seq;
	__u64 count;
	unsigned char *bytes;
};

static const pfm_nway_smpl_rgn_t *region(const pfm_nway_smpl_hdr_t *hdr,
					 unsigned int number)
{
	return (const pfm_nway_smpl_rgn_t *)(hdr + 1) + number;
}

/* Does what the header says fit into length bytes? */
static int check(const pfm_nway_smpl_hdr_t *hdr, __u64 length)
{
	__u64 number, rest;

	if (length < sizeof(*hdr) || hdr->hdr_version != PFM_NWAY_SMPL_VERSION)
		return -1;
	number = hdr->hdr_num_regions;
	if (number < PFM_NWAY_MIN_REGIONS || number > PFM_NWAY_MAX_REGIONS)
		return -1;
	if (hdr->hdr_region_offs > length ||
	    hdr->hdr_region_offs < sizeof(*hdr) +
				   number * sizeof(pfm_nway_smpl_rgn_t))
		return -1;
	rest = length - hdr->hdr_region_offs;
	return hdr->hdr_region_size > rest / number ? -1 : 0;
}

/*
 * Copy the samples of a region, each sample_size bytes.
 *
 * Return: 1, or 0 if there are none, or if they were overwritten meanwhile.
 */
static int copy_region(const pfm_nway_smpl_hdr_t *hdr, unsigned int number,
		       size_t sample_size, struct copy *copy)
{
	const pfm_nway_smpl_rgn_t *rgn = region(hdr, number);
	const unsigned char *first = (const unsigned char *)hdr +
		hdr->hdr_region_offs + number * hdr->hdr_region_size;

	copy->seq = __atomic_load_n(&rgn->rgn_seq, __ATOMIC_ACQUIRE);
	if (!copy->seq || __atomic_load_n(&rgn->rgn_state, __ATOMIC_ACQUIRE) ==
			  PFM_NWAY_RGN_FREE)
		return 0;
	copy->count = __atomic_load_n(&rgn->rgn_count, __ATOMIC_ACQUIRE);
	if (copy->count > hdr->hdr_region_size / sample_size)
		return 0;
	memcpy(copy->bytes, first, copy->count * sample_size);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&rgn->rgn_seq, __ATOMIC_RELAXED) == copy->seq;
}

static void print_samples(const struct copy *copy, size_t sample_size)
{
	pfm_default_smpl_entry_t entry;
	__u64 i;

	for (i = 0; i < copy->count; i++) {
		memcpy(&entry, copy->bytes + i * sample_size, sizeof(entry));
		printf("%llu %#llx\n", (unsigned long long)copy->seq,
		       (unsigned long long)entry.ip);
	}
}

static int by_seq(const void *a, const void *b)
{
	const struct copy *one = a, *other = b;

	return (one->seq > other->seq) - (one->seq < other->seq);
}

/* Copy all regions, then print them in the order in which they were filled. */
static int read_buffer(const pfm_nway_smpl_hdr_t *hdr, size_t sample_size)
{
	struct copy copies[PFM_NWAY_MAX_REGIONS];
	unsigned int number, i, found = 0;
	unsigned char *room;

	number = hdr->hdr_num_regions;
	room = malloc(number * hdr->hdr_region_size + 1);
	if (!room)
		return -1;
	for (i = 0; i < number; i++) {
		copies[found].bytes = room + i * hdr->hdr_region_size;
		found += copy_region(hdr, i, sample_size, &copies[found]);
	}
	qsort(copies, found, sizeof(copies[0]), by_seq);
	for (i = 0; i < found; i++)
		print_samples(&copies[i], sample_size);
	free(room);
	return 0;
}

int main(int argc, char **argv)
{
	struct stat st;
	size_t values;
	void *buf;
	int fd;

	if (argc != 3) {
		fprintf(stderr, "usage: nway_reader FILE VALUES\n");
		return 2;
	}
	values = strtoul(argv[2], NULL, 10);
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || values > PFM_MAX_PMDS) {
		perror(argv[1]);
		return 1;
	}
	buf = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (buf == MAP_FAILED || check(buf, st.st_size) < 0 ||
	    read_buffer(buf, sizeof(pfm_default_smpl_entry_t) +
			     values * sizeof(__u64)) < 0) {
		fprintf(stderr, "%s: no n-way buffer\n", argv[1]);
		return 1;
	}
	return 0;
}
