/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * files.h - reading and writing small files; descriptors
 *
 * A failure in here fails the test.
 */
#ifndef GUEST_FILES_H
#define GUEST_FILES_H

#include <stdbool.h>
#include <stddef.h>

bool exists(const char *path);
/* Read a file; write to one that exists. */
void read_text(const char *path, char *text, size_t size);
void write_text(const char *path, const char *text);
/* Expect this first line. */
void expect_text(const char *path, const char *expected);
/* The first number in a file. */
long read_number(const char *path);
/* Remove a control group as soon as what has ended in it is gone. */
void remove_cgroup(const char *path);
/* Would a read() of the descriptor return at once? */
bool is_readable(int fd);
/* Pass a descriptor through a socket. The sender keeps its own. */
void send_descriptor(int to, int fd);
int receive_descriptor(int from);

#endif /* GUEST_FILES_H */
