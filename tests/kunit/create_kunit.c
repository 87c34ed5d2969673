// SPDX-License-Identifier: GPL-2.0
/*
 * create_kunit.c - create contexts, and call the call-backs of formats (3.1.1,
 *		    3.5.10 - 3.5.13)
 */
#include <linux/kasan.h>
#include <linux/mm.h>
#include <linux/sched/user.h>
#include <linux/vmalloc.h>
#include "config.h"
#include "context.h"
#include "create.h"
#include "fixture.h"

#define MARK	0x7e57

/* The arguments that one call-back received. */
struct given {
	u32	ctx_flags;
	u64	arg;
	void	*buf;
};

/*
 * The arguments that the call-backs received, and the results that they return.
 * @order has one letter per call.
 */
struct calls {
	struct pfm_context *ctx;
	char		order[8];
	struct given	validate;
	struct given	getsize;
	struct given	getpriv;
	struct given	init;
	u16		num_pmds;
	void		*handler_buf;
	void		*restart_buf;
	void		*exit_buf;
	u8		exit_saw;
	u64		pmd_values[3];
	int		pmd_rets[3];
	size_t		size;
	size_t		area_size;
	int		validate_ret;
	int		getsize_ret;
	int		getpriv_ret;
	int		init_ret;
	int		exit_ret;
};

static struct calls *calls;

static struct given note(char name, u32 ctx_flags, const u64 *arg, void *buf)
{
	size_t n = strlen(calls->order);

	if (n < sizeof(calls->order) - 1)
		calls->order[n] = name;
	return (struct given){ ctx_flags, arg ? *arg : 0, buf };
}

static int note_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	calls->validate = note('v', ctx_flags, arg, NULL);
	calls->num_pmds = num_pmds;
	return calls->validate_ret;
}

static int note_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	calls->getsize = note('g', ctx_flags, arg, NULL);
	*size = calls->size;
	return calls->getsize_ret;
}

static int note_getpriv(u32 ctx_flags, void *arg, size_t *size)
{
	calls->getpriv = note('p', ctx_flags, arg, NULL);
	*size = calls->area_size;
	return calls->getpriv_ret;
}

static int note_init(u32 ctx_flags, void *arg, void *buf)
{
	calls->init = note('i', ctx_flags, arg, buf);
	return calls->init_ret;
}

/* A PMD that counts, a PMD that does not count, and one that does not exist. */
static const u16 asked_pmds[] = { 1, PFM_SIM_PMD_PLAIN, 100 };

static int note_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			struct pfm_ovfl_data *data)
{
	int i;

	calls->handler_buf = note('h', 0, NULL, buf).buf;
	for (i = 0; i < ARRAY_SIZE(asked_pmds); i++)
		calls->pmd_rets[i] = pfm_ovfl_read_pmd(data, asked_pmds[i],
						       &calls->pmd_values[i]);
	if (buf)
		*(u8 *)buf = 77;
	return 0;
}

static int note_restart(void *buf, int is_active, pfm_ovfl_ctrl_t *ctrl)
{
	calls->restart_buf = note('r', 0, NULL, buf).buf;
	return 0;
}

static int note_exit(void *buf)
{
	calls->exit_buf = note('x', 0, NULL, buf).buf;
	if (buf)
		calls->exit_saw = *(u8 *)buf;
	return calls->exit_ret;
}

static const pfm_buffer_fmt_t all_fmt = {
	.fmt_name	= "calls",
	.fmt_uuid	= SCRIPT_UUID,
	.fmt_arg_size	= sizeof(u64),
	.fmt_validate	= note_validate,
	.fmt_getsize	= note_getsize,
	.fmt_init	= note_init,
	.fmt_handler	= note_handler,
	.fmt_restart	= note_restart,
	.fmt_exit	= note_exit,
};

/* A copy of the format, which the running test may change. */
static pfm_buffer_fmt_t fmt;

static int callbacks_init(struct kunit *test)
{
	calls = kunit_kzalloc(test, sizeof(*calls), GFP_KERNEL);
	if (!calls)
		return -ENOMEM;
	calls->size = 3 * PAGE_SIZE - 5;
	fmt = all_fmt;
	return 0;
}

/* Release the context that a failed test left behind. */
static void callbacks_exit(struct kunit *test)
{
	if (!IS_ERR_OR_NULL(calls->ctx))
		pfm_context_destroy(calls->ctx);
	pfm_unregister_buffer_fmt(fmt.fmt_uuid);
}

static struct pfm_context *create(struct kunit *test, u32 ctx_flags)
{
	static const pfm_uuid_t uuid = SCRIPT_UUID;
	pfarg_ctx_t req = { .ctx_flags = ctx_flags };
	u64 arg = MARK;

	memcpy(req.ctx_smpl_buf_id, uuid, sizeof(uuid));
	KUNIT_ASSERT_EQ(test, pfm_register_buffer_fmt(&fmt), 0);
	calls->ctx = fixture_context(&req, &arg, fmt.fmt_arg_size);
	return calls->ctx;
}

static void destroy(struct kunit *test, struct pfm_context *ctx)
{
	pfm_context_destroy(ctx);
	calls->ctx = NULL;
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(fmt.fmt_uuid), 0);
}

/*
 * Proves 3.5.7-07, 3.5.10-01, 3.5.10-02, 3.5.10-03, 3.5.10-04, 3.5.11-01,
 * 3.5.12-01
 */
static void create_calls_validate_getsize_init(struct kunit *test)
{
	struct pfm_context *ctx = create(test, PFM_FL_OVFL_NO_MSG);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_EXPECT_STREQ(test, calls->order, "vgi");
	KUNIT_EXPECT_EQ(test, calls->num_pmds, ctx->pmu->num_pmds);
	KUNIT_EXPECT_EQ(test, calls->validate.ctx_flags, PFM_FL_OVFL_NO_MSG);
	KUNIT_EXPECT_EQ(test, calls->getsize.ctx_flags, PFM_FL_OVFL_NO_MSG);
	KUNIT_EXPECT_EQ(test, calls->init.ctx_flags, PFM_FL_OVFL_NO_MSG);
	KUNIT_EXPECT_EQ(test, calls->validate.arg, MARK);
	KUNIT_EXPECT_EQ(test, calls->getsize.arg, MARK);
	KUNIT_EXPECT_EQ(test, calls->init.arg, MARK);
	KUNIT_EXPECT_EQ(test, ctx->buf_size, 3 * PAGE_SIZE);
	KUNIT_EXPECT_PTR_EQ(test, calls->init.buf, ctx->buf);
	destroy(test, ctx);
}

/* Proves 3.5.10-01, 3.5.10-06 */
static void validate_error_fails_creation(struct kunit *test)
{
	calls->validate_ret = -EACCES;
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(test, 0)), -EACCES);
	KUNIT_EXPECT_STREQ(test, calls->order, "v");
}

/* Proves 3.5.11-05 */
static void getsize_error_fails_creation(struct kunit *test)
{
	calls->getsize_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(test, 0)), -EDOM);
	KUNIT_EXPECT_STREQ(test, calls->order, "vg");
}

/* Proves 3.5.12-04 */
static void init_error_fails_creation(struct kunit *test)
{
	calls->init_ret = -EIO;
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(test, 0)), -EIO);
	/* Without a successful fmt_init, fmt_exit must not be called. */
	KUNIT_EXPECT_STREQ(test, calls->order, "vgi");
}

/* Results below -MAX_ERRNO would not be recognized as error pointers. */
static void non_errno_callback_result_is_einval(struct kunit *test)
{
	static const int rets[] = { 1, INT_MAX, -MAX_ERRNO - 1, INT_MIN };
	int *const answers[] = { &calls->validate_ret, &calls->getsize_ret,
				 &calls->getpriv_ret, &calls->init_ret };
	int i, n;

	fmt.fmt_getpriv = note_getpriv;
	for (i = 0; i < ARRAY_SIZE(answers); i++) {
		for (n = 0; n < ARRAY_SIZE(rets); n++) {
			*answers[i] = rets[n];
			KUNIT_EXPECT_EQ(test, PTR_ERR(create(test, 0)),
					-EINVAL);
			pfm_unregister_buffer_fmt(fmt.fmt_uuid);
		}
		*answers[i] = 0;
	}
}

/* Proves 3.5.11-04 */
static void buffer_above_limits_is_enomem(struct kunit *test)
{
	calls->size = SIZE_MAX;
	KUNIT_EXPECT_EQ(test, PTR_ERR(create(test, 0)), -ENOMEM);
	KUNIT_EXPECT_STREQ(test, calls->order, "vg");
}

/* Create a context in a fixture, so that the fixture's helpers can be used. */
static struct pfm_context *create_fixture(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, f);
	f->ctx = create(test, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(f->ctx));
	test->priv = f;
	return f->ctx;
}

/* Monitor the test's own thread and make PMD0 overflow. */
static void overflow(struct kunit *test)
{
	fixture_counter(test, 0, 0, -10);
	fixture_start(test);
	fixture_count(test, 10);
}

/* Proves 3.5.7-02, 3.5.10-05, 3.5.11-02, 3.5.13-03, P5.4-03 */
static void format_with_handler_only_works(struct kunit *test)
{
	struct pfm_context *ctx;

	fmt.fmt_arg_size = 0;
	fmt.fmt_validate = NULL;
	fmt.fmt_getsize = NULL;
	fmt.fmt_init = NULL;
	fmt.fmt_restart = NULL;
	fmt.fmt_exit = NULL;
	ctx = create_fixture(test);
	KUNIT_EXPECT_PTR_EQ(test, ctx->buf, NULL);
	KUNIT_EXPECT_EQ(test, ctx->buf_size, 0UL);
	overflow(test);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	destroy(test, ctx);
	KUNIT_EXPECT_STREQ(test, calls->order, "h");
}

static void expect_no_buffer(struct kunit *test, const char *order)
{
	struct pfm_context *ctx = create_fixture(test);

	KUNIT_EXPECT_PTR_EQ(test, ctx->buffer, NULL);
	KUNIT_EXPECT_EQ(test, ctx->buf_size, 0UL);
	overflow(test);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	destroy(test, ctx);
	KUNIT_EXPECT_STREQ(test, calls->order, order);
	KUNIT_EXPECT_PTR_EQ(test, calls->init.buf, NULL);
	KUNIT_EXPECT_PTR_EQ(test, calls->handler_buf, NULL);
	KUNIT_EXPECT_PTR_EQ(test, calls->restart_buf, NULL);
	KUNIT_EXPECT_PTR_EQ(test, calls->exit_buf, NULL);
}

/* Proves 3.5-02, 3.5.11-02, 3.5.12-03, 3.5.13-04 */
static void format_without_getsize_has_no_buffer(struct kunit *test)
{
	fmt.fmt_getsize = NULL;
	expect_no_buffer(test, "vihrx");
}

/* Proves 3.5.11-03, 3.5.12-03 */
static void buffer_size_0_means_no_buffer(struct kunit *test)
{
	calls->size = 0;
	expect_no_buffer(test, "vgihrx");
}

/* Proves 3.5.5-02, 3.5.6-03, 3.5.12-02 */
static void buffer_without_init_is_zeroed_and_aligned(struct kunit *test)
{
	struct pfm_context *ctx;

	fmt.fmt_init = NULL;
	ctx = create(test, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_EXPECT_NULL(test, memchr_inv(ctx->buf, 0, ctx->buf_size));
	KUNIT_EXPECT_TRUE(test, IS_ALIGNED((unsigned long)ctx->buf, 16));
	destroy(test, ctx);
}

/* Proves 3.5.7-08, 3.5.13-01, 3.5.13-02, 3.5.14-01, 3.5.15-01 */
static void handler_restart_and_exit_get_buffer(struct kunit *test)
{
	struct pfm_context *ctx = create_fixture(test);
	void *buf = ctx->buf;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	overflow(test);
	KUNIT_EXPECT_EQ(test, fixture_restart(test), 0);
	destroy(test, ctx);
	KUNIT_EXPECT_STREQ(test, calls->order, "vgihrx");
	KUNIT_EXPECT_PTR_EQ(test, calls->handler_buf, buf);
	KUNIT_EXPECT_PTR_EQ(test, calls->restart_buf, buf);
	KUNIT_EXPECT_PTR_EQ(test, calls->exit_buf, buf);
	/* fmt_exit read this byte, so the buffer still existed then. */
	KUNIT_EXPECT_EQ(test, calls->exit_saw, 77);
}

/* Proves 3.5-06 */
static void handler_can_read_any_pmd(struct kunit *test)
{
	struct pfm_context *ctx = create_fixture(test);

	fixture_counter(test, 0, 0, -10);
	fixture_counter(test, 1, 0, 0x700000000ULL);
	fixture_pmd(test, (pfarg_pmd_t){ .reg_num = PFM_SIM_PMD_PLAIN,
					 .reg_value = 99 });
	calls->pmd_values[2] = 5;
	fixture_start(test);
	fixture_count2(test, 10, 4);
	KUNIT_EXPECT_EQ(test, calls->pmd_rets[0], 0);
	KUNIT_EXPECT_EQ(test, calls->pmd_values[0], 0x700000004ULL);
	KUNIT_EXPECT_EQ(test, calls->pmd_rets[1], 0);
	KUNIT_EXPECT_EQ(test, calls->pmd_values[1], 99ULL);
	KUNIT_EXPECT_EQ(test, calls->pmd_rets[2], -EINVAL);
	KUNIT_EXPECT_EQ(test, calls->pmd_values[2], 5ULL);
	destroy(test, ctx);
}

/* Proves 3.5.13-05 */
static void exit_error_still_releases_context(struct kunit *test)
{
	struct pfm_context *ctx = create(test, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	calls->exit_ret = -EIO;
	/* destroy() also checks that the format can be unregistered. */
	destroy(test, ctx);
	KUNIT_EXPECT_STREQ(test, calls->order, "vgix");
}

/*
 * Private areas
 */

/* The private area is longer than a page, and its size is odd. */
#define AREA_SIZE	(PAGE_SIZE + 1001)
#define AREA_PAGES	2
#define BUFFER_PAGES	3

static struct pfm_context *create_with_area(struct kunit *test, size_t size)
{
	fmt.fmt_getpriv = note_getpriv;
	calls->area_size = size;
	return create(test, PFM_FL_OVFL_NO_MSG);
}

/*
 * Return the number of locked pages of this user, which must be the same after
 * each test.
 */
static long pages_charged(void)
{
	return atomic_long_read(&current_user()->locked_vm);
}

static void private_area_is_allocated_outside_buffer(struct kunit *test)
{
	struct pfm_context *ctx = create_with_area(test, AREA_SIZE);
	void *area;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_EXPECT_STREQ(test, calls->order, "vgpi");
	KUNIT_EXPECT_EQ(test, calls->getpriv.ctx_flags, PFM_FL_OVFL_NO_MSG);
	KUNIT_EXPECT_EQ(test, calls->getpriv.arg, MARK);
	area = pfm_fmt_area(ctx->buf);
	KUNIT_ASSERT_NOT_NULL(test, area);
	KUNIT_EXPECT_NULL(test, memchr_inv(area, 0, AREA_SIZE));
	KUNIT_EXPECT_TRUE(test, PAGE_ALIGNED(area));
	/* Only the buffer can be mapped, not the private area. */
	KUNIT_EXPECT_EQ(test, ctx->buf_size, BUFFER_PAGES * PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, area + AREA_SIZE <= pfm_fmt_priv(ctx->buf) ||
			  area >= ctx->buf + ctx->buf_size);
	destroy(test, ctx);
}

static void getpriv_error_fails_creation(struct kunit *test)
{
	calls->getpriv_ret = -EDOM;
	KUNIT_EXPECT_EQ(test, PTR_ERR(create_with_area(test, 0)), -EDOM);
	KUNIT_EXPECT_STREQ(test, calls->order, "vgp");
}

static void private_area_size_0_means_no_area(struct kunit *test)
{
	struct pfm_context *ctx = create_with_area(test, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_EXPECT_NULL(test, pfm_fmt_area(ctx->buf));
	destroy(test, ctx);
}

static void private_area_needs_buffer(struct kunit *test)
{
	calls->size = 0;
	KUNIT_EXPECT_EQ(test, PTR_ERR(create_with_area(test, AREA_SIZE)),
			-EINVAL);
	KUNIT_EXPECT_STREQ(test, calls->order, "vgp");
}

/* The page after the private area is not mapped. */
static void private_area_ends_in_unmapped_page(struct kunit *test)
{
	struct pfm_context *ctx = create_with_area(test, AREA_SIZE);
	void *area;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	area = pfm_fmt_area(ctx->buf);
	KUNIT_EXPECT_NOT_NULL(test, vmalloc_to_page(area + AREA_SIZE - 1));
	KUNIT_EXPECT_NULL(test, vmalloc_to_page(area + PAGE_ALIGN(AREA_SIZE)));
	destroy(test, ctx);
}

#ifdef CONFIG_KASAN_VMALLOC
static bool kasan_allows(const void *byte)
{
	s8 shadow = *(s8 *)kasan_mem_to_shadow(byte);

	return !shadow || (int)((unsigned long)byte % 8) < shadow;
}

static void kasan_poisons_end_of_private_area(struct kunit *test)
{
	struct pfm_context *ctx = create_with_area(test, AREA_SIZE);
	void *area;

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	area = pfm_fmt_area(ctx->buf);
	KUNIT_EXPECT_TRUE(test, kasan_allows(area + AREA_SIZE - 1));
	KUNIT_EXPECT_FALSE(test, kasan_allows(area + AREA_SIZE));
	destroy(test, ctx);
}
#else
static void kasan_poisons_end_of_private_area(struct kunit *test)
{
	kunit_skip(test, "needs CONFIG_KASAN_VMALLOC");
}
#endif

/* The page in front of the buffer is charged as well. */
static void private_area_is_charged_to_memlock(struct kunit *test)
{
	long before = pages_charged();
	struct pfm_context *ctx = create_with_area(test, AREA_SIZE);

	KUNIT_ASSERT_FALSE(test, IS_ERR(ctx));
	KUNIT_EXPECT_EQ(test, pages_charged() - before,
			1 + BUFFER_PAGES + AREA_PAGES);
	destroy(test, ctx);
	KUNIT_EXPECT_EQ(test, pages_charged(), before);
}

/*
 * Check that a private area of @size bytes cannot be created, and that no page
 * stays charged.
 */
static void expect_no_memory(struct kunit *test, size_t size)
{
	long before = pages_charged();

	KUNIT_EXPECT_EQ(test, PTR_ERR(create_with_area(test, size)), -ENOMEM);
	KUNIT_EXPECT_EQ(test, pages_charged(), before);
	pfm_unregister_buffer_fmt(fmt.fmt_uuid);
}

static void with_max(struct kunit *test, unsigned long max,
		     void (*run)(struct kunit *test))
{
	unsigned long old = pfm_config.smpl_buf_size_max;

	WRITE_ONCE(pfm_config.smpl_buf_size_max, max);
	run(test);
	WRITE_ONCE(pfm_config.smpl_buf_size_max, old);
}

static void expect_room_for_just_that(struct kunit *test)
{
	struct pfm_context *ctx;

	expect_no_memory(test, AREA_SIZE + PAGE_SIZE);
	ctx = create_with_area(test, AREA_SIZE);
	KUNIT_EXPECT_FALSE(test, IS_ERR(ctx));
	if (!IS_ERR(ctx))
		destroy(test, ctx);
}

/* Run twice, to check that failed and freed allocations do not stay charged. */
static void buffer_and_private_area_share_limit(struct kunit *test)
{
	size_t max = (BUFFER_PAGES + AREA_PAGES) * PAGE_SIZE;

	with_max(test, max, expect_room_for_just_that);
	with_max(test, max, expect_room_for_just_that);
}

/*
 * Check that perfmon refuses sizes that exceed the memory, and sizes whose sum
 * overflows.
 */
static void expect_too_much(struct kunit *test)
{
	expect_no_memory(test, 1UL << 46);
	expect_no_memory(test, LONG_MAX / 2);
	expect_no_memory(test, LONG_MAX);
	expect_no_memory(test, SIZE_MAX);
	expect_no_memory(test, SIZE_MAX - calls->size + 2);
}

static void private_area_above_limits_is_enomem(struct kunit *test)
{
	with_max(test, LONG_MAX, expect_too_much);
	buffer_and_private_area_share_limit(test);
}

static struct kunit_case create_cases[] = {
	KUNIT_CASE(create_calls_validate_getsize_init),
	KUNIT_CASE(validate_error_fails_creation),
	KUNIT_CASE(getsize_error_fails_creation),
	KUNIT_CASE(init_error_fails_creation),
	KUNIT_CASE(non_errno_callback_result_is_einval),
	KUNIT_CASE(buffer_above_limits_is_enomem),
	KUNIT_CASE(format_with_handler_only_works),
	KUNIT_CASE(format_without_getsize_has_no_buffer),
	KUNIT_CASE(buffer_size_0_means_no_buffer),
	KUNIT_CASE(buffer_without_init_is_zeroed_and_aligned),
	KUNIT_CASE(handler_restart_and_exit_get_buffer),
	KUNIT_CASE(handler_can_read_any_pmd),
	KUNIT_CASE(exit_error_still_releases_context),
	KUNIT_CASE(private_area_is_allocated_outside_buffer),
	KUNIT_CASE(getpriv_error_fails_creation),
	KUNIT_CASE(private_area_size_0_means_no_area),
	KUNIT_CASE(private_area_needs_buffer),
	KUNIT_CASE(private_area_ends_in_unmapped_page),
	KUNIT_CASE(kasan_poisons_end_of_private_area),
	KUNIT_CASE(private_area_is_charged_to_memlock),
	KUNIT_CASE(buffer_and_private_area_share_limit),
	KUNIT_CASE(private_area_above_limits_is_enomem),
	{}
};

static struct kunit_suite create_suite = {
	.name = "pfm_create",
	.init = callbacks_init,
	.exit = callbacks_exit,
	.test_cases = create_cases,
};

/* Proves 3.1.1-12, 3.5.7-01 */
static void create_with_unknown_format_is_einval(struct kunit *test)
{
	pfarg_ctx_t req = { .ctx_smpl_buf_id = SCRIPT_UUID };

	KUNIT_EXPECT_EQ(test, PTR_ERR(fixture_context(&req, NULL, 0)),
			(long)-EINVAL);
}

/* Proves 3.1.15-01, 3.5.7-08, 3.5.13-01 */
static void exit_callback_runs_once_at_destruction(struct kunit *test)
{
	struct fixture *f = fixture_create(test, 0, true);

	pfm_context_destroy(f->ctx);
	KUNIT_EXPECT_EQ(test, f->script.exits, 1);
	KUNIT_EXPECT_EQ(test, pfm_unregister_buffer_fmt(script_fmt.fmt_uuid),
			0);
	test->priv = NULL;
}

static struct kunit_case create_scripted_cases[] = {
	KUNIT_CASE(create_with_unknown_format_is_einval),
	KUNIT_CASE(exit_callback_runs_once_at_destruction),
	{}
};

static struct kunit_suite create_scripted_suite = {
	.name = "pfm_create_scripted",
	.exit = fixture_exit,
	.test_cases = create_scripted_cases,
};

kunit_test_suites(&create_suite, &create_scripted_suite);
