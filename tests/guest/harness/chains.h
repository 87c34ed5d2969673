/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * chains.h - contexts that record call chains, and code with known call chains
 *
 * These functions fail the test on any error.
 */
#ifndef GUEST_CHAINS_H
#define GUEST_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

#include "../fmt_callers/callers_smpl.h"

/* A context that uses the test format "callers". */
struct chains {
	int				fd;
	const struct callers_hdr	*hdr;
};

struct chains chains_new(__u32 ctx_flags);
/* Return sample @n, which must be one of the last CALLERS_SAMPLES samples. */
const struct callers_smpl *chain_at(const struct chains *c, __u64 n);
/* Return the sample of a buffer that must contain exactly one. */
const struct callers_smpl *only_chain(const struct chains *c);

/*
 * Check the properties that every sample has. The first user address is in the
 * lower half of the address space, and kernel addresses are in the upper half.
 * A sample has a kernel chain only if the sampled address is in the kernel. The
 * kernel chain, or else the user chain, begins at the sampled address.
 */
void expect_sane(const struct callers_smpl *s);

/*
 * Make the compiler give the caller a stack frame, by reading the frame
 * address.
 */
static inline __attribute__((always_inline)) void have_frame(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

static inline void no_tail_call(void)
{
	__asm__ volatile("" : : : "memory");
}

/*
 * Call @bottom(@arg) through a known chain of callers. @bottom must begin with
 * have_frame() and NOTE_CALLER(). The return addresses are stored in
 * known_callers, innermost first.
 */
#define KNOWN_CALLERS	4
extern uintptr_t known_callers[KNOWN_CALLERS];
#define NOTE_CALLER() \
	(known_callers[0] = (uintptr_t)__builtin_return_address(0))
void call_known(void (*bottom)(void *arg), void *arg);
/* Return whether the known callers follow the first entry of the user chain. */
bool has_known_callers(const struct callers_smpl *s);

/*
 * An invalid frame pointer, and the number of callers found by a stack walk
 * that starts there.
 */
struct hostile {
	const char	*name;
	uintptr_t	fp;
	unsigned int	callers;
};

#define MAX_HOSTILE	16
/* Fill the array @h with all cases. Return: the number of cases. */
unsigned int hostile_frames(struct hostile *h);
/* Write to @at while the frame pointer is @fp. */
void touch_with_frame(volatile char *at, uintptr_t fp);
/* Spin until *done is true. Meanwhile, the frame pointer is @fp. */
void spin_with_frame(const bool *done, uintptr_t fp);
/*
 * The linker defines these symbols at the bounds of the section that contains
 * touch_with_frame() and spin_with_frame().
 */
extern const char __start_hostile_text[], __stop_hostile_text[];

/* Map a page without touching it. */
char *fresh_page(void);

/* Return whether the kernel chain contains a function of this name. */
bool kernel_called(const struct callers_smpl *s, const char *name);

#endif /* GUEST_CHAINS_H */
