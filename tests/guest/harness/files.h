/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * files.h - read and write small files, and pass descriptors
 *
 * These functions fail the test on any error.
 */
#ifndef GUEST_FILES_H
#define GUEST_FILES_H

#include <stdbool.h>
#include <stddef.h>

bool exists(const char *path);
/* Read a file into a string of at most @size - 1 characters. */
void read_text(const char *path, char *text, size_t size);
void write_text(const char *path, const char *text);
/* Check the first line of a file. */
void expect_text(const char *path, const char *expected);
/* Return whether a small file contains this text. */
bool file_has(const char *path, const char *text);
/* Return the first number in a file. */
long read_number(const char *path);
/*
 * Wait until the exited processes have left the control group, and remove the
 * group.
 */
void remove_cgroup(const char *path);
/* Return whether read() would return without blocking. */
bool is_readable(int fd);
/* Pass a descriptor through a socket. The sender's copy stays open. */
void send_descriptor(int to, int fd);
int receive_descriptor(int from);

#endif /* GUEST_FILES_H */
