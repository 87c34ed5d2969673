// SPDX-License-Identifier: GPL-2.0
/*
 * carta_kunit.c - random numbers for sampling periods
 */
#include <kunit/test.h>
#include "carta.h"

/* Proves 3.4.2-04, P5.3-04 */
static void random_series_is_minimal_standard(struct kunit *test)
{
	u32 state = pfm_carta_seed(1);

	KUNIT_EXPECT_EQ(test, pfm_carta_next(&state), 16807U);
	KUNIT_EXPECT_EQ(test, pfm_carta_next(&state), 282475249U);
	KUNIT_EXPECT_EQ(test, pfm_carta_next(&state), 1622650073U);
}

/* Proves 3.4.2-04, P5.3-04 */
static void random_number_10000_is_published_value(struct kunit *test)
{
	u32 state = pfm_carta_seed(1), x = 0;
	int i;

	for (i = 0; i < 10000; i++)
		x = pfm_carta_next(&state);
	KUNIT_EXPECT_EQ(test, x, 1043618065U);
}

static void degenerate_random_seeds_are_replaced(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_carta_seed(0), 1U);
	KUNIT_EXPECT_EQ(test, pfm_carta_seed(PFM_CARTA_MODULUS), 1U);
	KUNIT_EXPECT_EQ(test, pfm_carta_seed(2 * PFM_CARTA_MODULUS), 1U);
	KUNIT_EXPECT_EQ(test, pfm_carta_seed(PFM_CARTA_MODULUS + 5U), 5U);
	KUNIT_EXPECT_EQ(test, pfm_carta_seed(~0U), 1U);
}

/* Proves 3.4.2-07, P5.3-03 */
static void narrow_random_mask_draws_once(struct kunit *test)
{
	u32 state = 1;

	KUNIT_EXPECT_EQ(test, pfm_carta_draw(&state, 0xff), 16807ULL & 0xff);
	KUNIT_EXPECT_EQ(test, state, 16807U);
}

/* Proves 3.4.2-07 */
static void wide_random_mask_draws_more_than_once(struct kunit *test)
{
	u32 state = 1;
	u64 bits = 16807ULL | 282475249ULL << 31 | 1622650073ULL << 62;

	KUNIT_EXPECT_EQ(test, pfm_carta_draw(&state, ~0ULL), bits);
	KUNIT_EXPECT_EQ(test, state, 1622650073U);
}

static struct kunit_case carta_cases[] = {
	KUNIT_CASE(random_series_is_minimal_standard),
	KUNIT_CASE(random_number_10000_is_published_value),
	KUNIT_CASE(degenerate_random_seeds_are_replaced),
	KUNIT_CASE(narrow_random_mask_draws_once),
	KUNIT_CASE(wide_random_mask_draws_more_than_once),
	{}
};

static struct kunit_suite carta_suite = {
	.name = "pfm_carta",
	.test_cases = carta_cases,
};
kunit_test_suite(carta_suite);
