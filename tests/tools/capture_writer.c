// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * capture_writer - write a capture with pfmon's capture.c for the tests
 *
 * usage: capture_writer FILE
 *
 * Writes payloads of all lengths modulo 8, an empty payload and a compressed
 * one. Writes three buffers: a whole buffer, the used part of a buffer, and two
 * pieces of a buffer. test_capture.py checks the contents.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/capture.h"

#define SYMBOLS		1000
#define BUFFER_SIZE	4096
#define BUFFER_USED	200

static int check(int ret)
{
	if (ret) {
		perror("capture_writer");
		exit(1);
	}
	return ret;
}

static void write_texts(struct capture *capture)
{
	static const char text[] = "0123456789abcdef";

	for (size_t length = 0; length <= 16; length++)
		check(capture_write(capture, "TEXT", text, length));
}

static void write_symbols(struct capture *capture)
{
	char line[32], *text = calloc(SYMBOLS, sizeof(line));

	if (!text)
		exit(1);
	for (int i = 0; i < SYMBOLS; i++) {
		snprintf(line, sizeof(line), "%016x t symbol_%d\n", i, i);
		strcat(text, line);
	}
	check(capture_write_packed(capture, "KSYM", text, strlen(text)));
	free(text);
}

static void write_buffer(struct capture *capture, uint32_t context,
			 const unsigned char *buffer, struct image *image)
{
	unsigned char bytes[BUFFER_SIZE];

	image->bytes = bytes;
	image->room = sizeof(bytes);
	image_copy(image, buffer);
	image->time_ns = 0x0102030405060708;
	check(capture_write_buffer(capture, context, BUFFER_SIZE, image));
}

static void write_buffers(struct capture *capture)
{
	struct image whole = { .count = 1, .pieces = { { 0, BUFFER_SIZE } } };
	struct image cut = { .count = 1, .pieces = { { 0, BUFFER_USED } } };
	struct image pieces = { .count = 2,
				.pieces = { { 8, 16 }, { 1000, 3 } } };
	unsigned char buffer[BUFFER_SIZE];

	for (size_t i = 0; i < sizeof(buffer); i++)
		buffer[i] = (unsigned char)(i * 7);
	write_buffer(capture, 3, buffer, &whole);
	write_buffer(capture, 0, buffer, &cut);
	write_buffer(capture, 1, buffer, &pieces);
}

int main(int argc, char **argv)
{
	struct capture capture;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return 2;
	}
	check(capture_open(&capture, argv[1]));
	write_texts(&capture);
	write_symbols(&capture);
	write_buffers(&capture);
	check(capture_close(&capture));
	return 0;
}
