/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * files.h - what files say
 *
 * What fails here fails the test.
 */
#ifndef GUEST_FILES_H
#define GUEST_FILES_H

#include <stdbool.h>
#include <stddef.h>

bool exists(const char *path);
/* What a file says, and to write a file that exists. */
void read_text(const char *path, char *text, size_t size);
void write_text(const char *path, const char *text);
/* Its first line is this. */
void expect_text(const char *path, const char *expected);
/* The first number in a file. */
long read_number(const char *path);
/* A read() of the descriptor would not wait. */
bool is_readable(int fd);

#endif /* GUEST_FILES_H */
