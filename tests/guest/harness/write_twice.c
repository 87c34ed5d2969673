// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * write_twice.c - write a text to a file, first from the main thread, then from
 *		   a second thread
 *
 * usage: write_twice FILE TEXT
 *
 * Each thread writes the whole text with one system call, and then prints its
 * thread ID.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *path, *text;

static void *write_text(void *unused)
{
	ssize_t size = strlen(text);
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, size) != size) {
		perror(path);
		exit(1);
	}
	close(fd);
	printf("%d\n", (int)gettid());
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 3) {
		fprintf(stderr, "usage: write_twice FILE TEXT\n");
		return 2;
	}
	path = argv[1];
	text = argv[2];
	write_text(NULL);
	return pthread_create(&thread, NULL, write_text, NULL) ||
	       pthread_join(thread, NULL);
}
