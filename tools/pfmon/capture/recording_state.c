// SPDX-License-Identifier: MIT OR GPL-2.0
/* recording_state.c - write chunks of a recording, report failures, unlock */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "capture/recording_state.h"
#include "stacks/table_set.h"

bool recording_written(struct recording *recording, int ret)
{
	if (!ret)
		return true;
	if (!recording->failed && !(recording->watched && errno == EPIPE))
		message("cannot write %s: %s", recording->capture.path,
			strerror(errno));
	recording->failed = true;
	return false;
}

bool recording_write(struct recording *recording, const char type[4],
		     const void *payload, size_t size)
{
	return recording_written(recording,
				 capture_write(&recording->capture, type,
					       payload, size));
}

bool recording_write_text(struct recording *recording, const char type[4],
			  char *text)
{
	bool ok = recording_write(recording, type, text, strlen(text));

	free(text);
	return ok;
}

void recording_unlock(struct recording *recording)
{
	pthread_mutex_unlock(&recording->lock);
	table_set_load(recording->tables);
}
