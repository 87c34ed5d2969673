// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * buffer.c - mapping the sampling buffer, and the memory it takes (3.5.4,
 *	      4.4.3)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "faults.h"
#include "files.h"
#include "params.h"
#include "smpl.h"
#include "worker.h"

#define PAGES		4
#define SIZE		(PAGES * page())

static size_t page(void)
{
	return sysconf(_SC_PAGESIZE);
}

/* A context with a buffer of PAGES pages that is not mapped. */
static int new_buffer(void)
{
	pfarg_ctx_t ctx;
	int fd = CHECK_OK(smpl_create(&ctx, 0, SIZE, 0));

	CHECK_EQ(ctx.ctx_smpl_buf_size, SIZE);
	return fd;
}

static void *map(int fd)
{
	return mmap(NULL, SIZE, PROT_READ, MAP_SHARED, fd, 0);
}

static void *map_ok(int fd)
{
	void *buf = map(fd);

	CHECK(buf != MAP_FAILED);
	return buf;
}

/* Proves 3.5-04, 3.5.4-03, 3.5.5-01, 3.5.6-02, 3.6.3-06 */
TEST(whole_buffer_can_be_mapped_shared_and_readable)
{
	const pfm_default_smpl_hdr_t *hdr = map_ok(new_buffer());

	CHECK_EQ(hdr->hdr_version, PFM_DFL_SMPL_VERSION);
	CHECK_EQ(hdr->hdr_buf_size, SIZE);
}

/* Proves 3.5.4-05, 3.5.4-07, H02 */
TEST(other_sizes_and_offsets_cannot_be_mapped)
{
	static const size_t pages[] = { 1, PAGES - 1, PAGES + 1, 2 * PAGES,
					1000 };
	static const int offsets[] = { 1, PAGES - 1, PAGES, 1000 };
	int fd = new_buffer();

	for (size_t i = 0; i < ARRAY_SIZE(pages); i++)
		expect_no_map(fd, pages[i] * page(), PROT_READ, MAP_SHARED, 0);
	for (size_t i = 0; i < ARRAY_SIZE(offsets); i++)
		for (size_t n = 1; n <= PAGES; n++)
			expect_no_map(fd, n * page(), PROT_READ, MAP_SHARED,
				      offsets[i] * page());
	map_ok(fd);
}

/* Proves 3.5.4-08, H03 */
TEST(other_protections_and_flags_cannot_be_mapped)
{
	static const int flags[] = {
		MAP_SHARED, MAP_SHARED | MAP_LOCKED, MAP_SHARED | MAP_GROWSDOWN,
		MAP_PRIVATE, MAP_PRIVATE | MAP_LOCKED,
		MAP_PRIVATE | MAP_NORESERVE, MAP_PRIVATE | MAP_POPULATE,
	};
	const int all = PROT_READ | PROT_WRITE | PROT_EXEC;
	int fd = new_buffer();

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
		for (int prot = PROT_NONE; prot <= all; prot++)
			if (flags[i] != MAP_SHARED || prot != PROT_READ)
				expect_no_map(fd, SIZE, prot, flags[i], 0);
	map_ok(fd);
}

/* Proves 3.5.4-09 */
TEST(executable_file_mappings_are_refused)
{
	int fd = new_buffer();
	void *buf = map_ok(fd);

	CHECK_OK(munmap(buf, SIZE));
	expect_no_map(fd, SIZE, PROT_READ, MAP_SHARED | MAP_EXECUTABLE, 0);
	CHECK_EQ(errno, EINVAL);
	CHECK(mmap(buf, SIZE, PROT_READ, MAP_SHARED | MAP_EXECUTABLE, fd, 0) ==
	      MAP_FAILED);
	CHECK(mmap(buf, SIZE, PROT_READ,
		   MAP_SHARED | MAP_FIXED | MAP_EXECUTABLE, fd, 0) ==
	      MAP_FAILED);
	/* It still goes where it is asked to, or anywhere. */
	CHECK(mmap(buf, SIZE, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == buf);
	CHECK_OK(munmap(buf, SIZE));
	CHECK(mmap(buf, SIZE, PROT_READ, MAP_SHARED, fd, 0) == buf);
	CHECK_OK(munmap(buf, SIZE));
	map_ok(fd);
}

/* Proves 3.5.4-04, 4.3.3-02, H03 */
TEST(mapping_cannot_be_made_writable_or_executable)
{
	static const int prots[] = {
		PROT_WRITE, PROT_EXEC, PROT_READ | PROT_WRITE,
		PROT_READ | PROT_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC,
	};
	char *buf = map_ok(new_buffer());

	for (size_t i = 0; i < ARRAY_SIZE(prots); i++) {
		CHECK_ERRNO(mprotect(buf, SIZE, prots[i]), EACCES);
		CHECK_ERRNO(mprotect(buf + page(), page(), prots[i]), EACCES);
	}
}

/* Proves H01 */
TEST(mapping_cannot_grow)
{
	char *buf = map_ok(new_buffer());

	CHECK(mremap(buf, SIZE, 2 * SIZE, MREMAP_MAYMOVE) == MAP_FAILED);
}

/* Proves 3.1.1-15, 3.5.4-06, 3.5.4-10 */
TEST(buffer_is_mapped_once_in_a_process)
{
	int fd = new_buffer();
	void *buf = map_ok(fd);

	CHECK(map(fd) == MAP_FAILED);
	CHECK_OK(munmap(buf, SIZE));
	buf = map_ok(fd);
	CHECK(map(fd) == MAP_FAILED);
}

TEST(buffers_of_two_contexts_can_be_mapped)
{
	CHECK(map_ok(new_buffer()) != map_ok(new_buffer()));
}

/* Proves 3.5.4-10, H02 */
TEST(parts_can_be_unmapped)
{
	int fd = new_buffer();
	char *buf = map_ok(fd);
	const pfm_default_smpl_hdr_t *hdr = (void *)buf;

	CHECK_OK(munmap(buf + page(), page()));
	CHECK_EQ(hdr->hdr_buf_size, SIZE);
	CHECK_EQ(buf[3 * page()], 0);
	/* It is still mapped, if only in parts. */
	CHECK(map(fd) == MAP_FAILED);
	CHECK_OK(munmap(buf, page()));
	CHECK(map(fd) == MAP_FAILED);
	CHECK_OK(munmap(buf + 2 * page(), 2 * page()));
	map_ok(fd);
}

/* Proves 3.5.5-01, H16 */
TEST(new_buffer_is_zero_behind_its_header)
{
	const char *buf = map_ok(new_buffer());

	for (size_t i = sizeof(pfm_default_smpl_hdr_t); i < SIZE; i++)
		CHECK_EQ(buf[i], 0);
}

TEST(context_without_format_cannot_be_mapped)
{
	int fd = ctx_new(0);

	for (size_t n = 1; n <= PAGES; n++)
		expect_no_map(fd, n * page(), PROT_READ, MAP_SHARED, 0);
}

/* A context that samples this process, with 5 entries in its mapped buffer. */
static struct smpl sampled(void)
{
	struct smpl s = smpl_new(0, SIZE, 0);

	ctx_add_counter(s.fd, 0, 0, 1);
	ctx_start_self(s.fd);
	touch_pages(5, NULL);
	ctx_stop(s.fd);
	return s;
}

/* Proves H01 */
TEST(buffer_can_be_read_after_close)
{
	struct smpl s = sampled();

	CHECK_OK(close(s.fd));
	CHECK_EQ(s.hdr->hdr_count, 5);
	CHECK(in_touch_pages(smpl_entry(&s, 4, 0)->ip));
}

/* Proves 3.5.4-01, 3.5.4-11 */
TEST(samples_are_recorded_without_a_mapping)
{
	const pfm_default_smpl_hdr_t *hdr;
	struct smpl s = { .fd = new_buffer() };

	ctx_add_counter(s.fd, 0, 0, 1);
	ctx_start_self(s.fd);
	touch_pages(5, NULL);
	ctx_stop(s.fd);
	/* They wait for a mapping, and for another one. */
	for (int i = 0; i < 2; i++) {
		hdr = map_ok(s.fd);
		s.hdr = hdr;
		CHECK_EQ(hdr->hdr_count, 5);
		CHECK(in_touch_pages(smpl_entry(&s, 4, 0)->ip));
		CHECK_OK(munmap((void *)hdr, SIZE));
	}
}

/* Proves 3.5.4-18 */
TEST(a_mapping_comes_before_the_attachment_and_stays)
{
	struct smpl s = { .fd = new_buffer() };

	s.hdr = map_ok(s.fd);
	CHECK_EQ(s.hdr->hdr_count, 0);
	ctx_add_counter(s.fd, 0, 0, 1);
	for (unsigned int i = 1; i <= 3; i++) {
		ctx_start_self(s.fd);
		touch_pages(5, NULL);
		CHECK_EQ(s.hdr->hdr_count, 5 * i);
		CHECK(in_touch_pages(smpl_entry(&s, 5 * i - 1, 0)->ip));
		CHECK_OK(pfm_unload_context(s.fd));
		CHECK_EQ(s.hdr->hdr_count, 5 * i);
	}
}

static void *read_in_thread(void *arg)
{
	const struct smpl *s = arg;

	CHECK_EQ(s->hdr->hdr_count, 5);
	CHECK(in_touch_pages(smpl_entry(s, 4, 0)->ip));
	return NULL;
}

/* Proves 3.5.4-13, 4.3.3-04 */
TEST(all_threads_see_the_buffer)
{
	struct smpl s = sampled();
	pthread_t thread;

	CHECK(!pthread_create(&thread, NULL, read_in_thread, &s));
	CHECK(!pthread_join(thread, NULL));
}

struct inherited {
	struct smpl	s;
	int		go;
};

/* The number of samples is told by the parent. */
static void read_new_samples(void *arg)
{
	const struct inherited *in = arg;
	__u64 count;

	CHECK_EQ(read(in->go, &count, sizeof(count)), sizeof(count));
	CHECK(count > 5);
	CHECK_EQ(in->s.hdr->hdr_count, count);
	CHECK(smpl_entry(&in->s, count - 1, 0)->ip);
}

/* Proves 3.5.4-12 */
TEST(parent_and_child_share_the_buffer)
{
	struct inherited in = { .s = sampled() };
	__u64 count;
	int pipes[2];
	pid_t child;

	CHECK_OK(pipe(pipes));
	in.go = pipes[0];
	child = spawn(read_new_samples, &in);
	CHECK_OK(pfm_start(in.s.fd, NULL));
	touch_pages(5, NULL);
	ctx_stop(in.s.fd);
	count = in.s.hdr->hdr_count;
	CHECK_EQ(write(pipes[1], &count, sizeof(count)), sizeof(count));
	reap(child);
}

/* Succeeds if no buffer is mapped. */
#define LOOK	"! grep -q perfmon-buffer /proc/$$/maps"

static void look_after_exec(void *arg)
{
	char maps[16384];

	read_text("/proc/self/maps", maps, sizeof(maps));
	CHECK(strstr(maps, "perfmon-buffer"));
	execl("/bin/sh", "sh", "-c", LOOK, NULL);
	check_failed(__FILE__, __LINE__, "no shell");
}

/* Proves 3.5.4-14, 4.3.3-05 */
TEST(exec_removes_the_mapping_and_keeps_the_buffer)
{
	struct smpl s = sampled();

	reap(spawn(look_after_exec, NULL));
	CHECK_EQ(s.hdr->hdr_count, 5);
	CHECK_EQ(ctx_read(s.fd, 0), -1ULL);
}

static void read_inherited(void *arg)
{
	const struct inherited *in = arg;

	CHECK_EQ(in->s.hdr->hdr_count, 5);
	/* The mapping that is inherited is the one that it may have. */
	CHECK(mmap(NULL, in->s.size, PROT_READ, MAP_SHARED, in->s.fd, 0) ==
	      MAP_FAILED);
	wait_go(in->go);
	CHECK_EQ(in->s.hdr->hdr_count, 5);
	CHECK(in_touch_pages(smpl_entry(&in->s, 4, 0)->ip));
}

/* Proves 3.5.4-12, 4.3.3-01, H01 */
TEST(children_inherit_the_mapping_and_keep_it)
{
	struct inherited in = { .s = sampled() };
	int pipes[2];
	pid_t child;

	CHECK_OK(pipe(pipes));
	in.go = pipes[0];
	child = spawn(read_inherited, &in);
	CHECK_OK(munmap((void *)in.s.hdr, in.s.size));
	CHECK_OK(close(in.s.fd));
	CHECK_OK(write(pipes[1], "", 1));
	reap(child);
}

static void map_what_parent_has_closed(void *arg)
{
	struct inherited *in = arg;

	/* Not the mapping, but the descriptor. */
	CHECK_OK(munmap((void *)in->s.hdr, in->s.size));
	wait_go(in->go);
	in->s.hdr = map_ok(in->s.fd);
	CHECK_EQ(in->s.hdr->hdr_count, 5);
	CHECK(in_touch_pages(smpl_entry(&in->s, 4, 0)->ip));
}

/* Proves 3.5.4-17 */
TEST(the_buffer_stays_until_the_last_descriptor_is_closed)
{
	struct inherited in = { .s = sampled() };
	int pipes[2];
	pid_t child;

	CHECK_OK(pipe(pipes));
	in.go = pipes[0];
	child = spawn(map_what_parent_has_closed, &in);
	CHECK_OK(munmap((void *)in.s.hdr, in.s.size));
	CHECK_OK(close(in.s.fd));
	CHECK_OK(write(pipes[1], "", 1));
	reap(child);
}

static void map_what_parent_has_mapped(void *arg)
{
	struct smpl *s = arg;

	CHECK_OK(munmap((void *)s->hdr, s->size));
	CHECK_EQ(((pfm_default_smpl_hdr_t *)map_ok(s->fd))->hdr_count, 5);
}

/* Proves 4.3.3-03, H01 */
TEST(parent_and_child_may_both_map_the_buffer)
{
	struct smpl s = sampled();

	reap(spawn(map_what_parent_has_mapped, &s));
	CHECK(map(s.fd) == MAP_FAILED);
	CHECK_OK(munmap((void *)s.hdr, s.size));
	map_ok(s.fd);
}

static void write_to(void *buf)
{
	__atomic_store_n((char *)buf, 1, __ATOMIC_RELAXED);
}

/* Proves 3.5.4-04, 4.3.3-02, H03 */
TEST(writing_to_the_mapping_ends_the_process)
{
	int status = wait_for(spawn(write_to, map_ok(new_buffer())));

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGSEGV);
}

/* Proves 3.5.4-04, H03 */
TEST(kernel_does_not_write_to_the_mapping)
{
	void *buf = map_ok(new_buffer());
	int pipes[2];

	CHECK_OK(pipe(pipes));
	CHECK_OK(write(pipes[1], "x", 1));
	CHECK_ERRNO(read(pipes[0], buf, 1), EFAULT);
}

/* Limits */

static void expect_no_memory(size_t pages)
{
	pfarg_ctx_t ctx;

	CHECK_ERRNO(smpl_create(&ctx, 0, pages * page(), 0), ENOMEM);
}

static int create_pages(size_t pages)
{
	pfarg_ctx_t ctx;

	return CHECK_OK(smpl_create(&ctx, 0, pages * page(), 0));
}

static void buffers_of_a_user(void *arg)
{
	int fd;

	become_nobody();
	expect_no_memory(16);
	fd = create_pages(8);
	expect_no_memory(8);
	CHECK_OK(close(fd));
	/* What is given back can be had again, any number of times. */
	for (int i = 0; i < 10; i++)
		CHECK_OK(close(create_pages(8)));
}

/* Proves 4.4.3-02, P5.3-01, P7-04, H15 */
TEST(locked_memory_limit_is_respected)
{
	with_locked_pages(10, buffers_of_a_user);
}

struct shared_buffer {
	int	fd;
	int	done;
};

/* What a child inherits is the parent's to pay for, as long as it is there. */
static void other_process_of_the_user(void *arg)
{
	const struct shared_buffer *s = arg;

	expect_no_memory(4);
	wait_go(s->done);
}

static void other_user(void *unused)
{
	CHECK_OK(setresuid(1000, 1000, 1000));
	create_pages(8);
}

static void buffers_of_two_processes(void *unused)
{
	struct shared_buffer s;
	pid_t child;
	int pipes[2];

	CHECK_OK(pipe(pipes));
	reap(spawn(other_user, NULL));
	CHECK_OK(setresuid(65534, 65534, 65534));
	s = (struct shared_buffer){ create_pages(8), pipes[0] };
	child = spawn(other_process_of_the_user, &s);
	CHECK_OK(close(s.fd));
	expect_no_memory(4);
	CHECK_OK(write(pipes[1], "", 1));
	reap(child);
	CHECK_OK(close(create_pages(8)));
}

/* Proves H05, H15 */
TEST(locked_memory_limit_is_for_all_processes_of_a_user)
{
	with_locked_pages(10, buffers_of_two_processes);
}

TEST(locked_memory_limit_is_not_for_root)
{
	limit_locked_pages(1);
	create_pages(8);
}

static void buffers_within_the_global_limit(void *arg)
{
	int fd = create_pages(10);
	void *buf;

	expect_no_memory(7);
	create_pages(6);
	expect_no_memory(1);
	CHECK_OK(close(fd));
	/* A mapping holds the buffer's memory after close(). */
	fd = create_pages(10);
	buf = mmap(NULL, 10 * page(), PROT_READ, MAP_SHARED, fd, 0);
	CHECK(buf != MAP_FAILED);
	CHECK_OK(close(fd));
	expect_no_memory(1);
	CHECK_OK(munmap(buf, 10 * page()));
	for (int i = 0; i < 10; i++)
		CHECK_OK(close(create_pages(10)));
}

static void with_room_for(size_t pages, void (*run)(void *arg))
{
	char bytes[32];
	struct param_run r = { "smpl_buf_size_max", bytes, run, NULL };

	snprintf(bytes, sizeof(bytes), "%zu", pages * page());
	with_param(&r);
}

/* Proves 3.1.1-25, 3.1.16-14, 3.5.11-04, 4.1-03, 4.4.3-03, P7-04, H15 */
TEST(global_limit_is_respected)
{
	with_room_for(16, buffers_within_the_global_limit);
	/* The end of a process gives everything back. */
	with_room_for(16, buffers_within_the_global_limit);
}

static void expect_memory(size_t pages)
{
	CHECK_OK(close(create_pages(pages)));
}

/* A worker holds the only descriptor of a buffer, but for exec. */
static void exec_without_the_buffer(void *arg)
{
	int fd = create_pages(10);
	struct worker w;

	CHECK_OK(fcntl(fd, F_SETFD, FD_CLOEXEC));
	worker_start_holding(&w, fd);
	CHECK_OK(close(fd));
	expect_no_memory(10);
	worker_do(&w, WORK_EXEC, 0);
	expect_memory(10);
	worker_quit(&w);
}

/* The same, where it stays open. */
static void exec_with_the_buffer(void *arg)
{
	int fd = create_pages(10);
	struct worker w;

	worker_start_holding(&w, fd);
	CHECK_OK(close(fd));
	worker_do(&w, WORK_EXEC, 0);
	expect_no_memory(10);
	worker_quit(&w);
	expect_memory(10);
}

/* Proves 3.1.15-01, 3.5.4-15 */
TEST(close_on_exec_frees_the_buffer)
{
	with_room_for(16, exec_without_the_buffer);
}

/* Proves 3.5.4-14, 3.5.4-17 */
TEST(a_buffer_survives_exec_with_its_descriptor)
{
	with_room_for(16, exec_with_the_buffer);
}
