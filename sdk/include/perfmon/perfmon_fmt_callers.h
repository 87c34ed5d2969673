/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Call chains of the interrupted thread
 *
 * These functions give fmt_handler the return addresses of the interrupted
 * thread. They find user chains by frame pointers, and kernel chains by the
 * kernel's unwinder on x86 and by frame pointers on arm64. Other architectures
 * (UML) have no chains.
 *
 * The registers of a precise event are from two different moments: that of the
 * event, and that of the interrupt that reports it. Therefore the chains of
 * such an event can end early. In 32-bit programs such chains always end early,
 * because perf reports the code segment of a 64-bit program. On arm64 kernels
 * that mark the frames of interrupts (7.2 and later) a kernel chain ends at
 * such a mark.
 *
 * User memory is read without faulting and without waiting. A chain ends at
 * memory that is not present, and at a frame that is not above the previous
 * one. A function that has not yet set up its frame, or has none, hides its
 * caller.
 */
#ifndef PERFMON_PERFMON_FMT_CALLERS_H
#define PERFMON_PERFMON_FMT_CALLERS_H

#include <linux/align.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_fmt.h>
#include <perfmon/perfmon_user_regs.h>

/**
 * struct pfm_frame - the part of a stack frame to which a frame pointer points
 * @next: frame pointer of the caller
 * @ret:  return address into the caller
 */
struct pfm_frame {
	unsigned long	next;
	unsigned long	ret;
};

/* struct pfm_frame of 32-bit programs on x86_64 */
struct pfm_frame32 {
	u32	next;
	u32	ret;
};

#if defined(CONFIG_X86_64) && !defined(CONFIG_UML)

#include <asm/unwind.h>

#define PFM_HAS_CALLERS	1

static inline bool pfm_frames_are_narrow(struct pt_regs *regs)
{
	return !user_64bit_mode(regs);
}

static inline unsigned long pfm_first_user_frame(struct pt_regs *regs)
{
	return regs->bp;
}

static inline u64 pfm_user_address(unsigned long ret)
{
	return ret;
}

static inline u64 pfm_kernel_address(unsigned long ret)
{
	return ret;
}

/*
 * Check whether user memory can be read: an NMI may arrive while the CPU uses
 * page tables other than the thread's. Only copy_from_user_nmi() checks the
 * page tables. The result holds until the handler returns.
 */
static inline bool pfm_user_is_readable(unsigned long addr)
{
	u32 word;

	return !copy_from_user_nmi(&word, (void __user *)addr, sizeof(word));
}

/*
 * For an event in the kernel's own code, such as a tracepoint, perf fills in
 * only the registers that locate the event. The flags then lack
 * X86_EFLAGS_FIXED, which real registers always have.
 */
static inline unsigned int pfm_kernel_frames(struct pt_regs *regs, u64 *out,
					     unsigned int max)
{
	struct unwind_state state;
	unsigned int n = 0;
	unsigned long ret;

	if (!max)
		return 0;
	if (regs->flags & X86_EFLAGS_FIXED) {
		unwind_start(&state, current, regs, NULL);
	} else {
		unwind_start(&state, current, NULL, (void *)regs->sp);
		if (unwind_get_return_address(&state) == regs->ip)
			unwind_next_frame(&state);
	}
	while (!unwind_done(&state)) {
		ret = unwind_get_return_address(&state);
		if (!ret)
			break;
		out[n++] = ret;
		/* unwind_next_frame() is expensive: skip it if @out is full. */
		if (n == max)
			break;
		unwind_next_frame(&state);
	}
	return n;
}

#elif defined(CONFIG_ARM64)

#define PFM_HAS_CALLERS	1

static inline bool pfm_frames_are_narrow(struct pt_regs *regs)
{
	return false;
}

/*
 * Get the first frame; 0 for 32-bit programs, whose frames have no common
 * layout.
 */
static inline unsigned long pfm_first_user_frame(struct pt_regs *regs)
{
	return compat_user_mode(regs) ? 0 : regs->regs[29];
}

/*
 * Read both words in one user-access section: unsafe_get_user() of Linux 6.1
 * would open a section for each word. Page faults are disabled, so memory that
 * is not present is not read.
 */
static __always_inline bool pfm_read_frame(unsigned long fp,
					   struct pfm_frame *frame)
{
	const struct pfm_frame __user *at = (void __user *)fp;
	unsigned int ok = 0;

	if (!IS_ALIGNED(fp, sizeof(fp)) || !access_ok(at, sizeof(*at)))
		return false;
	uaccess_ttbr0_enable();
	asm volatile("1:	ldtr	%[next], [%[at]]\n"
		     "2:	ldtr	%[ret], [%[at], #8]\n"
		     "	mov	%w[ok], #1\n"
		     "3:\n"
		     _ASM_EXTABLE_UACCESS(1b, 3b)
		     _ASM_EXTABLE_UACCESS(2b, 3b)
		     : [ok] "+&r" (ok), [next] "=&r" (frame->next),
		       [ret] "=&r" (frame->ret)
		     : [at] "r" (uaccess_mask_ptr(at)));
	uaccess_ttbr0_disable();
	return ok;
}

/* Remove the pointer authentication code. */
static inline u64 pfm_user_address(unsigned long ret)
{
	return ret & ~ptrauth_user_pac_mask();
}

static inline u64 pfm_kernel_address(unsigned long ret)
{
	return ret | ptrauth_kernel_pac_mask();
}

static inline bool pfm_user_is_readable(unsigned long addr)
{
	return true;
}

#else

#define PFM_HAS_CALLERS	0

static inline u64 pfm_user_address(unsigned long ret)
{
	return ret;
}

static inline u64 pfm_kernel_address(unsigned long ret)
{
	return ret;
}

static inline bool pfm_user_is_readable(unsigned long addr)
{
	return true;
}

#endif

#ifndef CONFIG_ARM64
/* Page faults are disabled, so memory that is not present is not read. */
static __always_inline bool pfm_read_frame(unsigned long fp,
					   struct pfm_frame *frame)
{
	const struct pfm_frame __user *at = (void __user *)fp;

	if (!IS_ALIGNED(fp, sizeof(fp)) ||
	    !user_read_access_begin(at, sizeof(*at)))
		return false;
	unsafe_get_user(frame->next, &at->next, fault);
	unsafe_get_user(frame->ret, &at->ret, fault);
	user_read_access_end();
	return true;
fault:
	user_read_access_end();
	return false;
}
#endif

static __always_inline bool pfm_read_frame32(unsigned long fp,
					     struct pfm_frame *frame)
{
	const struct pfm_frame32 __user *at = (void __user *)fp;
	u32 next, ret;

	if (!IS_ALIGNED(fp, sizeof(next)) ||
	    !user_read_access_begin(at, sizeof(*at)))
		return false;
	unsafe_get_user(next, &at->next, fault);
	unsafe_get_user(ret, &at->ret, fault);
	user_read_access_end();
	frame->next = next;
	frame->ret = ret;
	return true;
fault:
	user_read_access_end();
	return false;
}

/**
 * pfm_follow_user() - collect return addresses from user frames
 * @fp:     frame pointer
 * @narrow: the frames are those of a 32-bit program
 * @out:    out: return addresses, innermost first
 * @max:    maximum number of addresses
 *
 * Each frame must lie above the previous one, and its return address in the
 * lower half of the address space, where user code is. The chain ends at a
 * frame that violates this: in code without frame pointers the register may
 * hold any value.
 *
 * Context: any, NMI included; current is the thread.
 * Return: number of addresses.
 */
static inline unsigned int pfm_follow_user(unsigned long fp, bool narrow,
					   u64 *out, unsigned int max)
{
	struct pfm_frame frame;
	unsigned long last = 0;
	unsigned int n = 0;

	if (!max || !pfm_user_is_readable(fp))
		return 0;
	pagefault_disable();
	while (n < max && fp > last &&
	       (narrow ? pfm_read_frame32(fp, &frame) :
			 pfm_read_frame(fp, &frame)) &&
	       (s64)pfm_user_address(frame.ret) > 0) {
		out[n++] = pfm_user_address(frame.ret);
		last = fp;
		fp = frame.next;
	}
	pagefault_enable();
	return n;
}

/**
 * pfm_follow_stack() - collect return addresses from frames on a kernel stack
 * @fp:   in: frame pointer; out: frame pointer that was not followed, for
 *        example because it leads to another stack
 * @low:  lowest address that the stack uses now
 * @high: end of the stack
 * @out:  out: return addresses, innermost first
 * @max:  maximum number of addresses
 *
 * Context: any, NMI included.
 * Return: number of addresses.
 */
static inline unsigned int pfm_follow_stack(unsigned long *fp,
					    unsigned long low,
					    unsigned long high, u64 *out,
					    unsigned int max)
{
	const struct pfm_frame *frame;
	unsigned long ret;
	unsigned int n;

	for (n = 0; n < max; n++) {
		frame = (const void *)*fp;
		if (!IS_ALIGNED(*fp, sizeof(*fp)) || *fp < low ||
		    *fp > high - sizeof(*frame))
			break;
		/* NOCHECK: KASAN poisons stack memory around variables. */
		ret = READ_ONCE_NOCHECK(frame->ret);
		if (!ret)
			break;
		out[n] = pfm_kernel_address(ret);
		low = *fp + sizeof(*frame);
		*fp = READ_ONCE_NOCHECK(frame->next);
	}
	return n;
}

#ifdef CONFIG_ARM64
/*
 * If the stack pointer is not on the thread's stack, it is on an interrupt
 * stack, whose frames lead back to the thread's stack. The end of an interrupt
 * stack is known only with CONFIG_VMAP_STACK: these stacks then have the size
 * and the alignment of thread stacks.
 */
static inline unsigned int pfm_kernel_frames(struct pt_regs *regs, u64 *out,
					     unsigned int max)
{
	unsigned long stack = (unsigned long)task_stack_page(current);
	unsigned long fp = regs->regs[29], low = regs->sp;
	unsigned int n = 0;

	if (low - stack >= THREAD_SIZE) {
		if (!IS_ENABLED(CONFIG_VMAP_STACK))
			return 0;
		n = pfm_follow_stack(&fp, low, round_up(low, THREAD_SIZE),
				     out, max);
		low = stack;
	}
	return n + pfm_follow_stack(&fp, low, stack + THREAD_SIZE, out + n,
				    max - n);
}
#endif

#if PFM_HAS_CALLERS

/* Get the user registers; NULL for a deferred overflow or if there are none. */
static inline struct pt_regs *pfm_user_regs(const struct pfm_ovfl_data *data)
{
	return data->regs ? pfm_user_regs_of(data->regs) : NULL;
}

/**
 * pfm_user_frames() - collect return addresses of the user stack
 * @regs: user registers of the current thread, at which the walk begins
 * @out:  out: return addresses, innermost first
 * @max:  maximum number of addresses
 *
 * Context: fmt_handler.
 * Return: number of addresses.
 */
static inline unsigned int pfm_user_frames(struct pt_regs *regs, u64 *out,
					   unsigned int max)
{
	return pfm_follow_user(pfm_first_user_frame(regs),
			       pfm_frames_are_narrow(regs), out, max);
}

/**
 * pfm_user_callers() - get the call chain in user space
 * @data: as passed to fmt_handler
 * @out:  out: the thread's address in user space, then return addresses,
 *        innermost first
 * @max:  maximum number of addresses
 *
 * If the kernel was interrupted, this is the chain that led into the kernel.
 * For a 32-bit program on arm64 it has only the first entry.
 *
 * Context: fmt_handler, NMI included.
 * Return: number of addresses; 0 if @data->regs or the result of
 * pfm_user_regs_of() is NULL.
 */
static inline unsigned int pfm_user_callers(const struct pfm_ovfl_data *data,
					    u64 *out, unsigned int max)
{
	struct pt_regs *regs = pfm_user_regs(data);

	if (!regs || !max)
		return 0;
	out[0] = instruction_pointer(regs);
	return 1 + pfm_user_frames(regs, out + 1, max - 1);
}

/**
 * pfm_kernel_callers() - get the call chain in the kernel
 * @data: as passed to fmt_handler
 * @out:  out: the interrupted address, then return addresses, innermost first
 * @max:  maximum number of addresses
 *
 * An event that excludes the kernel has only user registers, so it has no
 * kernel chain. Thus users without permission to sample the kernel get no
 * kernel addresses.
 *
 * Context: fmt_handler, NMI included.
 * Return: number of addresses; 0 if the overflow interrupted user space or
 * @data->regs is NULL.
 */
static inline unsigned int pfm_kernel_callers(const struct pfm_ovfl_data *data,
					      u64 *out, unsigned int max)
{
	struct pt_regs *regs = data->regs;

	if (!regs || user_mode(regs) || !max)
		return 0;
	out[0] = instruction_pointer(regs);
	return 1 + pfm_kernel_frames(regs, out + 1, max - 1);
}

#else

static inline unsigned int pfm_user_frames(struct pt_regs *regs, u64 *out,
					   unsigned int max)
{
	return 0;
}

static inline unsigned int pfm_user_callers(const struct pfm_ovfl_data *data,
					    u64 *out, unsigned int max)
{
	return 0;
}

static inline unsigned int pfm_kernel_callers(const struct pfm_ovfl_data *data,
					      u64 *out, unsigned int max)
{
	return 0;
}

#endif

#endif /* PERFMON_PERFMON_FMT_CALLERS_H */
