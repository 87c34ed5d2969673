/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * oprofile_stream.h - read the sample stream of the OProfile bridge
 *
 * A malformed stream fails the test.
 */
#ifndef GUEST_OPROFILE_STREAM_H
#define GUEST_OPROFILE_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#define WORD		sizeof(__u64)
#define MAX_WORDS	(1 << 17)
#define MAX_SAMPLES	(MAX_WORDS / 2)
#define MAX_CALLERS	8

struct sample {
	__u64		cpu;
	__u64		tid;
	__u64		tgid;
	__u64		app;
	bool		user;
	__u64		cookie;
	__u64		offset;
	__u64		event;
	unsigned int	num_callers;
	struct {
		__u64		cookie;
		__u64		offset;
	}		callers[MAX_CALLERS];
};

/* The words of the stream that were read, and the samples decoded from them. */
extern __u64 words[MAX_WORDS];
extern struct sample samples[MAX_SAMPLES];
extern unsigned int num_samples;

/*
 * Read the non-blocking device until it is empty. Append the data to words[],
 * which already contains @n words. Return: the new number of words.
 */
size_t drain(int device, size_t n);
/* Decode the first @n words, which must be the start of the stream. */
void decode(size_t n);
/* Read and decode the stream, and check the number of samples. */
void read_samples(int device, unsigned int expected);

/* Ask the device for the path of a cookie. Return: the result of ioctl(). */
int ask_path(int device, __u64 cookie, char *path, size_t size);
void expect_path(int device, __u64 cookie, const char *expected);

#endif /* GUEST_OPROFILE_STREAM_H */
