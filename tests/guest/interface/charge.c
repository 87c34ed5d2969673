// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * charge.c - memory of event sets, of their registers and of formats' private
 *	      areas is charged to the creator of the context as locked memory
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "modules.h"
#include "params.h"
#include "smpl.h"
#include "worker.h"

#define NOBODY	65534
#define ROUNDS	20
#define LIMIT	16	/* pages */

static long charged(void)
{
	return charged_to(getpid());
}

static void expect_no_set(int fd, unsigned int id)
{
	pfarg_setinfo_t info = { .set_id = id };

	CHECK_ERRNO(pfm_getinfo_evtsets(fd, &info, 1), EINVAL);
	CHECK(info.set_flags & PFM_SET_RETFL_NOSET);
}

/*
 * Create set 1, set 2 and so on until the memory limit is reached. Return: the
 * last set's ID.
 */
static unsigned int fill(int fd)
{
	unsigned int n = 0;

	while (!ctx_try_set(fd, n + 1))
		n++;
	CHECK_EQ(errno, ENOMEM);
	return n;
}

/*
 * Check that the whole memory limit, which is enough for @n sets, is available
 * again.
 */
static void expect_room(unsigned int n)
{
	int fd = ctx_new(0);

	CHECK_EQ(fill(fd), n);
	CHECK_OK(close(fd));
}

static void limit_pages_for_now(rlim_t pages)
{
	struct rlimit limit;

	CHECK_OK(getrlimit(RLIMIT_MEMLOCK, &limit));
	limit.rlim_cur = pages * sysconf(_SC_PAGESIZE);
	CHECK_OK(setrlimit(RLIMIT_MEMLOCK, &limit));
}

/* 64 sets with 8 counters each may take at most 256 KiB. */
static void many_sets_of_a_user(void *unused)
{
	int fd;

	become_nobody();
	fd = ctx_new(0);
	for (unsigned int set = 0; set < 64; set++) {
		ctx_create_set(fd, set, 0);
		for (unsigned int n = 0; n < 8; n++)
			ctx_add_set_counter(fd, set, n, 0, 1000, 0);
	}
	/* The charge is at least what the sets use. */
	CHECK(charged() >= 64 * (512 + 8 * 192) / 1024);
	CHECK(charged() <= 256);
}

TEST(sixty_four_sets_of_eight_counters_take_256_kib)
{
	with_locked_pages((256 << 10) / sysconf(_SC_PAGESIZE),
			  many_sets_of_a_user);
}

static void sets_up_to_the_limit(void *unused)
{
	unsigned int n;
	long before;
	int fd;

	become_nobody();
	limit_pages_for_now(LIMIT / 2);
	fd = ctx_new(0);
	n = fill(fd);
	CHECK(n > 0);
	before = charged();
	CHECK(before * 1024 <= LIMIT / 2 * sysconf(_SC_PAGESIZE));
	for (int i = 0; i < ROUNDS; i++)
		CHECK_ERRNO(ctx_try_set(fd, n + 1), ENOMEM);
	CHECK_EQ(charged(), before);
	expect_no_set(fd, n + 1);
	/*
	 * An existing set may be modified. Deleting a set makes room for
	 * another one.
	 */
	ctx_create_set(fd, n, PFM_SETFL_OVFL_SWITCH);
	ctx_delete_set(fd, n);
	CHECK_OK(ctx_try_set(fd, n + 1));
	CHECK_OK(ctx_try_set(fd, n + 1));
	limit_pages_for_now(LIMIT);
	/* fill() starts at set 1, so it counts the existing sets, too. */
	CHECK(fill(fd) > n);
}

/* Proves H15 */
TEST(sets_beyond_memlock_limit_are_refused)
{
	with_locked_pages(LIMIT, sets_up_to_the_limit);
}

/*
 * Write counter 0, 1 and so on of @set until the memory limit is reached.
 * Return: the first counter that was refused.
 */
static unsigned int fill_set(int fd, unsigned int set)
{
	struct counter c;
	unsigned int n;

	for (n = 0; n < 16; n++) {
		c = counter(n, 0, 1000);
		c.pmc.reg_set = set;
		c.pmd.reg_set = set;
		if (pfm_write_pmcs(fd, &c.pmc, 1))
			break;
		CHECK_OK(pfm_write_pmds(fd, &c.pmd, 1));
	}
	CHECK_EQ(errno, ENOMEM);
	CHECK(n < 16);
	return n;
}

static void counters_up_to_the_limit(void *unused)
{
	unsigned int sets, n;
	struct counter c;
	int fd;

	become_nobody();
	fd = ctx_new(0);
	sets = fill(fd);
	/* There is room for some counters of one set, but not for all. */
	n = fill_set(fd, sets);
	/* A refused write must not change the register. */
	c = counter(n, 0, 5);
	c.pmc.reg_set = sets;
	c.pmd.reg_set = sets;
	CHECK_ERRNO(pfm_write_pmcs(fd, &c.pmc, 1), ENOMEM);
	CHECK_EQ(c.pmc.reg_flags & PFM_REG_RETFL_MASK, 0);
	CHECK_EQ(ctx_read_set(fd, sets, n), 0);
	/* Existing registers can be written again, even under a lower limit. */
	limit_pages_for_now(0);
	for (unsigned int i = 0; i < n; i++)
		ctx_add_set_counter(fd, sets, i, 0, 1000, 0);
	ctx_add_set_counter(fd, 0, 0, 0, 1000, 0);
	limit_pages_for_now(LIMIT);
	/* set0 is not charged. */
	for (unsigned int i = 0; i < 16; i++)
		ctx_add_counter(fd, i, 0, 1000);
	ctx_delete_set(fd, 1);
	c.pmc.reg_flags = 0;
	counter_write(fd, &c);
	CHECK_EQ(ctx_read_set(fd, sets, n), (__u64)-5);
}

TEST(registers_beyond_memlock_limit_are_refused)
{
	with_locked_pages(LIMIT, counters_up_to_the_limit);
}

#define CLOCK	PFM_PERF_EVENT(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK)

/*
 * Count with all counters of set0. Count a clock instead of page faults,
 * because faults_prepare(), which makes page-fault counts exact, locks memory.
 */
static void count_without_a_limit(void *unused)
{
	pfarg_pmc_t pmc = { .reg_value = CLOCK };
	int fd;

	become_nobody();
	fd = ctx_new(0);
	for (pmc.reg_num = 0; pmc.reg_num < 16; pmc.reg_num++)
		CHECK_OK(pfm_write_pmcs(fd, &pmc, 1));
	CHECK_ERRNO(ctx_try_set(fd, 1), ENOMEM);
	ctx_load_self(fd);
	CHECK_OK(pfm_start(fd, NULL));
	/*
	 * On a busy host, the kernel's clock may stand still between two ticks.
	 */
	while (!ctx_read(fd, 0) || !ctx_read(fd, 15))
		;
	CHECK_EQ(charged(), 0);
}

TEST(set0_counting_needs_no_locked_memory)
{
	with_locked_pages(0, count_without_a_limit);
}

/* Create sets until the limit is reached, and exit, which frees the sets. */
static void fill_and_exit(void *n)
{
	CHECK_EQ(fill(ctx_new(0)), *(unsigned int *)n);
}

static void sets_that_come_and_go(void *unused)
{
	unsigned int n;
	int fd;

	become_nobody();
	fd = ctx_new(0);
	n = fill(fd);
	for (int i = 0; i < ROUNDS; i++) {
		for (unsigned int id = n; id; id--)
			ctx_delete_set(fd, id);
		CHECK_EQ(charged(), 0);
		/*
		 * After a set was deleted, its registers and the xarray node
		 * for its ID are no longer charged.
		 */
		CHECK_OK(ctx_try_set(fd, 1 + 1000 * i));
		ctx_add_set_counter(fd, 1 + 1000 * i, 0, 0, 1000, 0);
		ctx_add_set_counter(fd, 1 + 1000 * i, 0, 0, 2000, 0);
		ctx_delete_set(fd, 1 + 1000 * i);
		CHECK_EQ(charged(), 0);
		CHECK_EQ(fill(fd), n);
	}
	CHECK_OK(close(fd));
	for (int i = 0; i < ROUNDS; i++)
		expect_room(n);
	for (int i = 0; i < ROUNDS; i++)
		reap(spawn(fill_and_exit, &n));
	expect_room(n);
	CHECK_EQ(charged(), 0);
}

/* Proves H04, H15 */
TEST(set_memory_charge_is_released)
{
	with_locked_pages(LIMIT, sets_that_come_and_go);
}

/*
 * Let a worker hold a context whose sets use up the memory limit, and call
 * exec. @flags are the flags of the context's descriptor: with FD_CLOEXEC, the
 * exec releases the memory. The worker is started as root, because it locks its
 * memory and must not be subject to the limit.
 */
static void sets_and_exec(int flags)
{
	struct worker w;
	unsigned int n;
	int fd;

	CHECK_OK(seteuid(NOBODY));
	fd = ctx_new(0);
	n = fill(fd);
	CHECK_OK(fcntl(fd, F_SETFD, flags));
	CHECK_OK(seteuid(0));
	worker_start_holding(&w, fd);
	CHECK_OK(seteuid(NOBODY));
	CHECK_OK(close(fd));
	fd = ctx_new(0);
	CHECK_EQ(fill(fd), 0);
	worker_do(&w, WORK_EXEC, 0);
	CHECK_EQ(fill(fd), flags & FD_CLOEXEC ? n : 0);
	CHECK_OK(close(fd));
	worker_quit(&w);
	expect_room(n);
	CHECK_OK(seteuid(0));
}

static void sets_across_exec(void *unused)
{
	sets_and_exec(FD_CLOEXEC);
	sets_and_exec(0);
}

TEST(sets_are_charged_until_last_descriptor_closes)
{
	with_locked_pages(LIMIT, sets_across_exec);
}

static void fill_for_another(void *fd)
{
	CHECK(fill(*(int *)fd) > 0);
	CHECK_EQ(charged(), 0);
	CHECK(charged_to(getppid()) > 0);
}

static void sets_created_by_a_child(void *unused)
{
	unsigned int n;
	int fd;

	become_nobody();
	fd = ctx_new(0);
	n = fill(fd);
	CHECK_OK(close(fd));
	fd = ctx_new(0);
	reap(spawn(fill_for_another, &fd));
	/* The child has exited, but its sets still exist. */
	CHECK(charged() > 0);
	CHECK_ERRNO(ctx_try_set(fd, n + 1), ENOMEM);
	CHECK_OK(close(fd));
	CHECK_EQ(charged(), 0);
	expect_room(n);
}

/* Proves H05 */
TEST(context_creator_is_charged_for_all_sets)
{
	with_locked_pages(LIMIT, sets_created_by_a_child);
}

static void sets_of_root(void *unused)
{
	int fd = ctx_new(0);

	for (unsigned int id = 1; id < 100; id++)
		CHECK_OK(ctx_try_set(fd, id));
	CHECK(charged() > 0);
}

TEST(root_has_no_limit_of_sets)
{
	with_locked_pages(1, sets_of_root);
}

/*
 * Sizes in pages: the buffer, the memory in front of the buffer, and a private
 * area.
 */
#define BUFFER	2
#define FRONT	1
#define AREA	7

static int try_area(void)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = ODD_UUID };

	return pfm_create_context(&ctx, NULL, 0);
}

static void area_within_the_limit(void *unused)
{
	const long page_kb = sysconf(_SC_PAGESIZE) / 1024;
	int fd;

	become_nobody();
	for (int i = 0; i < ROUNDS; i++) {
		fd = CHECK_OK(try_area());
		CHECK_EQ(charged(), (BUFFER + FRONT + AREA) * page_kb);
		CHECK_OK(close(fd));
		CHECK_EQ(charged(), 0);
	}
	limit_pages_for_now(BUFFER + FRONT + AREA - 1);
	CHECK_ERRNO(try_area(), ENOMEM);
	CHECK_EQ(charged(), 0);
}

/*
 * Check that the private area is zero at first. The format counts overflows in
 * the area's last byte, and copies this byte to the start of the buffer.
 */
static void expect_area_that_counts(void)
{
	struct mapped m = mapped_new((pfm_uuid_t)ODD_UUID, 0, NULL, 0);

	CHECK_EQ(m.size, BUFFER * sysconf(_SC_PAGESIZE));
	ctx_add_counter(m.fd, 0, 0, 1);
	ctx_start_self(m.fd);
	touch_pages(5, NULL);
	ctx_stop(m.fd);
	CHECK_EQ(*(const char *)m.buf, 5);
	/* A mapping of another size or offset is refused. */
	CHECK_OK(munmap((void *)m.buf, m.size));
	for (unsigned int n = 1; n <= BUFFER + FRONT + AREA; n++)
		for (unsigned int at = 0; at <= FRONT + AREA; at++)
			if (n != BUFFER || at)
				expect_no_map(m.fd, n * sysconf(_SC_PAGESIZE),
					      PROT_READ, MAP_SHARED,
					      at * sysconf(_SC_PAGESIZE));
	CHECK_OK(close(m.fd));
}

/* Proves H15 */
TEST(private_area_is_charged_and_not_mappable)
{
	const long page = sysconf(_SC_PAGESIZE);
	char parameters[64];

	snprintf(parameters, sizeof(parameters), "buf_size=%ld area_size=%ld",
		 BUFFER * page, AREA * page - 1);
	CHECK_OK(module_insert_with(ODD, parameters));
	expect_area_that_counts();
	expect_area_that_counts();
	with_locked_pages(BUFFER + FRONT + AREA, area_within_the_limit);
	CHECK_OK(module_unload(MODULE_ODD));
}

TEST(private_area_needs_a_buffer)
{
	CHECK_OK(module_insert_with(ODD, "area_size=1"));
	CHECK_ERRNO(try_area(), EINVAL);
	CHECK_OK(module_unload(MODULE_ODD));
}
