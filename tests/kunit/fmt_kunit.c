// SPDX-License-Identifier: GPL-2.0
/*
 * fmt_kunit.c - registering and unregistering formats (3.5.8, 3.5.9)
 */
#include "fixture.h"
#include "fmt_arg.h"

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

	fmt.fmt_flags = ~PFM_FMTFL_ALL;
	refuses(test, fmt, -EINVAL);
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

/* What is wrong with a layout whose second field is this one? */
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

static void layout_is_of_a_scalar_where_it_is(struct kunit *test)
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

#define LETTERS31	"abcdefghijklmnopqrstuvwxyz01234"

static void layout_that_no_tool_could_use_is_einval(struct kunit *test)
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

/* Every line is as long as it can be, so that the page is as full. */
static void layout_has_as_many_fields_as_a_page_has_lines(struct kunit *test)
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
			names + 32 * i, LETTERS31, 60000 + 8 * i, 8, U64_MAX
		};
	}
	fmt.fmt_arg_size = PFM_FMT_MAX_ARG_SIZE;
	fmt.fmt_arg_layout = fields;
	refuses(test, fmt, -EINVAL);
	fields[PFM_ARG_MAX_FIELDS].name = NULL;
	KUNIT_EXPECT_EQ(test, pfm_register_buffer_fmt(&fmt), 0);
	pfm_unregister_buffer_fmt(fmt.fmt_uuid);
	/* Name, offset, size, default and unit, and what is between. */
	KUNIT_EXPECT_EQ(test, pfm_arg_layout_show(&fmt, page),
			PFM_ARG_MAX_FIELDS * (31 + 5 + 1 + 20 + 31 + 5));
	free_page((unsigned long)page);
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
	KUNIT_CASE(layout_is_of_a_scalar_where_it_is),
	KUNIT_CASE(layout_that_no_tool_could_use_is_einval),
	KUNIT_CASE(layout_has_as_many_fields_as_a_page_has_lines),
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
