// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * capture.c - write a capture file, see docs/capture.md
 *
 * Each chunk is written with one unbuffered writev(): if pfmon is killed, all
 * chunks except the last are complete.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/util.h"
#include "capture/capture.h"

#define CAPTURE_VERSION	1
#define CHUNK_PACKED	1	/* the payload is a zlib stream */
#define CHUNK_ALIGN	8
#define CHUNK_PARTS	3	/* maximum number of parts in a payload */

/*
 * Compress fast, because the command starts only after the kernel's symbols
 * have been compressed.
 */
#define PACKING_LEVEL	1

struct file_header {
	char magic[8];
	uint32_t version;
	uint32_t reserved;
};

struct chunk_header {
	char type[4];
	uint32_t flags;
	uint64_t length;
	uint32_t payload_crc;
	uint32_t header_crc;
};

struct buffer_header {
	uint32_t context;
	uint32_t pieces;
	uint64_t time_ns;
	uint64_t buf_size;
};

struct piece_header {
	uint64_t offset;
	uint64_t size;
};

_Static_assert(sizeof(struct file_header) == 16, "docs/capture.md");
_Static_assert(sizeof(struct chunk_header) == 24, "docs/capture.md");
_Static_assert(sizeof(struct buffer_header) == 24, "docs/capture.md");
_Static_assert(sizeof(struct piece_header) == 16, "docs/capture.md");

static int fail(struct capture *capture, int error)
{
	capture->error = error;
	errno = error;
	return -1;
}

/* Removes the bytes that have been written from the start of a vector. */
static void advance(struct iovec **vector, int *count, size_t done)
{
	while (*count && done >= (*vector)->iov_len) {
		done -= (*vector)->iov_len;
		(*vector)++;
		(*count)--;
	}
	if (*count) {
		(*vector)->iov_base = (char *)(*vector)->iov_base + done;
		(*vector)->iov_len -= done;
	}
}

static int write_all(struct capture *capture, struct iovec *vector, int count)
{
	ssize_t done;

	if (capture->error)
		return fail(capture, capture->error);
	for (;;) {
		advance(&vector, &count, 0);
		if (!count)
			return 0;
		done = writev(capture->fd, vector, count);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return fail(capture, errno);
		capture->bytes += (uint64_t)done;
		advance(&vector, &count, (size_t)done);
	}
}

static uint32_t crc_of(const struct iovec *parts, int count)
{
	uint32_t crc = 0;

	for (int i = 0; i < count; i++) {
		if (parts[i].iov_len)
			crc = libdeflate_crc32(crc, parts[i].iov_base,
					       parts[i].iov_len);
	}
	return crc;
}

static uint64_t padding_of(uint64_t length)
{
	return -length % CHUNK_ALIGN;
}

static int write_chunk(struct capture *capture, const char type[4],
		       uint32_t flags, const struct iovec *parts, int count)
{
	static const char padding[CHUNK_ALIGN];
	struct chunk_header header = { .flags = htole32(flags) };
	struct iovec vector[CHUNK_PARTS + 2];
	uint64_t length = 0;

	for (int i = 0; i < count; i++) {
		vector[1 + i] = parts[i];
		length += parts[i].iov_len;
	}
	memcpy(header.type, type, sizeof(header.type));
	header.length = htole64(length);
	header.payload_crc = htole32(crc_of(parts, count));
	header.header_crc = htole32(libdeflate_crc32(0, &header,
				    offsetof(struct chunk_header, header_crc)));
	vector[0].iov_base = &header;
	vector[0].iov_len = sizeof(header);
	vector[1 + count].iov_base = (void *)padding;
	vector[1 + count].iov_len = padding_of(length);
	return write_all(capture, vector, count + 2);
}

int capture_open(struct capture *capture, const char *path)
{
	struct file_header header = {
		.magic = { 'P', 'F', 'M', 'C', 'A', 'P', '\r', '\n' },
		.version = htole32(CAPTURE_VERSION),
	};
	struct iovec vector = { &header, sizeof(header) };

	memset(capture, 0, sizeof(*capture));
	capture->path = path;
	capture->fd =
		open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (capture->fd < 0)
		return fail(capture, errno);
	return write_all(capture, &vector, 1);
}

int capture_write(struct capture *capture, const char type[4],
		  const void *payload, size_t length)
{
	struct iovec part = { (void *)payload, length };

	return write_chunk(capture, type, 0, &part, 1);
}

bool capture_pack(struct packed *packed, const void *payload, size_t length)
{
	struct libdeflate_compressor *packer;
	size_t room;

	*packed = (struct packed){ .bytes = NULL };
	packer = libdeflate_alloc_compressor(PACKING_LEVEL);
	if (!packer)
		return false;
	room = libdeflate_zlib_compress_bound(packer, length);
	packed->bytes = checked_calloc(room, 1);
	packed->size = libdeflate_zlib_compress(packer, payload, length,
						packed->bytes, room);
	libdeflate_free_compressor(packer);
	return true;
}

int capture_write_stored(struct capture *capture, const char type[4],
			 const struct packed *packed)
{
	struct iovec part = { packed->bytes, packed->size };

	return write_chunk(capture, type, CHUNK_PACKED, &part, 1);
}

int capture_write_packed(struct capture *capture, const char type[4],
			 const void *payload, size_t length)
{
	struct packed packed;
	int ret;

	if (!capture_pack(&packed, payload, length))
		return fail(capture, ENOMEM);
	ret = capture_write_stored(capture, type, &packed);
	free(packed.bytes);
	return ret;
}

/*
 * Fills in the table of the pieces' positions and returns its length. No table
 * is needed, and 0 is returned, if the only piece begins at the start of the
 * buffer.
 */
static unsigned int describe_pieces(const struct image *image,
				    struct piece_header *table)
{
	if (image->count == 1 && !image->pieces[0].offset)
		return 0;
	for (unsigned int i = 0; i < image->count; i++) {
		table[i].offset = htole64(image->pieces[i].offset);
		table[i].size = htole64(image->pieces[i].size);
	}
	return image->count;
}

int capture_write_buffer(struct capture *capture, uint32_t context,
			 uint64_t buf_size, const struct image *image)
{
	struct piece_header table[IMAGE_MAX_PIECES];
	unsigned int pieces = describe_pieces(image, table);
	struct buffer_header header = {
		.context = htole32(context),
		.pieces = htole32(pieces),
		.time_ns = htole64(image->time_ns),
		.buf_size = htole64(buf_size),
	};
	struct iovec parts[CHUNK_PARTS] = {
		{ &header, sizeof(header) },
		{ table, pieces * sizeof(*table) },
		{ image->bytes, image->size },
	};

	return write_chunk(capture, "BUFR", 0, parts, CHUNK_PARTS);
}

static bool is_of_processes(const struct chunk_header *header)
{
	static const char types[][sizeof(header->type)] = {
		{ 'M', 'A', 'P', 'S' }, { 'T', 'H', 'R', 'D' },
		{ 'P', 'R', 'O', 'C' },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		if (!memcmp(header->type, types[i], sizeof(types[i])))
			return true;
	}
	return false;
}

/*
 * Copies a chunk. @file is positioned at its payload, which has @size bytes
 * including the padding.
 */
static int copy_chunk(struct capture *capture, struct chunk_header *header,
		      size_t size, FILE *file)
{
	void *payload = checked_calloc(size, 1);
	struct iovec vector[] = {
		{ header, sizeof(*header) }, { payload, size },
	};
	int ret;

	if (fread(payload, 1, size, file) == size)
		ret = write_all(capture, vector, ARRAY_SIZE(vector));
	else
		ret = fail(capture, EIO);
	free(payload);
	return ret;
}

static int copy_chunks(struct capture *capture, FILE *file)
{
	struct chunk_header header;
	int ret = 0;

	while (!ret && fread(&header, sizeof(header), 1, file)) {
		uint64_t size = le64toh(header.length);

		size += padding_of(size);
		if (is_of_processes(&header))
			ret = copy_chunk(capture, &header, size, file);
		else if (fseeko(file, (off_t)size, SEEK_CUR))
			ret = fail(capture, errno);
	}
	return ret;
}

int capture_copy_processes(struct capture *capture, const char *path,
			   uint64_t from)
{
	FILE *file = fopen(path, "re");
	int ret;

	if (!file)
		return fail(capture, errno);
	if (from < sizeof(struct file_header))
		from = sizeof(struct file_header);
	if (fseeko(file, (off_t)from, SEEK_SET))
		ret = fail(capture, errno);
	else
		ret = copy_chunks(capture, file);
	fclose(file);
	return ret;
}

bool capture_is_file(const struct capture *capture)
{
	struct stat info;

	return !fstat(capture->fd, &info) && S_ISREG(info.st_mode);
}

int capture_close(struct capture *capture)
{
	int fd = capture->fd;

	if (fd < 0)
		return fail(capture, capture->error);
	capture->fd = -1;
	if (close(fd) < 0 && !capture->error)
		return fail(capture, errno);
	return capture->error ? fail(capture, capture->error) : 0;
}
