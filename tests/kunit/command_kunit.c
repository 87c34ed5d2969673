// SPDX-License-Identifier: GPL-2.0
/*
 * command_kunit.c - the commands of a context and their arguments
 */
#include "command.h"
#include "fixture.h"

static const unsigned int vectors[] = {
	PFM_WRITE_PMCS, PFM_WRITE_PMDS, PFM_READ_PMDS, PFM_CREATE_EVTSETS,
	PFM_DELETE_EVTSETS, PFM_GETINFO_EVTSETS,
};

static long command(struct kunit *test, unsigned int nr, struct pfm_ioc ioc)
{
	struct fixture *f = test->priv;

	return pfm_command(f->ctx, nr, &ioc);
}

static void commands_not_for_contexts_are_enotty(struct kunit *test)
{
	static const unsigned int others[] = {
		0, PFM_CREATE_CONTEXT, PFM_GETINFO_PMCS, PFM_GETINFO_PMDS,
		PFM_SET_CONFIG, PFM_GET_CONFIG, 0xff,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(others); i++)
		KUNIT_EXPECT_EQ_MSG(test,
				    command(test, PFM_IOC(others[i]),
					    (struct pfm_ioc){}),
				    -ENOTTY, "%#x", others[i]);
}

static void ioctl_with_other_size_or_direction_is_enotty(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, command(test, PFM_STOP, (struct pfm_ioc){}),
			-ENOTTY);
	KUNIT_EXPECT_EQ(test, command(test, _IO(PFM_IOC_MAGIC, PFM_STOP),
				      (struct pfm_ioc){}), -ENOTTY);
	KUNIT_EXPECT_EQ(test, command(test, _IOWR(PFM_IOC_MAGIC, PFM_STOP, u32),
				      (struct pfm_ioc){}), -ENOTTY);
}

static void vector_length_is_checked(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		unsigned int nr = PFM_IOC(vectors[i]);

		KUNIT_EXPECT_EQ(test, command(test, nr, (struct pfm_ioc){}),
				-EINVAL);
		KUNIT_EXPECT_EQ(test,
				command(test, nr, (struct pfm_ioc){
						.narg = INT_MAX }),
				-EFAULT);
	}
}

static void load_takes_one_argument(struct kunit *test)
{
	u64 n;

	for (n = 0; n < 4; n += 2)
		KUNIT_EXPECT_EQ(test, command(test, PFM_IOC(PFM_LOAD_CONTEXT),
					      (struct pfm_ioc){ .narg = n }),
				-EFAULT);
}

static void start_takes_one_argument_or_none(struct kunit *test)
{
	struct fixture *f = test->priv;

	fixture_start(test);
	KUNIT_EXPECT_EQ(test, command(test, PFM_IOC(PFM_STOP),
				      (struct pfm_ioc){}), 0);
	KUNIT_EXPECT_EQ(test, command(test, PFM_IOC(PFM_START),
				      (struct pfm_ioc){ .narg = 2 }), -EFAULT);
	KUNIT_EXPECT_FALSE(test, f->ctx->started);
	KUNIT_EXPECT_EQ(test, command(test, PFM_IOC(PFM_START),
				      (struct pfm_ioc){}), 0);
	KUNIT_EXPECT_TRUE(test, f->ctx->started);
}

static void commands_without_argument_ignore_argument(struct kunit *test)
{
	static const unsigned int plain[] = {
		PFM_RESTART, PFM_STOP, PFM_UNLOAD_CONTEXT,
	};
	const struct pfm_ioc ioc = { .arg = 1, .narg = 7 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(plain); i++)
		KUNIT_EXPECT_EQ(test, command(test, PFM_IOC(plain[i]), ioc),
				-EBUSY);
	fixture_start(test);
	for (i = 0; i < ARRAY_SIZE(plain); i++)
		KUNIT_EXPECT_EQ(test, command(test, PFM_IOC(plain[i]), ioc), 0);
}

static void set_fmt_arg_needs_format(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, command(test, PFM_IOC(PFM_SET_FMT_ARG),
				      (struct pfm_ioc){ .narg = U32_MAX }),
			-EINVAL);
}

static struct kunit_case command_cases[] = {
	KUNIT_CASE(commands_not_for_contexts_are_enotty),
	KUNIT_CASE(ioctl_with_other_size_or_direction_is_enotty),
	KUNIT_CASE(vector_length_is_checked),
	KUNIT_CASE(load_takes_one_argument),
	KUNIT_CASE(start_takes_one_argument_or_none),
	KUNIT_CASE(commands_without_argument_ignore_argument),
	KUNIT_CASE(set_fmt_arg_needs_format),
	{}
};

static struct kunit_suite command_suite = {
	.name = "pfm_command",
	.init = fixture_init,
	.exit = fixture_exit,
	.test_cases = command_cases,
};
kunit_test_suite(command_suite);
