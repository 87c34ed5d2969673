// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * buffer.c - mapping of the sampling buffer, and charging of its memory
 * (specification 3.5.4, 4.4.3)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
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

/* Create a context with an unmapped buffer of PAGES pages. */
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
	/*
	 * Without MAP_EXECUTABLE, the buffer can be mapped: at a fixed address,
	 * at a hinted address, and at an address of the kernel's choice.
	 */
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

static long count_faults(void)
{
	struct rusage usage;

	CHECK_OK(getrusage(RUSAGE_SELF, &usage));
	return usage.ru_minflt + usage.ru_majflt;
}

/* mmap() maps all pages at once, so that readers cause no page faults. */
TEST(reading_the_mapping_causes_no_page_faults)
{
	enum { MANY = 256 };
	pfarg_ctx_t ctx;
	int fd = CHECK_OK(smpl_create(&ctx, 0, MANY * page(), 0));
	char *buf = mmap(NULL, MANY * page(), PROT_READ, MAP_SHARED, fd, 0);
	long faults;

	CHECK(buf != MAP_FAILED);
	count_faults();
	faults = count_faults();
	for (size_t i = 0; i < MANY; i++)
		__atomic_load_n(buf + i * page(), __ATOMIC_RELAXED);
	/* The kernel may have caused a few faults, but not one per page. */
	CHECK(count_faults() - faults < MANY / 16);
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
	/* The buffer counts as mapped as long as a part of it is mapped. */
	CHECK(map(fd) == MAP_FAILED);
	CHECK_OK(munmap(buf, page()));
	CHECK(map(fd) == MAP_FAILED);
	CHECK_OK(munmap(buf + 2 * page(), 2 * page()));
	map_ok(fd);
}

/* Proves 3.5.5-01, H16 */
TEST(new_buffer_is_zeroed_after_its_header)
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

/* Sample this process. Return: the mapped buffer, which contains 5 entries. */
static struct smpl sampled(void)
{
	struct smpl s = smpl_new(0, SIZE, 0);

	ctx_add_counter(s.fd, 0, 0, 1);
	ctx_start_self(s.fd);
	touch_pages(5, NULL);
	ctx_stop(s.fd);
	return s;
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
	/* The samples can be read in two mappings, one after the other. */
	for (int i = 0; i < 2; i++) {
		hdr = map_ok(s.fd);
		s.hdr = hdr;
		CHECK_EQ(hdr->hdr_count, 5);
		CHECK(in_touch_pages(smpl_entry(&s, 4, 0)->ip));
		CHECK_OK(munmap((void *)hdr, SIZE));
	}
}

/* Proves 3.5.4-18 */
TEST(mapping_made_before_load_stays_valid)
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

/* Read new samples. The parent sends the number of samples through a pipe. */
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

/* A shell command that succeeds if the shell has no buffer mapped. */
#define LOOK	"! grep -q perfmon-buffer /proc/$$/maps"

static void look_after_exec(void *arg)
{
	char maps[16384];

	read_text("/proc/self/maps", maps, sizeof(maps));
	CHECK(strstr(maps, "perfmon-buffer"));
	execl("/bin/sh", "sh", "-c", LOOK, NULL);
	check_failed(__FILE__, __LINE__, "cannot execute /bin/sh");
}

/* Proves 3.5.4-14, 4.3.3-05 */
TEST(exec_removes_the_mapping_and_keeps_the_buffer)
{
	struct smpl s = sampled();

	reap(spawn(look_after_exec, NULL));
	CHECK_EQ(s.hdr->hdr_count, 5);
	CHECK_EQ(ctx_read(s.fd, 0), -1ULL);
}

/* Let a child keep using the buffer that its parent has unmapped and closed. */
static void outlive_parents_buffer(void (*child_goes_on)(void *in))
{
	struct inherited in = { .s = sampled() };
	int pipes[2];
	pid_t child;

	CHECK_OK(pipe(pipes));
	in.go = pipes[0];
	child = spawn(child_goes_on, &in);
	CHECK_OK(munmap((void *)in.s.hdr, in.s.size));
	CHECK_OK(close(in.s.fd));
	CHECK_OK(write(pipes[1], "", 1));
	reap(child);
}

static void read_inherited(void *arg)
{
	const struct inherited *in = arg;

	CHECK_EQ(in->s.hdr->hdr_count, 5);
	/* The child has inherited a mapping, so perfmon refuses another one. */
	CHECK(mmap(NULL, in->s.size, PROT_READ, MAP_SHARED, in->s.fd, 0) ==
	      MAP_FAILED);
	wait_go(in->go);
	CHECK_EQ(in->s.hdr->hdr_count, 5);
	CHECK(in_touch_pages(smpl_entry(&in->s, 4, 0)->ip));
}

/* Proves 3.5.4-12, 4.3.3-01, H01 */
TEST(child_keeps_mapping_unmapped_by_parent)
{
	outlive_parents_buffer(read_inherited);
}

static void map_what_parent_has_closed(void *arg)
{
	struct inherited *in = arg;

	/* Drop the mapping and keep the descriptor. */
	CHECK_OK(munmap((void *)in->s.hdr, in->s.size));
	wait_go(in->go);
	in->s.hdr = map_ok(in->s.fd);
	CHECK_EQ(in->s.hdr->hdr_count, 5);
	CHECK(in_touch_pages(smpl_entry(&in->s, 4, 0)->ip));
}

/* Proves 3.5.4-17 */
TEST(buffer_lives_until_last_descriptor_is_closed)
{
	outlive_parents_buffer(map_what_parent_has_closed);
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
TEST(write_to_mapping_raises_sigsegv)
{
	int status = wait_for(spawn(write_to, map_ok(new_buffer())));

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGSEGV);
}

/* Proves 3.5.4-04, H03 */
TEST(system_call_cannot_write_to_mapping)
{
	void *buf = map_ok(new_buffer());
	int pipes[2];

	CHECK_OK(pipe(pipes));
	CHECK_OK(write(pipes[1], "x", 1));
	CHECK_ERRNO(read(pipes[0], buf, 1), EFAULT);
}

/* close() */

static void close_and_read(void *arg)
{
	const struct smpl *s = arg;

	CHECK_OK(close(s->fd));
	__atomic_load_n(&s->hdr->hdr_count, __ATOMIC_RELAXED);
}

/* Proves 3.5.4-16 */
TEST(read_after_close_raises_sigsegv)
{
	struct smpl s = sampled();
	int status = wait_for(spawn(close_and_read, &s));

	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGSEGV);
	/* The child's close does not affect the parent's mapping. */
	CHECK_EQ(s.hdr->hdr_count, 5);
}

static void *close_in_thread(void *arg)
{
	CHECK_OK(close(*(int *)arg));
	return NULL;
}

/* Proves 3.5.4-16, H01 */
TEST(close_removes_the_mapping_from_all_threads)
{
	struct smpl s = sampled();
	const char *last = (const char *)s.hdr + s.size - 1;
	pthread_t thread;

	CHECK(can_read(s.hdr));
	CHECK(can_read(last));
	CHECK(!pthread_create(&thread, NULL, close_in_thread, &s.fd));
	CHECK(!pthread_join(thread, NULL));
	CHECK(!can_read(s.hdr));
	CHECK(!can_read(last));
	CHECK_ERRNO(mprotect((void *)s.hdr, s.size, PROT_READ), EACCES);
	CHECK_OK(munmap((void *)s.hdr, s.size));
}

/* Proves 3.5.4-16 */
TEST(close_removes_the_mapping_with_the_last_descriptor)
{
	struct smpl s = sampled();
	int copy = CHECK_OK(dup(s.fd));

	CHECK_OK(close(s.fd));
	CHECK_EQ(s.hdr->hdr_count, 5);
	/* dup2() also closes the descriptor that it replaces. */
	CHECK_OK(dup2(STDOUT_FILENO, copy));
	CHECK(!can_read(s.hdr));
}

/* Proves 3.5.4-10, 3.5.4-16 */
TEST(close_removes_partly_unmapped_mapping)
{
	int fd = new_buffer();
	char *buf = map_ok(fd);

	CHECK_OK(munmap(buf + page(), page()));
	CHECK_OK(close(fd));
	CHECK(!can_read(buf));
	CHECK(!can_read(buf + 2 * page()));
	CHECK(!can_read(buf + 3 * page()));
	CHECK_OK(munmap(buf, SIZE));
}

/* Proves 3.5.4-16 */
TEST(close_removes_the_mapping_of_its_own_context_only)
{
	int fds[] = { new_buffer(), new_buffer() };
	void *bufs[] = { map_ok(fds[0]), map_ok(fds[1]) };

	CHECK_OK(close(fds[0]));
	CHECK(!can_read(bufs[0]));
	CHECK(can_read(bufs[1]));
}

/* The child of vfork() shares the memory, but has its own descriptor table. */
TEST(close_in_a_child_of_vfork_removes_nothing)
{
	struct smpl s = sampled();
	pid_t child = vfork();

	if (!child) {
		close(s.fd);
		_exit(0);
	}
	reap(CHECK_OK(child));
	CHECK_EQ(s.hdr->hdr_count, 5);
	CHECK_EQ(ctx_read(s.fd, 0), -1ULL);
}

/*
 * With CLONE_VFORK alone, the parent waits as after vfork(), but the child has
 * its own memory.
 * Proves 3.5.4-16, H01
 */
TEST(close_in_clone_vfork_child_removes_its_mapping)
{
	struct smpl s = sampled();
	int status;
	pid_t child = syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0);

	if (!child) {
		close_and_read(&s);
		_exit(0);
	}
	status = wait_for(CHECK_OK(child));
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(WTERMSIG(status), SIGSEGV);
	CHECK_EQ(s.hdr->hdr_count, 5);
}

/* Proves 3.5.4-06, 3.5.4-16, 3.5.4-17 */
TEST(buffer_can_be_remapped_after_close)
{
	struct smpl s = sampled(), again = s;
	int sockets[2];

	CHECK_OK(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	send_descriptor(sockets[0], s.fd);
	CHECK_OK(close(s.fd));
	CHECK(!can_read(s.hdr));
	again.fd = receive_descriptor(sockets[1]);
	again.hdr = map_ok(again.fd);
	CHECK(again.hdr != s.hdr);
	CHECK_EQ(again.hdr->hdr_count, 5);
	CHECK(in_touch_pages(smpl_entry(&again, 4, 0)->ip));
	/* The mapping that was removed stays removed. */
	CHECK(!can_read(s.hdr));
	CHECK_OK(munmap((void *)s.hdr, s.size));
	CHECK_OK(close(again.fd));
	CHECK(!can_read(again.hdr));
}

struct racing_map {
	int	fd;
	void	*buf;
};

static void *map_in_thread(void *arg)
{
	struct racing_map *m = arg;

	m->buf = map(m->fd);
	return NULL;
}

/* No matter whether close() or mmap() comes first, nothing stays mapped. */
TEST(close_racing_with_mmap_leaves_no_mapping)
{
	for (int i = 0; i < 100; i++) {
		struct racing_map m = { .fd = new_buffer() };
		pthread_t thread;

		CHECK(!pthread_create(&thread, NULL, map_in_thread, &m));
		for (int spin = 0; spin < i * 30; spin++)
			__asm__ volatile("");
		CHECK_OK(close(m.fd));
		CHECK(!pthread_join(thread, NULL));
		CHECK(m.buf == MAP_FAILED || !can_read(m.buf));
		if (m.buf != MAP_FAILED)
			CHECK_OK(munmap(m.buf, SIZE));
	}
}

static void keep_what_parent_closes(void *arg)
{
	const struct inherited *in = arg;

	wait_go(in->go);
	CHECK_EQ(in->s.hdr->hdr_count, 5);
	/*
	 * The parent has closed the descriptor, so this close frees the memory.
	 */
	CHECK_OK(close(in->s.fd));
	CHECK(!can_read(in->s.hdr));
}

/* Proves 3.5.4-16, 3.5.4-17, 4.3.3-01 */
TEST(close_removes_mapping_of_calling_process_only)
{
	struct inherited in = { .s = sampled() };
	int pipes[2];
	pid_t child;

	CHECK_OK(pipe(pipes));
	in.go = pipes[0];
	child = spawn(keep_what_parent_closes, &in);
	CHECK_OK(close(in.s.fd));
	CHECK(!can_read(in.s.hdr));
	CHECK_OK(write(pipes[1], "", 1));
	reap(child);
}

/* Attributes that a process requests for all its mappings */

/*
 * Return whether the smaps entry of a mapping contains a flag. @flag includes a
 * space on either side.
 */
static bool has_vm_flag(const void *buf, const char *flag)
{
	bool found = false, here = false;
	FILE *smaps = fopen("/proc/self/smaps", "re");
	unsigned long start, end;
	char line[512];

	CHECK(smaps);
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
			here = start == (unsigned long)buf;
		else if (here && !strncmp(line, "VmFlags:", 8))
			found = strstr(line, flag);
	}
	fclose(smaps);
	return found;
}

static void expect_read_only(const void *buf)
{
	CHECK(has_vm_flag(buf, " rd "));
	CHECK(!has_vm_flag(buf, " wr "));
	CHECK(!has_vm_flag(buf, " mw "));
	CHECK(!has_vm_flag(buf, " ex "));
	CHECK(!has_vm_flag(buf, " me "));
	CHECK(!has_vm_flag(buf, " lo "));
}

/* Proves 3.5.4-03, 3.5.4-08 */
TEST(process_that_locks_all_memory_can_map_the_buffer)
{
	const pfm_default_smpl_hdr_t *hdr;

	CHECK_OK(mlockall(MCL_FUTURE));
	hdr = map_ok(new_buffer());
	CHECK_EQ(hdr->hdr_buf_size, SIZE);
	expect_read_only(hdr);
	CHECK_OK(munlockall());
	expect_no_map(new_buffer(), SIZE, PROT_READ, MAP_SHARED | MAP_LOCKED,
		      0);
}

static void tell_fault(int sig, siginfo_t *info, void *context)
{
	_exit(info->si_code == SEGV_ACCERR && sig == SIGSEGV ? PASSED : FAILED);
}

/*
 * Execute zeroes, and exit with PASSED if that raises SIGSEGV because the
 * memory is not executable. If it is executable, the result is another signal
 * or si_code: zeroes are an invalid instruction, or one that accesses address
 * 0.
 */
static void run_zeroes(void *code)
{
	struct sigaction action = { .sa_sigaction = tell_fault,
				    .sa_flags = SA_SIGINFO };

	CHECK_OK(sigaction(SIGSEGV, &action, NULL));
	CHECK_OK(sigaction(SIGILL, &action, NULL));
#if defined(__x86_64__) || defined(__i386__)
	__asm__ volatile("jmp *%1" : : "a"(0), "d"(code));
#else
	((void (*)(void))code)();
#endif
}

/* Proves 3.5.4-03, 3.5.4-08, H03 */
TEST(buffer_mapping_ignores_read_implies_exec)
{
	char *buf;

	CHECK_OK(personality(READ_IMPLIES_EXEC));
	buf = map_ok(new_buffer());
	expect_read_only(buf);
	reap(spawn(run_zeroes, buf + page()));
	CHECK_OK(mprotect(buf, SIZE, PROT_READ));
	expect_read_only(buf);
	CHECK_OK(personality(PER_LINUX));
	expect_no_map(new_buffer(), SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, 0);
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
	/* Released memory can be allocated again, any number of times. */
	for (int i = 0; i < 10; i++)
		CHECK_OK(close(create_pages(8)));
}

/* Proves 4.4.3-02, P5.3-01, P7-04, H15 */
TEST(memlock_limit_applies_to_buffers)
{
	with_locked_pages(10, buffers_of_a_user);
}

static void buffers_beside_locked_memory(void *unused)
{
	void *locked = mmap(NULL, 4 * page(), PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(locked != MAP_FAILED);
	CHECK_OK(mlock(locked, 4 * page()));
	become_nobody();
	expect_no_memory(6);
	CHECK_OK(close(create_pages(5)));
	CHECK_OK(munlock(locked, 4 * page()));
	create_pages(6);
}

/*
 * perfmon also charges a page in front of the buffer.
 *
 * Proves 4.4.3-02, P7-04, H15
 */
TEST(memlock_limit_includes_memory_locked_by_process)
{
	with_locked_pages(10, buffers_beside_locked_memory);
}

struct shared_buffer {
	int	fd;
	int	done;
};

/* Check that an inherited buffer is still charged to the user. */
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
TEST(memlock_limit_spans_all_processes_of_a_user)
{
	with_locked_pages(10, buffers_of_two_processes);
}

TEST(memlock_limit_does_not_apply_to_root)
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
	/* Closing a context also frees its mapped buffer. */
	for (int i = 0; i < 10; i++) {
		fd = create_pages(10);
		buf = mmap(NULL, 10 * page(), PROT_READ, MAP_SHARED, fd, 0);
		CHECK(buf != MAP_FAILED);
		CHECK_OK(close(fd));
	}
}

static void with_room_for(size_t pages, void (*run)(void *arg))
{
	char bytes[32];
	struct param_run r = { "smpl_buf_size_max", bytes, run, NULL };

	snprintf(bytes, sizeof(bytes), "%zu", pages * page());
	with_param(&r);
}

/* Proves 3.1.1-25, 3.1.16-14, 3.5.11-04, 4.1-03, 4.4.3-03, P7-04, H15 */
TEST(smpl_buf_size_max_limits_all_buffers)
{
	with_room_for(16, buffers_within_the_global_limit);
	/* The exit of the process has freed everything. */
	with_room_for(16, buffers_within_the_global_limit);
}

static void expect_memory(size_t pages)
{
	CHECK_OK(close(create_pages(pages)));
}

/*
 * Let a worker hold the only descriptor of a buffer. exec closes the
 * descriptor.
 */
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

/*
 * Let a worker hold the only descriptor of a buffer. exec keeps the descriptor
 * open.
 */
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
TEST(buffer_survives_exec_with_its_descriptor)
{
	with_room_for(16, exec_with_the_buffer);
}

static void *ask_for_too_much(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		expect_no_memory(100);
	return NULL;
}

static void create_beside_what_is_refused(void *unused)
{
	pthread_t threads[2];
	bool stop = false;

	become_nobody();
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, ask_for_too_much,
				      &stop));
	for (int i = 0; i < 1000; i++)
		CHECK_OK(close(create_pages(8)));
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

/* Proves H15 */
TEST(refused_buffer_does_not_use_up_the_limit)
{
	with_locked_pages(10, create_beside_what_is_refused);
}

static void create_more_than_there_is(void *log)
{
	static char text[1 << 16];
	pfarg_ctx_t ctx;
	ssize_t n;

	CHECK_ERRNO(smpl_create(&ctx, 0, 1ULL << 40, 0), ENOMEM);
	while ((n = read(*(int *)log, text, sizeof(text) - 1)) > 0) {
		text[n] = 0;
		CHECK(!strstr(text, "vmalloc"));
	}
	CHECK_EQ(errno, EAGAIN);
}

TEST(oversized_buffer_fails_without_vmalloc_warning)
{
	int log = CHECK_OK(open("/dev/kmsg", O_RDONLY | O_NONBLOCK));
	struct param_run r = { "smpl_buf_size_max", "0x7fffffffffffffff",
			       create_more_than_there_is, &log };

	CHECK_OK(lseek(log, 0, SEEK_END));
	with_param(&r);
}
