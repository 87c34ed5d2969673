// SPDX-License-Identifier: MIT OR GPL-2.0
/* output.c - the output file for counts */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/output.h"
#include "base/util.h"

static bool explain(const struct output *output)
{
	message("cannot write %s: %s", output->path ? output->path :
		"the counts", strerror(errno));
	return false;
}

/* Returns a descriptor, or -1. */
static int open_or_create(struct output *output)
{
	int flags = O_WRONLY | O_CLOEXEC | (output->append ? O_APPEND : 0);
	int fd = open(output->path, flags);

	if (fd >= 0 || errno != ENOENT)
		return fd;
	fd = open(output->path, flags | O_CREAT | O_EXCL, 0666);
	output->created = fd >= 0;
	return fd;
}

bool output_open(struct output *output, const char *path, bool append,
		 int descriptor)
{
	int fd;

	*output = (struct output){ .path = path, .append = append };
	fd = path ? open_or_create(output) :
		    fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (fd < 0)
		return explain(output);
	output->file = fdopen(fd, append ? "a" : "w");
	if (output->file)
		return true;
	close(fd);
	return explain(output);
}

bool output_begin(struct output *output, bool *at_start)
{
	struct stat status;

	*at_start = !output->begun;
	if (output->begun || !output->path)
		goto done;
	if (fstat(fileno(output->file), &status))
		return explain(output);
	if (!S_ISREG(status.st_mode))
		goto done;
	if (output->append)
		*at_start = !status.st_size;
	else if (fseek(output->file, 0, SEEK_SET) ||
		 ftruncate(fileno(output->file), 0))
		return explain(output);
done:
	output->begun = true;
	return true;
}

void output_begin_anew(struct output *output)
{
	if (output->path && !output->append)
		output->begun = false;
}

bool output_flush(struct output *output)
{
	return (!fflush(output->file) && !ferror(output->file)) ||
	       explain(output);
}

bool output_close(struct output *output)
{
	if (!output->file)
		return true;
	if (output->created && !output->begun)
		unlink(output->path);
	return !fclose(output->file) || explain(output);
}
