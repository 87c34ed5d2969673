/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * perf_record.h - perf's records about processes and about code of the kernel,
 * see perf_event_open(2)
 */
#ifndef PFMON_CAPTURE_PERF_RECORD_H
#define PFMON_CAPTURE_PERF_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PERF_BUILD_ID_SIZE	20	/* bytes, at most */
#define RECORD_SHARED		8	/* not a private mapping */
#define RECORD_GONE		1	/* the code is about to be freed */

enum perf_record_kind {
	RECORD_FORK,		/* a new process or thread */
	RECORD_EXEC,		/* a process executes a program */
	RECORD_NAME,		/* a thread changes its name */
	RECORD_MAP,		/* a process maps a file or memory */
	RECORD_CODE,		/* the kernel generates or frees code */
};

/* A parsed record. Its event has sample_id_all and PERF_SAMPLE_TIME. */
struct perf_record {
	enum perf_record_kind kind;
	uint64_t time;
	pid_t tgid, tid;	/* 0 for RECORD_CODE */
	pid_t ppid, ptid;	/* RECORD_FORK: the creator */
	const char *text;	/* name or path; points into the record */
	uint64_t start, end;	/* RECORD_MAP, RECORD_CODE */
	uint16_t code_type;	/* RECORD_CODE: PERF_RECORD_KSYMBOL_TYPE_* */
	uint16_t code_flags;	/* RECORD_CODE: RECORD_GONE */

	/* The other members are only for RECORD_MAP. */
	uint64_t offset;
	uint32_t prot;		/* PROT_*, RECORD_SHARED */
	uint8_t build_id[PERF_BUILD_ID_SIZE];
	uint8_t build_id_size;	/* 0: use the next members instead */
	uint32_t major, minor;
	uint64_t inode;
};

/*
 * Reads the time of a record, which may be malformed. Returns false if the
 * record is too short or of a kind that pfmon does not use.
 */
bool perf_record_time(const void *bytes, size_t size, uint64_t *time);

/*
 * Parses the record in @size bytes. Returns false if pfmon does not use records
 * of this kind, if the record is too short, or if its text is not terminated.
 */
bool perf_record_parse(struct perf_record *record, const void *bytes,
		       size_t size);

#endif /* PFMON_CAPTURE_PERF_RECORD_H */
