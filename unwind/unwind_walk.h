/* SPDX-License-Identifier: GPL-2.0 */
/*
 * unwind_walk.h - walking a user stack with unwind tables
 *
 * Tables are not trusted. Whatever the tables and the stack contain:
 *
 * - A chain has at most PFM_UNWIND_MAX_FRAMES addresses. Each search takes a
 *   limited number of steps.
 * - The stack is read only between the frame's stack pointer and the end of the
 *   stack's mapping, at multiples of 8. In the innermost frame of x86, the red
 *   zone below the stack pointer is read, too. A saved rbx may be read from any
 *   frame on this stack, even from one that the walk has already left. The
 *   stack pointer rises from frame to frame; it may stay the same if the return
 *   address is in a register. It may fall, or move to another stack, only at a
 *   signal frame.
 * - An address becomes part of the chain only if it lies in an executable
 *   mapping of the process. No other words from the stack are disclosed.
 *
 * This is also compiled in user space: see unwind_table.h.
 */
#ifndef PFM_UNWIND_WALK_H
#define PFM_UNWIND_WALK_H

#include "unwind_table.h"

#define PFM_UNWIND_MAX_FRAMES	127
/* Bytes below the stack pointer that functions of x86_64 may use */
#define PFM_UNWIND_RED_ZONE	128

/**
 * struct pfm_unwind_text - an executable mapping
 * @start: first address
 * @end:   address after the mapping
 * @shift: address that corresponds to the file offset @table->start; it may be
 *         outside the mapping
 * @table: table of the mapped file, or NULL
 */
struct pfm_unwind_text {
	__u64				start;
	__u64				end;
	__u64				shift;
	const struct pfm_unwind_table	*table;
};

/**
 * struct pfm_unwind_stack - a mapping that may be a stack
 * @start: first address
 * @end:   address after the mapping
 */
struct pfm_unwind_stack {
	__u64	start;
	__u64	end;
};

/**
 * struct pfm_unwind_space - the mappings of a process
 * @nr_texts:  number of executable mappings
 * @nr_stacks: number of mappings that may be stacks
 * @texts:     executable mappings, sorted by address
 * @stacks:    mappings that may be stacks, sorted by address
 */
struct pfm_unwind_space {
	__u32				nr_texts;
	__u32				nr_stacks;
	const struct pfm_unwind_text	*texts;
	const struct pfm_unwind_stack	*stacks;
};

/**
 * struct pfm_unwind_cpu - description of a machine
 * @sp:    DWARF number of the stack pointer
 * @fp:    DWARF number of the frame pointer
 * @lr:    DWARF number of the link register; 0 if none
 * @read:  read a word of the stack. Return: false if that is not possible
 * @reg:   get a register of the innermost frame by its DWARF number
 * @strip: remove an authentication code from a return address
 * @rbx:   DWARF number of rbx; 0 if none
 *
 * This is a constant, so that the compiler inlines the functions.
 */
struct pfm_unwind_cpu {
	__u8	sp;
	__u8	fp;
	__u8	lr;
	bool	(*read)(__u64 addr, __u64 *word);
	__u64	(*reg)(const void *regs, unsigned int number);
	__u64	(*strip)(__u64 addr);
	__u8	rbx;
};

/**
 * struct pfm_unwind_chain - result of a walk
 * @nr:      number of return addresses
 * @guessed: number of steps that followed the frame pointer, because no rule
 *           was found
 * @why:     why the chain ended
 */
struct pfm_unwind_chain {
	__u32			nr;
	__u32			guessed;
	enum pfm_unwind_why	why;
};

/**
 * struct pfm_unwind_frame - a frame of the walk
 * @pc:    address of the next instruction if @exact, else return address
 * @sp:    stack pointer, if @knows_sp; else an address that is not above it
 * @fp:    frame pointer
 * @lr:    link register, if @knows_lr
 * @end:   end of the stack
 * @regs:  registers of the innermost frame; NULL in other frames
 * @rbx_regs: registers that contain the frame's rbx if @rbx_at is below
 *            @rbx_low; NULL if rbx is then not known
 * @rbx_at:   stack address of the frame's rbx, unless below @rbx_low
 * @rbx_low:  stack pointer of the innermost frame on this stack
 * @text:  mapping of the code
 * @exact:    @pc is the address of the next instruction
 * @knows_sp: @sp is the stack pointer
 * @knows_lr: the frame was interrupted by a signal, and @lr is valid
 */
struct pfm_unwind_frame {
	__u64				pc;
	__u64				sp;
	__u64				fp;
	__u64				lr;
	__u64				end;
	const void			*regs;
	const void			*rbx_regs;
	__u64				rbx_at;
	__u64				rbx_low;
	const struct pfm_unwind_text	*text;
	bool				exact;
	bool				knows_sp;
	bool				knows_lr;
};

/* Find the mapping of an address; try @text first, which may be NULL. */
static __always_inline const struct pfm_unwind_text *
pfm_unwind_find_text(const struct pfm_unwind_space *space,
		     const struct pfm_unwind_text *text, __u64 addr)
{
	__u32 low = 0, high = space->nr_texts, mid;

	if (text && addr - text->start < text->end - text->start)
		return text;
	while (low < high) {
		mid = low + (high - low) / 2;
		text = &space->texts[mid];
		if (addr < text->start)
			high = mid;
		else if (addr >= text->end)
			low = mid + 1;
		else
			return text;
	}
	return NULL;
}

/* Find the end of the stack that contains an address; 0 if not found. */
static __always_inline __u64
pfm_unwind_find_end(const struct pfm_unwind_space *space, __u64 addr)
{
	__u32 low = 0, high = space->nr_stacks, mid;
	const struct pfm_unwind_stack *stack;

	while (low < high) {
		mid = low + (high - low) / 2;
		stack = &space->stacks[mid];
		if (addr < stack->start)
			high = mid;
		else if (addr >= stack->end)
			low = mid + 1;
		else
			return stack->end;
	}
	return 0;
}

/*
 * Read a word between the frame's stack pointer and the end of the stack. An
 * aligned word cannot extend beyond the end, which is the end of a page.
 */
static __always_inline bool
pfm_unwind_read(const struct pfm_unwind_cpu *cpu,
		const struct pfm_unwind_frame *frame, __u64 addr, __u64 *word)
{
	return addr >= frame->sp && addr < frame->end &&
	       !(addr % sizeof(*word)) && cpu->read(addr, word);
}

/*
 * Read a word as pfm_unwind_read() does, or from the red zone of the innermost
 * frame on x86.
 */
static __always_inline bool
pfm_unwind_read_saved(const struct pfm_unwind_cpu *cpu,
		      const struct pfm_unwind_space *space,
		      const struct pfm_unwind_frame *frame, __u64 addr,
		      __u64 *word)
{
	if (addr >= frame->sp)
		return pfm_unwind_read(cpu, frame, addr, word);
	return frame->regs && !cpu->lr && !(addr % sizeof(*word)) &&
	       frame->sp - addr <= PFM_UNWIND_RED_ZONE &&
	       pfm_unwind_find_end(space, addr) == frame->end &&
	       cpu->read(addr, word);
}

static __always_inline void
pfm_unwind_forget_rbx(struct pfm_unwind_frame *frame)
{
	frame->rbx_regs = NULL;
	frame->rbx_at = 0;
}

/*
 * Follow the frame pointer, which points to two words: the caller's frame
 * pointer and the return address.
 */
static __always_inline enum pfm_unwind_why
pfm_unwind_guess(const struct pfm_unwind_cpu *cpu,
		 struct pfm_unwind_frame *frame)
{
	__u64 at = frame->fp, fp, pc;

	if (!pfm_unwind_read(cpu, frame, at, &fp) ||
	    !pfm_unwind_read(cpu, frame, at + sizeof(fp), &pc))
		return PFM_UNWIND_UNREADABLE;
	frame->sp = at + sizeof(fp) + sizeof(pc);
	frame->fp = fp;
	frame->pc = cpu->strip(pc);
	frame->regs = NULL;
	frame->exact = false;
	/* On arm64 the two words need not be at the end of the frame. */
	frame->knows_sp = !cpu->lr;
	frame->knows_lr = false;
	pfm_unwind_forget_rbx(frame);
	return PFM_UNWIND_MORE;
}

/* Return to the frame that a signal interrupted, maybe on another stack. */
static __always_inline enum pfm_unwind_why
pfm_unwind_signal(const struct pfm_unwind_cpu *cpu,
		  const struct pfm_unwind_space *space,
		  const struct pfm_unwind_rule *rule,
		  struct pfm_unwind_frame *frame)
{
	__u64 at = frame->sp + rule->fp_offset, sp, pc, fp, lr = 0;

	if (!frame->knows_sp)
		return PFM_UNWIND_NO_RULE;
	if (!pfm_unwind_read(cpu, frame, frame->sp + rule->cfa_offset, &sp) ||
	    !pfm_unwind_read(cpu, frame, frame->sp + rule->ra_offset, &pc) ||
	    !pfm_unwind_read(cpu, frame, at, &fp) ||
	    (cpu->lr && !pfm_unwind_read(cpu, frame, at + sizeof(fp), &lr)))
		return PFM_UNWIND_UNREADABLE;
	frame->end = pfm_unwind_find_end(space, sp);
	frame->sp = sp;
	frame->pc = pc;
	frame->fp = fp;
	frame->lr = lr;
	frame->regs = NULL;
	frame->exact = true;
	frame->knows_lr = cpu->lr;
	frame->rbx_low = sp;
	pfm_unwind_forget_rbx(frame);
	return frame->end ? PFM_UNWIND_MORE : PFM_UNWIND_UNREADABLE;
}

/* Get rbx of a frame that is not the innermost one. */
static __always_inline bool
pfm_unwind_get_rbx(const struct pfm_unwind_cpu *cpu,
		   const struct pfm_unwind_frame *frame, __u64 *value)
{
	__u64 at = frame->rbx_at;

	if (at >= frame->rbx_low)
		return at < frame->end && !(at % sizeof(at)) &&
		       cpu->read(at, value);
	if (frame->rbx_regs)
		*value = cpu->reg(frame->rbx_regs, cpu->rbx);
	return frame->rbx_regs;
}

/* Get a frame's register by DWARF number. Return: false if it is not known. */
static __always_inline bool
pfm_unwind_reg(const struct pfm_unwind_cpu *cpu,
	       const struct pfm_unwind_frame *frame, unsigned int number,
	       __u64 *value)
{
	if (number == cpu->sp)
		*value = frame->sp;
	else if (number == cpu->fp)
		*value = frame->fp;
	else if (frame->regs)
		*value = cpu->reg(frame->regs, number);
	else if (frame->knows_lr && number == cpu->lr)
		*value = frame->lr;
	else
		return cpu->rbx && number == cpu->rbx &&
		       pfm_unwind_get_rbx(cpu, frame, value);
	return number != cpu->sp || frame->knows_sp;
}

/* Compute a rule's CFA, the caller's stack pointer. */
static __always_inline enum pfm_unwind_why
pfm_unwind_cfa(const struct pfm_unwind_cpu *cpu,
	       const struct pfm_unwind_space *space,
	       const struct pfm_unwind_rule *rule,
	       const struct pfm_unwind_frame *frame, __u64 *cfa)
{
	bool plt = rule->kind == PFM_UNWIND_PLT;
	__u64 base;

	if (!pfm_unwind_reg(cpu, frame, plt ? cpu->sp : rule->reg, &base))
		return PFM_UNWIND_NO_RULE;
	*cfa = base + rule->cfa_offset;
	if (plt && (frame->pc & 15) >= (__u32)rule->ra_offset)
		*cfa += sizeof(*cfa);
	if (rule->kind != PFM_UNWIND_MEM)
		return PFM_UNWIND_MORE;
	if (!pfm_unwind_read_saved(cpu, space, frame, *cfa, cfa))
		return PFM_UNWIND_UNREADABLE;
	*cfa += sizeof(*cfa) + rule->ra_offset;
	return PFM_UNWIND_MORE;
}

/*
 * Get the return address, and record where the caller's rbx is. If the
 * innermost function has already restored rbx, the stack slot in which it saved
 * rbx is below the stack pointer, and pfm_unwind_get_rbx() uses the register
 * instead.
 */
static __always_inline enum pfm_unwind_why
pfm_unwind_ra(const struct pfm_unwind_cpu *cpu,
	      const struct pfm_unwind_rule *rule,
	      struct pfm_unwind_frame *frame, __u64 cfa, __u64 *pc)
{
	__u64 slot = cfa - sizeof(*pc);

	if (rule->ra == PFM_UNWIND_RA_REG)
		return pfm_unwind_reg(cpu, frame, rule->ra_offset, pc) ?
		       PFM_UNWIND_MORE : PFM_UNWIND_NO_RULE;
	if (rule->ra == PFM_UNWIND_RA_RBX)
		frame->rbx_at = cfa + rule->ra_offset;
	else if (rule->kind == PFM_UNWIND_REG)
		slot = cfa + rule->ra_offset;
	else
		pfm_unwind_forget_rbx(frame);
	return pfm_unwind_read(cpu, frame, slot, pc) ? PFM_UNWIND_MORE :
						       PFM_UNWIND_UNREADABLE;
}

/*
 * Get the caller's frame pointer. If its slot is below the stack pointer, the
 * function has already restored the register. Unwind information often omits
 * this, and still refers to the slot.
 */
static __always_inline bool
pfm_unwind_fp(const struct pfm_unwind_cpu *cpu,
	      const struct pfm_unwind_rule *rule,
	      const struct pfm_unwind_frame *frame, __u64 cfa, __u64 *fp)
{
	__u64 slot = rule->fp_offset;

	*fp = rule->fp == PFM_UNWIND_FP_LOST ? 0 : frame->fp;
	if (rule->fp == PFM_UNWIND_FP_CFA)
		slot += cfa;
	else if (rule->fp == PFM_UNWIND_FP_FP)
		slot += frame->fp;
	else
		return true;
	return slot < frame->sp || pfm_unwind_read(cpu, frame, slot, fp);
}

/* Return to the caller by a rule that has a CFA. */
static __always_inline enum pfm_unwind_why
pfm_unwind_return(const struct pfm_unwind_cpu *cpu,
		  const struct pfm_unwind_space *space,
		  const struct pfm_unwind_rule *rule,
		  struct pfm_unwind_frame *frame)
{
	bool linked = rule->ra == PFM_UNWIND_RA_REG &&
		      (frame->regs || frame->knows_lr);
	enum pfm_unwind_why why;
	__u64 cfa, pc, fp;

	why = pfm_unwind_cfa(cpu, space, rule, frame, &cfa);
	if (!why)
		why = pfm_unwind_ra(cpu, rule, frame, cfa, &pc);
	if (why)
		return why;
	/* sp may stay the same only if the return address is in a register. */
	if (cfa < frame->sp + !linked || cfa > frame->end ||
	    !pfm_unwind_fp(cpu, rule, frame, cfa, &fp))
		return PFM_UNWIND_UNREADABLE;
	frame->sp = cfa;
	frame->pc = cpu->strip(pc);
	frame->fp = fp;
	frame->regs = NULL;
	frame->exact = false;
	frame->knows_sp = true;
	frame->knows_lr = false;
	return PFM_UNWIND_MORE;
}

/* Find the mapping of a frame's code. Return: false if not found. */
static __always_inline bool
pfm_unwind_locate(const struct pfm_unwind_space *space,
		  struct pfm_unwind_frame *frame)
{
	frame->text = pfm_unwind_find_text(space, frame->text,
					   frame->pc - !frame->exact);
	return frame->text;
}

/* Find the rule of a frame; NULL if not found. */
static __always_inline const struct pfm_unwind_rule *
pfm_unwind_rule_of(const struct pfm_unwind_frame *frame)
{
	const struct pfm_unwind_text *text = frame->text;
	const struct pfm_unwind_rule *rule;

	if (!text->table)
		return NULL;
	rule = pfm_unwind_find_rule(text->table, frame->pc - !frame->exact -
						 text->shift);
	return rule && rule->kind != PFM_UNWIND_NONE ? rule : NULL;
}

/* Move to the caller by the frame's rule. */
static __always_inline enum pfm_unwind_why
pfm_unwind_follow(const struct pfm_unwind_cpu *cpu,
		  const struct pfm_unwind_space *space,
		  const struct pfm_unwind_rule *rule,
		  struct pfm_unwind_frame *frame)
{
	enum pfm_unwind_why why;

	switch (rule->kind) {
	case PFM_UNWIND_END:
		return PFM_UNWIND_WHOLE;
	case PFM_UNWIND_BAD:
		return PFM_UNWIND_NO_RULE;
	case PFM_UNWIND_SIGNAL:
		why = pfm_unwind_signal(cpu, space, rule, frame);
		break;
	default:
		why = pfm_unwind_return(cpu, space, rule, frame);
	}
	if (why == PFM_UNWIND_MORE && !pfm_unwind_locate(space, frame))
		why = PFM_UNWIND_NO_MAPPING;
	return why;
}

/* Move to the caller: by a rule, else by the frame pointer. */
static __always_inline enum pfm_unwind_why
pfm_unwind_step(const struct pfm_unwind_cpu *cpu,
		const struct pfm_unwind_space *space,
		struct pfm_unwind_frame *frame, __u32 *guessed)
{
	const struct pfm_unwind_rule *rule = pfm_unwind_rule_of(frame);
	bool has_table = frame->text->table;

	if (rule)
		return pfm_unwind_follow(cpu, space, rule, frame);
	if (!pfm_unwind_guess(cpu, frame) && pfm_unwind_locate(space, frame)) {
		++*guessed;
		return PFM_UNWIND_MORE;
	}
	return has_table ? PFM_UNWIND_NO_RULE : PFM_UNWIND_NO_TABLE;
}

/**
 * pfm_unwind_walk() - collect the return addresses of a user stack
 * @cpu:   the machine, a constant
 * @space: the mappings of the process
 * @first: the innermost frame, with @pc, @sp, @fp and @regs set
 * @out:   out: return addresses, innermost first
 * @max:   maximum number of addresses
 *
 * Allocates no memory, takes no lock, and does not divide: division is slow.
 *
 * Context: that of @cpu->read.
 * Return: number of addresses, and the reason for the end of the chain.
 */
static __always_inline struct pfm_unwind_chain
pfm_unwind_walk(const struct pfm_unwind_cpu *cpu,
		const struct pfm_unwind_space *space,
		const struct pfm_unwind_frame *first, __u64 *out,
		unsigned int max)
{
	/* The compiler keeps a local copy in registers. */
	struct pfm_unwind_frame frame = *first;
	struct pfm_unwind_chain chain = { .why = PFM_UNWIND_NO_MAPPING };

	if (max > PFM_UNWIND_MAX_FRAMES)
		max = PFM_UNWIND_MAX_FRAMES;
	frame.text = NULL;
	frame.rbx_regs = frame.regs;
	frame.rbx_at = 0;
	frame.rbx_low = frame.sp;
	frame.exact = true;
	frame.knows_sp = true;
	frame.knows_lr = false;
	frame.end = pfm_unwind_find_end(space, frame.sp);
	if (!pfm_unwind_locate(space, &frame))
		return chain;
	chain.why = frame.end ? PFM_UNWIND_MORE : PFM_UNWIND_UNREADABLE;
	while (!chain.why) {
		chain.why = pfm_unwind_step(cpu, space, &frame, &chain.guessed);
		if (chain.why)
			break;
		if (chain.nr == max)
			chain.why = PFM_UNWIND_FULL;
		else
			out[chain.nr++] = frame.pc;
	}
	return chain;
}

#endif /* PFM_UNWIND_WALK_H */
