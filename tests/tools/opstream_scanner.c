// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * opstream_scanner - scan an OProfile stream
 *
 * usage: opstream_scanner WORD|/...
 *
 * The words are numbers; -1 is an escape. A slash ends a part; each part is
 * scanned separately. Prints new cookies, one per line, then the number of
 * samples.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/opstream.h"

static void print_cookie(uint64_t cookie, void *data)
{
	(void)data;
	printf("%" PRIu64 "\n", cookie);
}

int main(int argc, char **argv)
{
	uint64_t *words = calloc((size_t)argc, sizeof(*words));
	struct opstream stream = { .samples = 0 };
	size_t count = 0;

	if (!words)
		return 1;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "/")) {
			words[count++] = strtoull(argv[i], NULL, 10);
			continue;
		}
		opstream_scan(&stream, words, count, print_cookie, NULL);
		count = 0;
	}
	opstream_scan(&stream, words, count, print_cookie, NULL);
	printf("%" PRIu64 "\n", stream.samples);
	opstream_free(&stream);
	free(words);
	return 0;
}
