// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * files.c - read and write small files, and pass descriptors
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "files.h"

bool exists(const char *path)
{
	return !access(path, F_OK);
}

void read_text(const char *path, char *text, size_t size)
{
	int fd = CHECK_OK(open(path, O_RDONLY | O_CLOEXEC));
	ssize_t len = CHECK_OK(read(fd, text, size - 1));

	text[len] = '\0';
	close(fd);
}

long read_number(const char *path)
{
	char text[32];

	read_text(path, text, sizeof(text));
	return strtol(text, NULL, 10);
}

void write_text(const char *path, const char *text)
{
	int fd = CHECK_OK(open(path, O_WRONLY | O_CLOEXEC));

	CHECK_OK(write(fd, text, strlen(text)));
	close(fd);
}

void expect_text(const char *path, const char *expected)
{
	char text[64];

	read_text(path, text, sizeof(text));
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, expected))
		check_failed(__FILE__, __LINE__, "%s contains '%s', not '%s'",
			     path, text, expected);
}

bool file_has(const char *path, const char *text)
{
	char content[1024];

	read_text(path, content, sizeof(content));
	return strstr(content, text);
}

void remove_cgroup(const char *path)
{
	while (rmdir(path)) {
		CHECK_EQ(errno, EBUSY);
		sched_yield();
	}
}

bool is_readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	CHECK_OK(poll(&p, 1, 0));
	return p.revents & POLLIN;
}

void send_descriptor(int to, int fd)
{
	char byte = 0, control[CMSG_SPACE(sizeof(fd))] = {};
	struct iovec data = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	CHECK_EQ(sendmsg(to, &msg, 0), 1);
}

int receive_descriptor(int from)
{
	char byte, control[CMSG_SPACE(sizeof(int))];
	struct iovec data = { &byte, 1 };
	struct msghdr msg = { .msg_iov = &data, .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	int fd;

	CHECK_EQ(recvmsg(from, &msg, 0), 1);
	CHECK(CMSG_FIRSTHDR(&msg));
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}
