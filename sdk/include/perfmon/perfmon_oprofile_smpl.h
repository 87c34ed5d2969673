/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/**
 * DOC: Device and stream of the OProfile bridge (Eranian 2006, 5.4)
 *
 * The format has no argument and no mapped buffer. Its records are read from a
 * character device, /dev/perfmon-oprofile, as from OProfile's event buffer. The
 * records are a stream of the kernel's native unsigned longs in native byte
 * order; on a 64-bit kernel these have 64 bits, even for 32-bit programs. The
 * stream consists of samples and escapes. A sample is a pair (offset, event),
 * where the event is the reg_smpl_eventid of the counter that overflowed. An
 * escape is PFM_OPROFILE_ESC, a code, and the code's arguments. An escape
 * never separates the two words of a pair.
 */
#ifndef PERFMON_OPROFILE_SMPL_H
#define PERFMON_OPROFILE_SMPL_H

#include <perfmon/perfmon.h>

#define PFM_OPROFILE_SMPL_NAME	"oprofile"
/* The contents of a sample, in one line for users. */
#define PFM_OPROFILE_SMPL_SUMMARY \
	"a pair of words in OProfile's event stream"
#define PFM_OPROFILE_SMPL_UUID_STR "777a6e61-2065-7369-746e-722061650a6c"
#define PFM_OPROFILE_SMPL_UUID	PFM_UUID(PFM_OPROFILE_SMPL_UUID_STR)

#define PFM_OPROFILE_DEVICE	"perfmon-oprofile"

/* The first word of an escape: no sample has this offset. */
#define PFM_OPROFILE_ESC	(~0ULL)

/* Codes of escapes, with their arguments or their meaning */
#define PFM_OPROFILE_CTX_SWITCH		1	/* thread; cookie of program */
#define PFM_OPROFILE_CPU_SWITCH		2	/* CPU */
#define PFM_OPROFILE_COOKIE_SWITCH	3	/* cookie of the mapped file */
#define PFM_OPROFILE_KERNEL_ENTER	4	/* next samples: kernel */
#define PFM_OPROFILE_KERNEL_EXIT	5	/* next samples: user space */
#define PFM_OPROFILE_MODULE_LOADED	6	/* never sent */
#define PFM_OPROFILE_CTX_TGID		7	/* process, after CTX_SWITCH */
#define PFM_OPROFILE_TRACE_BEGIN	8
#define PFM_OPROFILE_TRACE_END		9

/*
 * Between TRACE_BEGIN and TRACE_END there is a sample, followed by its callers,
 * which are pairs with event 0.
 */

/*
 * A cookie identifies a file. The offset of a sample in user space is relative
 * to the file of the last COOKIE_SWITCH. After PFM_OPROFILE_NO_COOKIE, the
 * offset is an address. The offset of a kernel sample is an address, too.
 */
#define PFM_OPROFILE_NO_COOKIE		0ULL
#define PFM_OPROFILE_INVALID_COOKIE	(~0ULL)

/**
 * struct pfm_oprofile_cookie - PFM_OPROFILE_IOC_COOKIE: look up a cookie
 * @cookie: in: the cookie
 * @path:   in: address of the caller's buffer for the path and a NUL
 * @size:   in: size in bytes of that buffer
 * @length: out: length of the path with its NUL, even if @size is too small
 *
 * Errors: ENOENT for an unknown cookie; ERANGE if @size is too small; EFAULT.
 */
struct pfm_oprofile_cookie {
	__u64	cookie;
	__u64	path;
	__u32	size;
	__u32	length;
};

PFM_STATIC_ASSERT(sizeof(struct pfm_oprofile_cookie) == 24);
PFM_ASSERT_FIELD(struct pfm_oprofile_cookie, cookie, 0, 8);
PFM_ASSERT_FIELD(struct pfm_oprofile_cookie, path, 8, 8);
PFM_ASSERT_FIELD(struct pfm_oprofile_cookie, size, 16, 4);
PFM_ASSERT_FIELD(struct pfm_oprofile_cookie, length, 20, 4);

#define PFM_OPROFILE_IOC_COOKIE \
	_IOWR(PFM_IOC_MAGIC, 0x80, struct pfm_oprofile_cookie)

#endif /* PERFMON_OPROFILE_SMPL_H */
