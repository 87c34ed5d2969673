/* SPDX-License-Identifier: GPL-2.0 */
/*
 * carta.h - the pseudo-random series of sampling periods (3.4.2)
 *
 * The "minimal standard" generator x' = 16807 x mod (2^31 - 1), by Carta's
 * method, which adds the product's upper bits to the lower 31 instead of
 * dividing.
 */
#ifndef PFM_CORE_CARTA_H
#define PFM_CORE_CARTA_H

#include <linux/types.h>

#define PFM_CARTA_MODULUS	0x7fffffffU	/* 2^31 - 1 */
#define PFM_CARTA_BITS		31

/* Turn a seed into a valid state, 1 ... 2^31 - 2. */
static inline u32 pfm_carta_seed(u32 seed)
{
	seed = (seed & PFM_CARTA_MODULUS) + (seed >> PFM_CARTA_BITS);
	if (seed >= PFM_CARTA_MODULUS)
		seed -= PFM_CARTA_MODULUS;
	return seed ? seed : 1;
}

/* Get the next 31-bit number of the series. */
static inline u32 pfm_carta_next(u32 *state)
{
	u64 product = 16807ULL * *state;
	u32 x = (u32)(product & PFM_CARTA_MODULUS) +
		(u32)(product >> PFM_CARTA_BITS);

	if (x >= PFM_CARTA_MODULUS)
		x -= PFM_CARTA_MODULUS;
	*state = x;
	return x;
}

/* Draw a random number within @mask; more than 31 bits take several draws. */
static inline u64 pfm_carta_draw(u32 *state, u64 mask)
{
	u64 bits = pfm_carta_next(state);
	int shift;

	for (shift = PFM_CARTA_BITS; shift < 64 && mask >> shift;
	     shift += PFM_CARTA_BITS)
		bits |= (u64)pfm_carta_next(state) << shift;
	return bits & mask;
}

#endif /* PFM_CORE_CARTA_H */
