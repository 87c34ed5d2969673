// SPDX-License-Identifier: GPL-2.0
/*
 * arg_kunit.c - change the argument of a context's format
 */
#include "arg.h"
#include "fixture.h"

struct changing_arg {
	u64	size;
	u32	min;
	u32	max;
};

/*
 * The last argument that fmt_set_arg received, the number of calls of
 * fmt_set_arg, and the owner of the context during the last call.
 */
static struct changing_arg told;
static int times;
static u32 owner;
static struct pfm_context *changing;

/* Refuse an argument whose @min is above @max. */
static int changing_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	const struct changing_arg *a = arg;

	return a->min > a->max ? -ERANGE : 0;
}

static void changing_set_arg(void *buf, const void *arg)
{
	told = *(const struct changing_arg *)arg;
	times++;
	owner = changing->busy;
}

static const pfm_buffer_fmt_t changing_fmt = {
	.fmt_name	= "changing",
	.fmt_uuid	= { 0x77 },
	.fmt_handler	= script_handler,
	.fmt_validate	= changing_validate,
	.fmt_set_arg	= changing_set_arg,
	PFM_FMT_ARG(struct changing_arg, {
		PFM_ARG(struct changing_arg, size, 0, "bytes"),
		PFM_ARG_LIVE(struct changing_arg, min, 0, "counts"),
		PFM_ARG_LIVE(struct changing_arg, max, 0, "counts") }),
};

/* Create a context with size 64, min 1 and max 9 as the format's argument. */
static int changing_init(struct kunit *test)
{
	struct changing_arg arg = { 64, 1, 9 };

	times = 0;
	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&changing_fmt), 0);
	changing = fixture_create_with(test, changing_fmt.fmt_uuid, &arg,
				       sizeof(arg))->ctx;
	return 0;
}

static void changing_exit(struct kunit *test)
{
	fixture_exit(test);
	pfm_unregister_buffer_fmt(changing_fmt.fmt_uuid);
}

static int set(struct changing_arg arg)
{
	return pfm_arg_set(changing, &arg);
}

static void live_fields_change_together(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, set((struct changing_arg){ 64, 20, 30 }), 0);
	KUNIT_EXPECT_EQ(test, times, 1);
	KUNIT_EXPECT_EQ(test, told.size, 64ULL);
	KUNIT_EXPECT_EQ(test, told.min, 20U);
	KUNIT_EXPECT_EQ(test, told.max, 30U);
	KUNIT_EXPECT_EQ(test, owner, PFM_BUSY_COMMAND);
	KUNIT_EXPECT_EQ(test, changing->busy, 0U);
}

static void other_field_is_eopnotsupp_and_changes_nothing(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, set((struct changing_arg){ 65, 2, 9 }),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, times, 0);
	/* A size that was refused must not replace the old size. */
	KUNIT_EXPECT_EQ(test, set((struct changing_arg){ 65, 1, 9 }),
			-EOPNOTSUPP);
	KUNIT_EXPECT_EQ(test, set((struct changing_arg){ 64, 2, 9 }), 0);
	KUNIT_EXPECT_EQ(test, told.min, 2U);
}

static void value_that_format_rejects_changes_nothing(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, set((struct changing_arg){ 64, 10, 9 }), -ERANGE);
	KUNIT_EXPECT_EQ(test, times, 0);
}

static void argument_of_other_size_is_refused(struct kunit *test)
{
	const size_t size = sizeof(struct changing_arg);

	KUNIT_EXPECT_EQ(test, pfm_arg_may_set(changing, size), 0);
	KUNIT_EXPECT_EQ(test, pfm_arg_may_set(changing, size + 1), -E2BIG);
	KUNIT_EXPECT_EQ(test, pfm_arg_may_set(changing, size - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, pfm_arg_may_set(changing, 0), -EINVAL);
}

static void argument_that_may_change_is_charged(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, changing->charge.bytes,
			sizeof(struct changing_arg));
}

static struct kunit_case changing_cases[] = {
	KUNIT_CASE(live_fields_change_together),
	KUNIT_CASE(other_field_is_eopnotsupp_and_changes_nothing),
	KUNIT_CASE(value_that_format_rejects_changes_nothing),
	KUNIT_CASE(argument_of_other_size_is_refused),
	KUNIT_CASE(argument_that_may_change_is_charged),
	{}
};

static struct kunit_suite changing_suite = {
	.name = "pfm_arg",
	.init = changing_init,
	.exit = changing_exit,
	.test_cases = changing_cases,
};

static void argument_that_cannot_change_is_not_kept(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_arg_may_set(ctx_of(test), 0), -EOPNOTSUPP);
	KUNIT_EXPECT_NULL(test, ctx_of(test)->fmt_arg);
}

static struct kunit_case fixed_cases[] = {
	KUNIT_CASE(argument_that_cannot_change_is_not_kept),
	{}
};

static struct kunit_suite fixed_suite = {
	.name = "pfm_arg_fixed",
	.init = fixture_init_scripted,
	.exit = fixture_exit,
	.test_cases = fixed_cases,
};

static void context_without_format_is_einval(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pfm_arg_may_set(ctx_of(test), 0), -EINVAL);
}

static struct kunit_case none_cases[] = {
	KUNIT_CASE(context_without_format_is_einval),
	{}
};

static struct kunit_suite none_suite = {
	.name = "pfm_arg_none",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = none_cases,
};
kunit_test_suites(&changing_suite, &fixed_suite, &none_suite);
