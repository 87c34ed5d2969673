// SPDX-License-Identifier: GPL-2.0
/*
 * trace.c - who called the code that was interrupted at user level
 *
 * x86_64 and arm64 have the same frames: the caller's frame pointer, then the
 * return address. Those of 32-bit programs on x86_64 are half as wide; on arm64
 * such programs are not followed, their frames depend on the compiler.
 */
#include <linux/align.h>
#include <linux/ptrace.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include "trace.h"

struct trace_frame {
	unsigned long	next;
	unsigned long	ret;
};

struct trace_frame32 {
	u32	next;
	u32	ret;
};

#if defined(CONFIG_ARM64)

static bool trace_is_narrow(struct pt_regs *regs)
{
	return false;
}

static unsigned long trace_start(struct pt_regs *regs)
{
	return compat_user_mode(regs) ? 0 : frame_pointer(regs);
}

/* Without its authentication code. */
static unsigned long trace_address(unsigned long ret)
{
	return ret & ~ptrauth_user_pac_mask();
}

#elif defined(CONFIG_X86_64) && !defined(CONFIG_UML)

static bool trace_is_narrow(struct pt_regs *regs)
{
	return !user_64bit_mode(regs);
}

static unsigned long trace_start(struct pt_regs *regs)
{
	return frame_pointer(regs);
}

static unsigned long trace_address(unsigned long ret)
{
	return ret;
}

#else

static bool trace_is_narrow(struct pt_regs *regs)
{
	return false;
}

static unsigned long trace_start(struct pt_regs *regs)
{
	return 0;
}

static unsigned long trace_address(unsigned long ret)
{
	return ret;
}

#endif

static bool trace_read_native(unsigned long fp, struct trace_frame *frame)
{
	return fp && IS_ALIGNED(fp, sizeof(fp)) &&
	       !copy_from_user_nofault(frame, (void __user *)fp,
				       sizeof(*frame));
}

static bool trace_read_narrow(unsigned long fp, struct trace_frame *frame)
{
	struct trace_frame32 narrow;

	if (!fp || !IS_ALIGNED(fp, sizeof(narrow.next)) ||
	    copy_from_user_nofault(&narrow, (void __user *)fp, sizeof(narrow)))
		return false;
	frame->next = narrow.next;
	frame->ret = narrow.ret;
	return true;
}

static bool trace_read(unsigned long fp, bool narrow, struct trace_frame *frame)
{
	return narrow ? trace_read_narrow(fp, frame) :
			trace_read_native(fp, frame);
}

unsigned int pfm_op_user_callers(struct pt_regs *regs, unsigned long *callers,
				 unsigned int max)
{
	bool narrow = trace_is_narrow(regs);
	unsigned long fp = trace_start(regs), last = 0;
	struct trace_frame frame;
	unsigned int n = 0;

	/* Frames lie one above the other: what does not is none. */
	while (n < max && fp > last && trace_read(fp, narrow, &frame) &&
	       frame.ret) {
		callers[n++] = trace_address(frame.ret);
		last = fp;
		fp = frame.next;
	}
	return n;
}
