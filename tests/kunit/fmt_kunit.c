// SPDX-License-Identifier: GPL-2.0
/*
 * fmt_kunit.c - register and unregister formats (3.5.8, 3.5.9)
 */
#include "fixture.h"

static void refuses(struct kunit *test, pfm_buffer_fmt_t fmt, int err)
{
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), err);
}

/* Proves 3.5.8-02, 3.5.14-05 */
static void missing_required_field_is_einval(struct kunit *test)
{
	pfm_buffer_fmt_t fmt = script_fmt;

	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(NULL), -EINVAL);
	fmt.fmt_name = NULL;
	refuses(test, fmt, -EINVAL);
	fmt.fmt_name = "";
	refuses(test, fmt, -EINVAL);
	fmt = script_fmt;
	fmt.fmt_handler = NULL;
	refuses(test, fmt, -EINVAL);
	fmt = script_fmt;
	memset(fmt.fmt_uuid, 0, sizeof(fmt.fmt_uuid));
	refuses(test, fmt, -EINVAL);
}

/* Proves 3.5.3-04, 3.5.7-05, H12 */
static void field_out_of_range_is_einval(struct kunit *test)
{
	pfm_buffer_fmt_t fmt = script_fmt;
	int bit;

	for (bit = 0; bit < 32; bit++) {
		fmt.fmt_flags = 1U << bit;
		if (fmt.fmt_flags & ~PFM_FMTFL_ALL)
			refuses(test, fmt, -EINVAL);
	}
	fmt = script_fmt;
	fmt.fmt_arg_size = PFM_FMT_MAX_ARG_SIZE + 1;
	refuses(test, fmt, -EINVAL);
	fmt = script_fmt;
	fmt.fmt_msgq_depth = SIZE_MAX;
	refuses(test, fmt, -EINVAL);
}

static void format_of_another_interface_is_einval(struct kunit *test)
{
	static const struct {
		unsigned int	interface;
		int		ret;
	} cases[] = {
		{ PFM_FMT_INTERFACE + 1, -EINVAL },
		{ PFM_FMT_INTERFACE - 1, -EINVAL },
		{ PFM_FMT_INTERFACE, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ(test, __pfm_register_buffer_fmt(&script_fmt,
						THIS_MODULE,
						cases[i].interface),
				cases[i].ret);
	pfm_unregister_buffer_fmt(script_fmt.fmt_uuid);
}

/* Proves 3.5.8-03 */
static void same_uuid_twice_is_ebusy(struct kunit *test)
{
	pfm_buffer_fmt_t other = script_fmt;

	other.fmt_name = "other";
	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&script_fmt), 0);
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&other), -EBUSY);
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(other.fmt_uuid), 0);
}

/* Proves 3.5.9-02 */
static void unregistering_an_unknown_format_is_einval(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(script_fmt.fmt_uuid),
			-EINVAL);
}

/* Proves H11 */
static void a_format_in_use_stays_registered(struct kunit *test)
{
	fixture_create(test, 0, true);
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(script_fmt.fmt_uuid),
			-EBUSY);
}

static struct kunit_case fmt_cases[] = {
	KUNIT_CASE(missing_required_field_is_einval),
	KUNIT_CASE(field_out_of_range_is_einval),
	KUNIT_CASE(format_of_another_interface_is_einval),
	KUNIT_CASE(same_uuid_twice_is_ebusy),
	KUNIT_CASE(unregistering_an_unknown_format_is_einval),
	KUNIT_CASE(a_format_in_use_stays_registered),
	{}
};

static struct kunit_suite fmt_suite = {
	.name = "pfm_fmt",
	.exit = fixture_exit,
	.test_cases = fmt_cases,
};
kunit_test_suite(fmt_suite);
