/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * buildid.h - identify an ELF file by its build IDs, size and modification time
 */
#ifndef PFMON_PROCESS_BUILDID_H
#define PFMON_PROCESS_BUILDID_H

#include <stddef.h>
#include <stdint.h>

#define LEAST_BUILD_ID		4	/* bytes; shorter ones are not unique */
#define LARGEST_BUILD_ID	64

struct json_object;

struct file_identity {
	char *build_id;		/* GNU's, in hexadecimal; or NULL */
	char *go_build_id;	/* as written by Go's linker, or NULL */
	uint64_t size;
	uint64_t mtime_ns;	/* time of the last modification */
};

/* Opens a file. Returns -1 if it is not a regular file that can be read. */
int file_open(const char *path);

/* Reads the identity of an open file; the caller frees it. */
void file_identify(struct file_identity *identity, int fd);

/* Returns the build ID of an ELF file in memory, to be freed; or NULL. */
char *buildid_of_image(void *bytes, size_t size);

void file_identity_free(struct file_identity *identity);

/*
 * Adds the file's identity to a mapping or cookie, as docs/capture.md
 * describes.
 */
void file_identity_add(struct json_object *object,
		       const struct file_identity *identity);

#endif /* PFMON_PROCESS_BUILDID_H */
