// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * pfm_callers - the cost of call chains in a handler, in guest instructions
 *
 * Page faults are sampled with call chains of growing length. In user space the
 * chains consist of artificial frames; in the kernel they are those of a
 * read().
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "../guest/fmt_callers/callers_smpl.h"
#include "bench.h"

#define PARAMETERS	"/sys/module/pfm_fmt_callers/parameters/"

static struct {
	uintptr_t	next;
	uintptr_t	ret;
} frames[CALLERS_MAX];
static int zeroes, file;
static const struct callers_hdr *samples;

/* Map pages that exist already, as run_faults() does. */
static char *map_file(void)
{
	char *p = mmap(NULL, FAULTS * sysconf(_SC_PAGESIZE),
		       PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

static void unmap_file(char *p)
{
	munmap(p, FAULTS * sysconf(_SC_PAGESIZE));
}

static void __attribute__((noipa)) touch(char *p, char *end, size_t step)
{
#if defined(__aarch64__)
	__asm__ volatile("mov x9, x29\n\tmov x29, %[fp]\n"
			 "1:\tstrb wzr, [%[p]]\n\tadd %[p], %[p], %[step]\n"
			 "\tcmp %[p], %[end]\n\tb.ne 1b\n\tmov x29, x9"
			 : [p] "+r"(p) : [end] "r"(end), [step] "r"(step),
			   [fp] "r"(frames) : "x9", "cc", "memory");
#else
	__asm__ volatile("mov %%rbp, %%r12\n\tmov %[fp], %%rbp\n"
			 "1:\tmovb $0, (%[p])\n\tadd %[step], %[p]\n"
			 "\tcmp %[end], %[p]\n\tjne 1b\n\tmov %%r12, %%rbp"
			 : [p] "+r"(p) : [end] "r"(end), [step] "r"(step),
			   [fp] "r"(frames) : "r12", "cc", "memory");
#endif
}

static void fault_at_user_level(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *p = map_file();

	touch(p, p + FAULTS * page, page);
	unmap_file(p);
}

static void fault_in_the_kernel(void)
{
	size_t size = FAULTS * sysconf(_SC_PAGESIZE);
	char *p = map_file();

	if (read(zeroes, p, size) != (ssize_t)size)
		die("read");
	unmap_file(p);
}

static void set_max(const char *parameter, unsigned int value)
{
	char path[96], text[16];
	int fd;

	snprintf(path, sizeof(path), PARAMETERS "%s", parameter);
	snprintf(text, sizeof(text), "%u", value);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("%s", path);
	close(fd);
}

/*
 * Return the number of instructions per page fault, with chains of at most
 * @entries entries. All faults must be sampled.
 */
static double measure(void (*run)(void), const char *parameter,
		      unsigned int entries)
{
	uint64_t before = samples->count;
	double cost;

	set_max(parameter, entries);
	cost = (double)least(run) / FAULTS;
	if (samples->count - before < ROUNDS * FAULTS)
		die("%" PRIu64 " samples", (uint64_t)samples->count - before);
	return cost;
}

static void compare(const char *what, void (*run)(void), const char *parameter,
		    unsigned int more)
{
	double none, first, second, last;

	set_max("max_user", 0);
	set_max("max_kernel", 0);
	/*
	 * The first run includes costs that occur only once, so it is not
	 * measured.
	 */
	run();
	none = measure(run, parameter, 0);
	first = measure(run, parameter, 1);
	second = measure(run, parameter, 2);
	last = measure(run, parameter, 2 + more);
	printf("%-20s %12.1f %14.1f %14.1f", what, first - none,
	       second - first, (last - second) / more);
	end_row(0, 0);
}

int main(void)
{
	pfarg_ctx_t ctx = { .ctx_smpl_buf_id = CALLERS_UUID };
	int fd = pfm_create_context(&ctx, NULL, 0);

	if (fd < 0)
		die("PFM_CREATE_CONTEXT");
	for (unsigned int i = 0; i < CALLERS_MAX; i++) {
		frames[i].next = (uintptr_t)&frames[i + 1];
		frames[i].ret = 0x10000 + i;
	}
	zeroes = open("/dev/zero", O_RDONLY);
	file = memfd_create("faults", MFD_CLOEXEC);
	if (zeroes < 0 || file < 0 ||
	    ftruncate(file, FAULTS * sysconf(_SC_PAGESIZE)))
		die("files");
	fault_in_the_kernel();
	samples = mmap(NULL, ctx.ctx_smpl_buf_size, PROT_READ, MAP_SHARED, fd,
		       0);
	if (samples == MAP_FAILED)
		die("mmap of the buffer");
	lift_cpu_limit();
	write_counter(fd, 0, 0, PAGE_FAULTS, -1, 0);
	start_on(fd, syscall(SYS_gettid));
	printf("call chains, instructions per sample\n%-20s %12s %14s %14s\n", "",
	       "own address", "first caller", "each further");
	compare("user space", fault_at_user_level, "max_user", 16);
	compare("kernel", fault_in_the_kernel, "max_kernel", 3);
	return 0;
}
