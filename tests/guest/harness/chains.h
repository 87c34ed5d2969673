/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * chains.h - contexts that record call chains, and chains that are known
 *
 * A failure in here fails the test.
 */
#ifndef GUEST_CHAINS_H
#define GUEST_CHAINS_H

#include <stdbool.h>
#include <stdint.h>

#include "../fmt_callers/callers_smpl.h"

/* A context of the format that records them; the first one loads the module. */
struct chains {
	int				fd;
	const struct callers_hdr	*hdr;
};

struct chains chains_new(__u32 ctx_flags);
/* Sample n, one of the last CALLERS_SAMPLES. */
const struct callers_smpl *chain_at(const struct chains *c, __u64 n);
/* The only one. */
const struct callers_smpl *only_chain(const struct chains *c);

/*
 * What holds of any sample: which half of all addresses what is in, where each
 * chain begins, and that a chain of the kernel is one that was interrupted.
 */
void expect_sane(const struct callers_smpl *s);

/* A function that asks for its frame has one. */
static inline __attribute__((always_inline)) void have_frame(void)
{
	__asm__ volatile("" : : "r"(__builtin_frame_address(0)));
}

static inline void no_tail_call(void)
{
	__asm__ volatile("" : : : "memory");
}

/*
 * Run a function, which says NOTE_CALLER() first, below others. Where each of
 * them returns to is in known_callers, innermost first.
 */
#define KNOWN_CALLERS	4
extern uintptr_t known_callers[KNOWN_CALLERS];
#define NOTE_CALLER() \
	(known_callers[0] = (uintptr_t)__builtin_return_address(0))
void call_known(void (*bottom)(void *arg), void *arg);
/* Is that how the chain goes on behind its first entry? */
bool has_known_callers(const struct callers_smpl *s);

/* A frame pointer that leads nowhere, and how many callers it has. */
struct hostile {
	const char	*name;
	uintptr_t	fp;
	unsigned int	callers;
};

#define MAX_HOSTILE	16
/* Make them. Return: how many. */
unsigned int hostile_frames(struct hostile *h);
/* Write to @at, or wait until *done, with this frame pointer. */
void touch_with_frame(volatile char *at, uintptr_t fp);
void spin_with_frame(const bool *done, uintptr_t fp);
/* Set by the linker around the section of both. */
extern const char __start_hostile_text[], __stop_hostile_text[];

/* A page that has not been touched yet. */
char *fresh_page(void);

/* Is there a function of this name in the kernel's chain? */
bool kernel_called(const struct callers_smpl *s, const char *name);

#endif /* GUEST_CHAINS_H */
