// SPDX-License-Identifier: GPL-2.0
/*
 * fmt_arg_kunit.c - published layouts of format arguments
 */
#include "fixture.h"
#include "fmt_arg.h"

struct odd_arg {
	u64	buf_size;
	u8	depth;
	u8	reserved[7];
};

static struct pfm_arg_field odd_layout[] = {
	PFM_ARG(struct odd_arg, buf_size, 65536, "bytes"),
	PFM_ARG(struct odd_arg, depth, 255, "frames"),
	{}
};

/*
 * Return the result of registering a format whose second argument field is
 * @field.
 */
static int register_with(struct pfm_arg_field field)
{
	pfm_buffer_fmt_t fmt = script_fmt;
	int ret;

	fmt.fmt_arg_size = sizeof(struct odd_arg);
	fmt.fmt_arg_layout = odd_layout;
	odd_layout[1] = field;
	ret = pfm_register_buffer_fmt(&fmt);
	if (!ret)
		pfm_unregister_buffer_fmt(fmt.fmt_uuid);
	return ret;
}

static void argument_field_describes_scalar_member(struct kunit *test)
{
	struct pfm_arg_field depth =
		PFM_ARG(struct odd_arg, depth, 255, "frames");

	KUNIT_EXPECT_STREQ(test, depth.name, "depth");
	KUNIT_EXPECT_STREQ(test, depth.unit, "frames");
	KUNIT_EXPECT_EQ(test, depth.offset, 8U);
	KUNIT_EXPECT_EQ(test, depth.size, 1U);
	KUNIT_EXPECT_EQ(test, depth.dfl, 255ULL);
	KUNIT_EXPECT_EQ(test, register_with(depth), 0);
}

struct outer_arg {
	struct odd_arg	odd;
	u64		min;
};

static void nested_argument_fields_have_last_name(struct kunit *test)
{
	struct pfm_arg_field fields[] = {
		PFM_ARG(struct outer_arg, odd.buf_size, 65536, "bytes"),
		PFM_ARG(struct outer_arg, odd.depth, 255, "frames"),
		PFM_ARG(struct outer_arg, min, 7, "events"),
		{}
	};
	pfm_buffer_fmt_t fmt = script_fmt;
	char *page = (char *)get_zeroed_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	fmt.fmt_arg_size = sizeof(struct outer_arg);
	fmt.fmt_arg_layout = fields;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), 0);
	pfm_unregister_buffer_fmt(fmt.fmt_uuid);
	pfm_arg_layout_show(&fmt, page);
	KUNIT_EXPECT_STREQ(test, page, "buf_size 0 8 65536 bytes\n"
			   "depth 8 1 255 frames\n"
			   "min 16 8 7 events\n");
	free_page((unsigned long)page);
}

#define LETTERS31	"abcdefghijklmnopqrstuvwxyz01234"

static void invalid_argument_layout_is_einval(struct kunit *test)
{
	static const struct {
		struct pfm_arg_field field;
		int ret;
	} cases[] = {
		{ { "depth", "frames", 15, 1, 255 }, 0 },
		{ { "depth", "frames", 16, 1, 255 }, -EINVAL },
		{ { "depth", "frames", -1, 1, 255 }, -EINVAL },
		{ { "depth", "frames", 12, 8, 255 }, -EINVAL },
		{ { "depth", "frames", 8, 0, 0 }, -EINVAL },
		{ { "depth", "frames", 8, 3, 255 }, -EINVAL },
		{ { "depth", "frames", 7, 1, 255 }, -EINVAL },
		{ { "depth", "frames", 0, 8, 255 }, -EINVAL },
		{ { "depth", "frames", 8, 1, 256 }, -EINVAL },
		{ { "depth", "frames", 8, 4, U32_MAX }, 0 },
		{ { "depth", "frames", 8, 4, 1ULL << 32 }, -EINVAL },
		{ { "depth", "frames", 8, 8, U64_MAX }, 0 },
		{ { "buf_size", "frames", 8, 1, 255 }, -EINVAL },
		{ { "inner.buf_size", "frames", 8, 1, 255 }, -EINVAL },
		{ { "inner.", "frames", 8, 1, 255 }, -EINVAL },
		{ { "", "frames", 8, 1, 255 }, -EINVAL },
		{ { "a depth", "frames", 8, 1, 255 }, -EINVAL },
		{ { "depth=", "frames", 8, 1, 255 }, -EINVAL },
		{ { "depth\n", "frames", 8, 1, 255 }, -EINVAL },
		{ { LETTERS31, LETTERS31, 8, 1, 255 }, 0 },
		{ { LETTERS31 "_", "frames", 8, 1, 255 }, -EINVAL },
		{ { "depth", NULL, 8, 1, 255 }, -EINVAL },
		{ { "depth", "", 8, 1, 255 }, -EINVAL },
		{ { "depth", "of frames", 8, 1, 255 }, -EINVAL },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, register_with(cases[i].field),
				    cases[i].ret, "case %d", i);
}

static void no_set_arg(void *buf, const void *arg)
{
}

static void live_field_needs_set_arg(struct kunit *test)
{
	struct pfm_arg_field fields[] = {
		PFM_ARG(struct odd_arg, buf_size, 65536, "bytes"),
		PFM_ARG_LIVE(struct odd_arg, depth, 255, "frames"),
		{}
	};
	pfm_buffer_fmt_t fmt = script_fmt;
	char *page = (char *)get_zeroed_page(GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, page);
	fmt.fmt_arg_size = sizeof(struct odd_arg);
	fmt.fmt_arg_layout = fields;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), -EINVAL);
	fmt.fmt_set_arg = no_set_arg;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), 0);
	pfm_unregister_buffer_fmt(fmt.fmt_uuid);
	pfm_arg_layout_show(&fmt, page);
	KUNIT_EXPECT_STREQ(test, page, "buf_size 0 8 65536 bytes\n"
			   "depth 8 1 255 frames live\n");
	free_page((unsigned long)page);
}

static void argument_changes_only_in_live_fields(struct kunit *test)
{
	struct pfm_arg_field fields[] = {
		PFM_ARG(struct odd_arg, buf_size, 65536, "bytes"),
		PFM_ARG_LIVE(struct odd_arg, depth, 255, "frames"),
		{}
	};
	pfm_buffer_fmt_t fmt = { .fmt_arg_size = sizeof(struct odd_arg),
				 .fmt_arg_layout = fields };
	u8 old[sizeof(struct odd_arg)] = {}, new[sizeof(struct odd_arg)];
	size_t i;

	for (i = 0; i < sizeof(old); i++) {
		memcpy(new, old, sizeof(new));
		KUNIT_EXPECT_TRUE(test, pfm_arg_may_become(&fmt, old, new));
		new[i] = 1;
		KUNIT_EXPECT_EQ_MSG(test, pfm_arg_may_become(&fmt, old, new),
				    i == offsetof(struct odd_arg, depth),
				    "byte %zu", i);
	}
	fmt.fmt_arg_layout = NULL;
	KUNIT_EXPECT_FALSE(test, pfm_arg_may_become(&fmt, old, new));
}

/*
 * PFM_ARG_MAX_FIELDS fields whose lines have the maximum length fit in one
 * page. One field more is refused.
 */
static void argument_layout_fits_one_page(struct kunit *test)
{
	struct pfm_arg_field *fields;
	pfm_buffer_fmt_t fmt = script_fmt;
	char *names, *page;
	int i;

	fields = kunit_kcalloc(test, PFM_ARG_MAX_FIELDS + 2, sizeof(*fields),
			       GFP_KERNEL);
	names = kunit_kzalloc(test, 32 * (PFM_ARG_MAX_FIELDS + 1), GFP_KERNEL);
	page = (char *)get_zeroed_page(GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, fields && names && page);
	for (i = 0; i <= PFM_ARG_MAX_FIELDS; i++) {
		scnprintf(names + 32 * i, 32, "%02d" LETTERS31, i);
		fields[i] = (struct pfm_arg_field){
			names + 32 * i, LETTERS31, 60000 + 8 * i, 8, U64_MAX,
			true
		};
	}
	fmt.fmt_set_arg = no_set_arg;
	fmt.fmt_arg_size = PFM_FMT_MAX_ARG_SIZE;
	fmt.fmt_arg_layout = fields;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), -EINVAL);
	fields[PFM_ARG_MAX_FIELDS].name = NULL;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), 0);
	pfm_unregister_buffer_fmt(fmt.fmt_uuid);
	/*
	 * A line consists of name, offset, size, default, unit, "live" and
	 * separators.
	 */
	KUNIT_EXPECT_EQ(test, pfm_arg_layout_show(&fmt, page),
			PFM_ARG_MAX_FIELDS * (31 + 5 + 1 + 20 + 31 + 4 + 6));
	free_page((unsigned long)page);
}

static struct kunit_case fmt_arg_cases[] = {
	KUNIT_CASE(argument_field_describes_scalar_member),
	KUNIT_CASE(nested_argument_fields_have_last_name),
	KUNIT_CASE(invalid_argument_layout_is_einval),
	KUNIT_CASE(live_field_needs_set_arg),
	KUNIT_CASE(argument_changes_only_in_live_fields),
	KUNIT_CASE(argument_layout_fits_one_page),
	{}
};

static struct kunit_suite fmt_arg_suite = {
	.name = "pfm_fmt_arg",
	.exit = fixture_exit,
	.test_cases = fmt_arg_cases,
};
kunit_test_suite(fmt_arg_suite);
