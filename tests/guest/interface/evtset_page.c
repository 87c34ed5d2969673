// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * evtset_page.c - read PMDs from the mapped pages of event sets (Eranian 2006,
 * section 8)
 */
#define _GNU_SOURCE
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"
#include "smpl.h"
#include "worker.h"

#define BY_TIME		PFM_SETFL_TIME_SWITCH
#define NOTIFY		PFM_REGFL_OVFL_NOTIFY
#define RUNS		20	/* runs of the second set */
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME	0x80
#endif

/* Add two counters to each of two sets. All of them count page faults. */
static void add_counters(int fd, __u32 set_flags)
{
	for (unsigned int set = 0; set < 2; set++) {
		ctx_create_set(fd, set, set_flags);
		for (unsigned int n = 0; n < 2; n++) {
			struct counter c = counter(n, 0, 0);

			c.pmc.reg_set = set;
			c.pmd.reg_set = set;
			counter_write(fd, &c);
		}
	}
}

static int new_context(__u32 set_flags)
{
	int fd = ctx_new(PFM_FL_MAP_SETS);

	add_counters(fd, set_flags);
	return fd;
}

static struct pfm_set_map *map_ok(int fd, unsigned int set)
{
	struct pfm_set_map *map = pfm_map_set(fd, set);

	CHECK(map);
	return map;
}

static __u64 mapped(const struct pfm_set_map *map, unsigned int pmd)
{
	__u64 value = 0;

	CHECK_OK(pfm_read_mapped(map, pmd, &value));
	return value;
}

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

/*
 * Map a set's page. The set's ID must be low, so that the page's offset fits in
 * off_t, which has 32 bits in 32-bit programs.
 */
static void *map_page(int fd, unsigned int set)
{
	return mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd,
		    ctx_set_info(fd, set).set_mmap_offset);
}

static const volatile pfm_set_page_t *page_ok(int fd, unsigned int set)
{
	void *page = map_page(fd, set);

	CHECK(page != MAP_FAILED);
	return page;
}

/*
 * Check that the mapped values of all kinds of PMDs equal those that
 * PFM_READ_PMDS returns, and that the mapped clock is between two such reads.
 */
static void expect_same(int fd, const struct pfm_set_map *map, unsigned int set)
{
	__u64 before = ctx_read_set(fd, set, PFM_PMD_ELAPSED);
	__u64 now = mapped(map, PFM_PMD_ELAPSED);

	CHECK(before <= now);
	CHECK(now <= ctx_read_set(fd, set, PFM_PMD_ELAPSED));
	CHECK_EQ(mapped(map, 0), ctx_read_set(fd, set, 0));
	CHECK_EQ(mapped(map, 1), ctx_read_set(fd, set, 1));
	CHECK_EQ(mapped(map, 2), ctx_read_set(fd, set, 2));
	CHECK_EQ(mapped(map, PFM_PMD_TID), ctx_read_set(fd, set, PFM_PMD_TID));
}

/* Proves P8-05 */
TEST(mapped_and_read_values_agree_in_every_state)
{
	int fd = new_context(0);
	struct pfm_set_map *maps[] = { map_ok(fd, 0), map_ok(fd, 1) };
	pfarg_start_t start = { .start_set = 1 };
	pfarg_pmd_t pmd = { .reg_set = 1, .reg_value = 1ULL << 40 };

#define EXPECT_SAME() (expect_same(fd, maps[0], 0), expect_same(fd, maps[1], 1))
	EXPECT_SAME();
	ctx_load_self(fd);
	EXPECT_SAME();
	CHECK_OK(pfm_start(fd, NULL));
	EXPECT_SAME();
	faults_prepare();
	touch_pages(10, NULL);
	EXPECT_SAME();
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	EXPECT_SAME();
	CHECK_OK(pfm_stop(fd));
	EXPECT_SAME();
	CHECK_OK(pfm_start(fd, &start));
	EXPECT_SAME();
	pmd.reg_num = PFM_PMD_ELAPSED;
	CHECK_OK(pfm_write_pmds(fd, &pmd, 1));
	EXPECT_SAME();
	CHECK_OK(pfm_unload_context(fd));
	EXPECT_SAME();
#undef EXPECT_SAME
}

TEST(mapped_and_read_values_agree_while_masked)
{
	int fd = ctx_new(PFM_FL_MAP_SETS);
	struct pfm_set_map *map = map_ok(fd, 0);
	struct counter c = counter(0, NOTIFY, 10);

	pfm_bv_set(c.pmc.reg_reset_pmds, PFM_PMD_ELAPSED);
	counter_write(fd, &c);
	ctx_start_self(fd);
	for (int i = 0; i < 3; i++) {
		touch_pages(10, NULL);
		ctx_expect_message(fd, PFM_MSG_OVFL);
		expect_same(fd, map, 0);
		CHECK(mapped(map, 0) < 10);
		CHECK_OK(pfm_restart(fd));
		expect_same(fd, map, 0);
	}
}

/* An overflow resets the clock PMD while the context keeps counting. */
TEST(mapped_clock_follows_reset_by_overflow)
{
	pfarg_setdesc_t desc = { .set_flags = PFM_SETFL_OVFL_SWITCH };
	int fd = ctx_new(PFM_FL_MAP_SETS);
	struct pfm_set_map *map = map_ok(fd, 0);
	struct counter c = counter(0, 0, 10);

	/*
	 * Without a format, an overflow resets PMDs only if it counts towards
	 * a switch of sets. The high threshold keeps the sets from switching.
	 */
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	c.pmd.reg_ovflsw_thres = 1000;
	pfm_bv_set(c.pmc.reg_reset_pmds, PFM_PMD_ELAPSED);
	counter_write(fd, &c);
	ctx_start_self(fd);
	for (int i = 0; i < 3; i++) {
		touch_pages(10, NULL);
		expect_same(fd, map, 0);
	}
}

/* Proves P8-02 */
TEST(unloaded_values_are_read_from_the_page)
{
	int fd = new_context(0);
	const volatile pfm_set_page_t *pages[] = { page_ok(fd, 0),
						   page_ok(fd, 1) };

	ctx_start_self(fd);
	touch_pages(10, NULL);
	CHECK_OK(pfm_unload_context(fd));
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(pages[0]->map_state[i], PFM_MAP_VALUE);
		CHECK_EQ(pages[0]->map_value[i], ctx_read_set(fd, 0, i));
		CHECK_EQ(pages[1]->map_state[i], PFM_MAP_VALUE);
		CHECK_EQ(pages[1]->map_value[i], 0);
	}
	CHECK(pages[0]->map_value[0] >= 10);
}

/* Proves 3.5.4-16, 4.3.2-06 */
TEST(close_removes_the_pages_of_all_sets)
{
	pfarg_setdesc_t desc = { .set_id = 1 };
	int fd = new_context(0);
	const void *pages[] = { (void *)page_ok(fd, 0), (void *)page_ok(fd, 1),
				NULL };

	CHECK_OK(pfm_delete_evtsets(fd, &desc, 1));
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	pages[2] = (void *)page_ok(fd, 1);
	for (int i = 0; i < 3; i++)
		CHECK(can_read(pages[i]));
	CHECK_OK(close(fd));
	for (int i = 0; i < 3; i++)
		CHECK(!can_read(pages[i]));
}

TEST(elapsed_time_is_read_from_the_page)
{
	int fd = new_context(0);
	const volatile pfm_set_page_t *page = page_ok(fd, 0);

	CHECK_EQ(page->map_state[PFM_PMD_ELAPSED], PFM_MAP_VALUE);
	ctx_load_self(fd);
	CHECK_EQ(page->map_state[PFM_PMD_ELAPSED], PFM_MAP_CLOCK);
	CHECK_OK(pfm_start(fd, NULL));
	CHECK_EQ(page->map_state[PFM_PMD_ELAPSED], PFM_MAP_CLOCK);
	CHECK_EQ(page->map_state[0], PFM_MAP_LIVE);
	CHECK_EQ(page->map_state[PFM_PMD_RESIDENT], PFM_MAP_LIVE);
	CHECK_EQ(page->map_state[PFM_PMD_ADDRESS], PFM_MAP_VALUE);
	CHECK_EQ(page->map_value[PFM_PMD_ADDRESS], 0);
	CHECK_EQ(page->map_state[254], PFM_MAP_NONE);
}

static void read_in_time_namespace(void *arg)
{
	int fd = new_context(0);
	struct pfm_set_map *map = map_ok(fd, 0);

	ctx_start_on(fd, thread_id());
	expect_same(fd, map, 0);
}

TEST(mapped_clock_is_right_in_a_time_namespace)
{
	if (syscall(SYS_unshare, CLONE_NEWTIME))
		check_skip("this kernel has no time namespaces");
	write_text("/proc/self/timens_offsets", "monotonic 100000 0\n");
	reap(spawn(read_in_time_namespace, NULL));
}

/*
 * Return whether the second set has become active RUNS times, and both sets
 * have counted.
 */
static bool has_seen_all(int fd, struct pfm_set_map *const *maps)
{
	return ctx_set_info(fd, 1).set_runs >= RUNS && mapped(maps[0], 0) &&
	       mapped(maps[1], 0);
}

/*
 * The monitored thread itself reads the values. The sets may be switched
 * between any two of its instructions.
 */
TEST(mapped_values_are_monotonic_across_set_switches)
{
	int fd = new_context(BY_TIME);
	struct pfm_set_map *maps[] = { map_ok(fd, 0), map_ok(fd, 1) };
	__u64 value, last[2] = {};

	ctx_start_self(fd);
	while (!has_seen_all(fd, maps)) {
		for (int i = 0; i < 1000; i++) {
			if (i % 100 == 0)
				touch_pages(1, NULL);
			value = mapped(maps[i % 2], 0);
			CHECK(value >= last[i % 2]);
			last[i % 2] = value;
		}
	}
	CHECK_OK(pfm_stop(fd));
	for (int i = 0; i < 2; i++) {
		CHECK(mapped(maps[i], 0) >= last[i]);
		CHECK_EQ(mapped(maps[i], 0), ctx_read_set(fd, i, 0));
	}
}

TEST(reading_missing_pmd_or_set_is_einval)
{
	int fd = new_context(0);
	struct pfm_set_map *map = map_ok(fd, 0);
	__u64 value = 7;

	CHECK_ERRNO(pfm_read_mapped(map, 254, &value), EINVAL);
	CHECK_ERRNO(pfm_read_mapped(map, PFM_MAX_PMDS, &value), EINVAL);
	CHECK_ERRNO(pfm_read_mapped(map, 0x10000, &value), EINVAL);
	CHECK_EQ(value, 7);
	CHECK(!pfm_map_set(fd, 2));
	CHECK_EQ(errno, EINVAL);
	CHECK(!pfm_map_set(fd, 0x10000));
	CHECK_EQ(errno, EINVAL);
	CHECK(!pfm_map_set(-1, 0));
	CHECK_EQ(errno, EBADF);
	CHECK(!pfm_map_set(ctx_new(0), 0));
	CHECK_EQ(errno, EINVAL);
	pfm_unmap_set(NULL);
}

/* The page */

/* Proves P8-03 */
TEST(each_set_has_one_read_only_page)
{
	int fd = new_context(0);
	size_t page = page_size();
	off_t offset = ctx_set_info(fd, 1).set_mmap_offset;

	expect_no_map(fd, page, PROT_READ, MAP_SHARED, 0);
	expect_no_map(fd, page, PROT_READ, MAP_SHARED, offset + page);
	expect_no_map(fd, page, PROT_READ, MAP_SHARED, 0x10001UL * page);
	expect_no_map(fd, 2 * page, PROT_READ, MAP_SHARED, offset);
	expect_no_map(fd, page, PROT_READ, MAP_PRIVATE, offset);
	expect_no_map(fd, page, PROT_READ, MAP_SHARED | MAP_EXECUTABLE, offset);
	expect_no_map(fd, page, PROT_READ | PROT_WRITE, MAP_SHARED, offset);
	expect_no_map(fd, page, PROT_READ | PROT_EXEC, MAP_SHARED, offset);
	CHECK_EQ(page_ok(fd, 0)->map_set, 0);
	CHECK_EQ(page_ok(fd, 1)->map_set, 1);
}

TEST(page_is_mapped_once_with_fixed_protection)
{
	int fd = new_context(0);
	void *page = (void *)page_ok(fd, 1);

	CHECK(map_page(fd, 1) == MAP_FAILED);
	CHECK_EQ(errno, EBUSY);
	CHECK_ERRNO(mprotect(page, page_size(), PROT_READ | PROT_WRITE),
		    EACCES);
	CHECK_ERRNO(mprotect(page, page_size(), PROT_READ | PROT_EXEC), EACCES);
	CHECK(mremap(page, page_size(), 2 * page_size(), MREMAP_MAYMOVE) ==
	      MAP_FAILED);
	CHECK_OK(munmap(page, page_size()));
	page_ok(fd, 1);
}

TEST(page_is_zero_after_the_values)
{
	const char *page = (const char *)page_ok(new_context(0), 0);

	for (size_t i = sizeof(pfm_set_page_t); i < page_size(); i++)
		CHECK_EQ(page[i], 0);
}

TEST(pages_and_sampling_buffer_can_both_be_mapped)
{
	size_t size = 2 * page_size();
	pfarg_ctx_t ctx;
	int fd = CHECK_OK(smpl_create(&ctx, PFM_FL_MAP_SETS, size, 0));

	CHECK_EQ(page_ok(fd, 0)->map_set, 0);
	expect_no_map(fd, page_size(), PROT_READ, MAP_SHARED, 0);
	CHECK(mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0) != MAP_FAILED);
}

/* Proves 4.3.2-05 */
TEST(pages_of_a_system_wide_context_are_refused)
{
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_MAP_SETS |
					 PFM_FL_SYSTEM_WIDE };

	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), EINVAL);
}

struct inherited {
	int			fd;
	struct pfm_set_map	*map;
	int			go;
};

static void read_inherited(void *arg)
{
	const struct inherited *in = arg;

	wait_go(in->go);
	CHECK_EQ(mapped(in->map, 0), mapped(in->map, 1));
	CHECK(mapped(in->map, 0) >= 10);
	CHECK_EQ(mapped(in->map, 0), ctx_read_set(in->fd, 0, 0));
}

TEST(child_keeps_page_unmapped_by_parent)
{
	struct inherited in = { .fd = new_context(0) };
	int pipes[2];
	pid_t child;

	in.map = map_ok(in.fd, 0);
	CHECK_OK(pipe(pipes));
	in.go = pipes[0];
	ctx_start_self(in.fd);
	child = spawn(read_inherited, &in);
	touch_pages(10, NULL);
	pfm_unmap_set(in.map);
	/* Closing the descriptor of a self-monitoring context unloads it. */
	CHECK_OK(close(in.fd));
	CHECK_OK(write(pipes[1], "", 1));
	reap(child);
}

TEST(page_outlives_its_set)
{
	pfarg_setdesc_t desc = { .set_id = 1 };
	int fd = new_context(0);
	const volatile pfm_set_page_t *page = page_ok(fd, 1);
	off_t offset = ctx_set_info(fd, 1).set_mmap_offset;

	CHECK_OK(pfm_delete_evtsets(fd, &desc, 1));
	CHECK_EQ(page->map_set, 1);
	expect_no_map(fd, page_size(), PROT_READ, MAP_SHARED, offset);
	/* A new set with the same ID gets a new page. */
	CHECK_OK(pfm_create_evtsets(fd, &desc, 1));
	CHECK(page_ok(fd, 1) != page);
}

static void pages_of_a_user(void *arg)
{
	pfarg_setdesc_t sets[2] = { { .set_id = 1 }, { .set_id = 2 } };
	pfarg_ctx_t ctx = { .ctx_flags = PFM_FL_MAP_SETS };
	int fd;

	become_nobody();
	for (int i = 0; i < 10; i++) {
		fd = ctx_new(PFM_FL_MAP_SETS);
		CHECK_OK(pfm_create_evtsets(fd, &sets[0], 1));
		/*
		 * The limit allows the pages of set0 and set 1, and the memory
		 * of set 1. set0's memory is not charged.
		 */
		CHECK_ERRNO(pfm_create_evtsets(fd, &sets[1], 1), ENOMEM);
		CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), ENOMEM);
		CHECK_OK(pfm_delete_evtsets(fd, &sets[0], 1));
		CHECK_OK(pfm_create_evtsets(fd, &sets[1], 1));
		CHECK_OK(close(fd));
	}
}

TEST(pages_count_as_locked_memory)
{
	with_locked_pages(3, pages_of_a_user);
}
