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

/* A context of the callers format. The first context loads the module. */
struct chains {
	int				fd;
	const struct callers_hdr	*hdr;
};

struct chains chains_new(__u32 ctx_flags);
/* Return sample n, which must be one of the last CALLERS_SAMPLES. */
const struct callers_smpl *chain_at(const struct chains *c, __u64 n);
/* Return the only sample. */
const struct callers_smpl *only_chain(const struct chains *c);

/*
 * Check what holds for any sample. User and kernel addresses are in their
 * halves of the address space, each chain begins at the sampled address, and
 * there is a kernel chain only if the kernel was interrupted.
 */
void expect_sane(const struct callers_smpl *s);

/* Read the frame address, so that the calling function has a frame. */
static inline __attribute__((always_inline)) void have_frame(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

static inline void no_tail_call(void)
{
	__asm__ volatile("" : : : "memory");
}

/*
 * Call @bottom(@arg) below a known chain of callers. @bottom must use
 * NOTE_CALLER() first. known_callers receives the return addresses, innermost
 * first.
 */
#define KNOWN_CALLERS	4
extern uintptr_t known_callers[KNOWN_CALLERS];
#define NOTE_CALLER() \
	(known_callers[0] = (uintptr_t)__builtin_return_address(0))
void call_known(void (*bottom)(void *arg), void *arg);
/* Tell whether the known callers follow the first entry of the user chain. */
bool has_known_callers(const struct callers_smpl *s);

/* An invalid frame pointer, and the number of callers that a walk finds. */
struct hostile {
	const char	*name;
	uintptr_t	fp;
	unsigned int	callers;
};

#define MAX_HOSTILE	16
/* Fill @h. Return: the number of entries. */
unsigned int hostile_frames(struct hostile *h);
/* With @fp as frame pointer, write to @at or spin until *done. */
void touch_with_frame(volatile char *at, uintptr_t fp);
void spin_with_frame(const bool *done, uintptr_t fp);
/* Both functions are in a section; the linker defines these at its bounds. */
extern const char __start_hostile_text[], __stop_hostile_text[];

/* Map a page without touching it. */
char *fresh_page(void);

/* Tell whether the kernel chain contains a function of this name. */
bool kernel_called(const struct callers_smpl *s, const char *name);

#endif /* GUEST_CHAINS_H */
