// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * count_addresses - count the samples of a capture by address, with the SDK's
 * reader of the default format
 *
 * usage: count_addresses CAPTURE [check]
 *
 * The benchmark compares the speed of pfmparse with that of this program. The
 * program prints the number of samples and the number of addresses. With
 * "check", it verifies the buffers' checksums, as pfmparse does.
 */
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <perfmon/perfmon_read_default.h>

#define FILE_HEADER	16
#define BUFFER_HEADER	24
#define BITS		18

struct chunk {
	char type[4];
	__u32 flags;
	__u64 length;
	__u32 payload_crc;
	__u32 header_crc;
};

static struct {
	__u64 ip;
	__u64 count;
} table[1 << BITS];

static __u64 samples, addresses;

static int count(__u64 ip)
{
	__u64 at = ip * 0x9e3779b97f4a7c15ULL >> (64 - BITS);

	while (table[at].count && table[at].ip != ip)
		at = (at + 1) % (1 << BITS);
	if (!table[at].count && ++addresses == 1 << BITS)
		return -1;
	table[at].ip = ip;
	table[at].count++;
	samples++;
	return 0;
}

static int read_buffer(const char *payload, __u64 length)
{
	static const struct pfm_read_kind any = { 0, PFM_READ_ANY_PMD, 0 };
	struct pfm_read_default r;
	int got;

	if (length < BUFFER_HEADER || pfm_read_default_init(&r, &any, 1) ||
	    pfm_read_default_begin(&r, payload + BUFFER_HEADER,
				   length - BUFFER_HEADER, 0))
		return -1;
	while ((got = pfm_read_default_next(&r)) > 0) {
		if (count(r.entry.head.ip))
			return -1;
	}
	return got;
}

static int read_chunks(const char *data, __u64 size, int is_checked)
{
	__u64 at = FILE_HEADER;
	struct chunk chunk;

	for (; at + sizeof(chunk) <= size; at += (chunk.length + 7) / 8 * 8) {
		memcpy(&chunk, data + at, sizeof(chunk));
		at += sizeof(chunk);
		if (chunk.length > size - at)
			return -1;
		if (memcmp(chunk.type, "BUFR", 4))
			continue;
		if (is_checked &&
		    libdeflate_crc32(0, data + at, chunk.length) !=
		    chunk.payload_crc)
			return -1;
		if (read_buffer(data + at, chunk.length))
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int is_checked = argc == 3 && !strcmp(argv[2], "check");
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
	struct stat file;
	char *data;

	if (fd < 0 || fstat(fd, &file) || file.st_size < FILE_HEADER) {
		fprintf(stderr, "usage: %s CAPTURE [check]\n", argv[0]);
		return 2;
	}
	data = mmap(NULL, file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED || read_chunks(data, file.st_size, is_checked)) {
		fprintf(stderr, "%s: %s is damaged\n", argv[0], argv[1]);
		return 1;
	}
	printf("%llu %llu\n", samples, addresses);
	return 0;
}
