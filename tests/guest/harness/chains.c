// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * chains.c - contexts that record call chains, and code with known call chains
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "chains.h"
#include "check.h"
#include "ctx.h"
#include "smpl.h"

#define noipa	__attribute__((noipa))

uintptr_t known_callers[KNOWN_CALLERS];

struct chains chains_new(__u32 ctx_flags)
{
	static const pfm_uuid_t uuid = CALLERS_UUID;
	struct mapped m = mapped_new(uuid, ctx_flags, NULL, 0);

	return (struct chains){ m.fd, m.buf };
}

const struct callers_smpl *chain_at(const struct chains *c, __u64 n)
{
	__u64 count = __atomic_load_n(&c->hdr->count, __ATOMIC_ACQUIRE);

	CHECK(n < count);
	CHECK(count - n <= CALLERS_SAMPLES);
	return &c->hdr->samples[n % CALLERS_SAMPLES];
}

const struct callers_smpl *only_chain(const struct chains *c)
{
	CHECK_EQ(c->hdr->count, 1);
	return chain_at(c, 0);
}

static bool is_kernels(__u64 address)
{
	return address >> 63;
}

void expect_sane(const struct callers_smpl *s)
{
	CHECK(s->num_user <= CALLERS_MAX);
	CHECK(s->num_kernel <= CALLERS_MAX);
	/*
	 * In code without frame pointers, the user entries after the first are
	 * arbitrary.
	 */
	if (s->num_user)
		CHECK(!is_kernels(s->user[0]));
	for (unsigned int i = 0; i < s->num_kernel; i++)
		CHECK(is_kernels(s->kernel[i]));
	if (is_kernels(s->ip)) {
		CHECK(s->num_kernel > 0);
		CHECK_EQ(s->kernel[0], s->ip);
	} else {
		CHECK_EQ(s->num_kernel, 0);
		CHECK(s->num_user > 0);
		CHECK_EQ(s->user[0], s->ip);
	}
}

/* Known callers */

noipa static void inner(void (*bottom)(void *arg), void *arg)
{
	have_frame();
	known_callers[1] = (uintptr_t)__builtin_return_address(0);
	bottom(arg);
	no_tail_call();
}

noipa static void outer(void (*bottom)(void *arg), void *arg)
{
	have_frame();
	known_callers[2] = (uintptr_t)__builtin_return_address(0);
	inner(bottom, arg);
	no_tail_call();
}

noipa void call_known(void (*bottom)(void *arg), void *arg)
{
	have_frame();
	known_callers[3] = (uintptr_t)__builtin_return_address(0);
	outer(bottom, arg);
	no_tail_call();
}

bool has_known_callers(const struct callers_smpl *s)
{
	if (s->num_user < 1 + KNOWN_CALLERS)
		return false;
	for (unsigned int i = 0; i < KNOWN_CALLERS; i++)
		if (s->user[1 + i] != known_callers[i])
			return false;
	return true;
}

/* Hostile frame pointers */

char *fresh_page(void)
{
	char *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(page != MAP_FAILED);
	return page;
}

struct frame {
	uintptr_t	next;
	uintptr_t	ret;
};

/* Return the end of a page that is followed by an inaccessible page. */
static uintptr_t end_of_memory(void)
{
	size_t size = sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(pages != MAP_FAILED);
	memset(pages, 1, size);
	CHECK_OK(mprotect(pages + size, size, PROT_NONE));
	return (uintptr_t)pages + size;
}

unsigned int hostile_frames(struct hostile *h)
{
	/* The elements of each array have ascending addresses. */
	static struct frame loop, pair[2], down[2], none, end[2];
	const uintptr_t last = -1UL, behind = end_of_memory();
	const struct hostile all[] = {
		{ "null", 0, 0 },
		{ "null page", 64, 0 },
		{ "unaligned", (uintptr_t)&loop + 1, 0 },
		{ "unmapped", behind + 64, 0 },
		{ "half mapped", behind - sizeof(uintptr_t), 0 },
		{ "not present", (uintptr_t)fresh_page(), 0 },
		{ "of the kernel", (last >> 1) + 1 + 4096, 0 },
		{ "lowest of the kernel", (last >> 1) + 1, 0 },
		{ "end of all", last - sizeof(struct frame) + 1, 0 },
		{ "wraps", last - sizeof(uintptr_t) + 1, 0 },
		{ "its own", (uintptr_t)&loop, 1 },
		{ "a circle", (uintptr_t)&pair[0], 2 },
		{ "downwards", (uintptr_t)&down[1], 1 },
		{ "no return", (uintptr_t)&none, 0 },
		{ "leads out", (uintptr_t)&end[0], 2 },
	};

	loop = (struct frame){ (uintptr_t)&loop, 0x1111 };
	pair[0] = (struct frame){ (uintptr_t)&pair[1], 0x2222 };
	pair[1] = (struct frame){ (uintptr_t)&pair[0], 0x3333 };
	down[0] = (struct frame){ (uintptr_t)&down[1], 0x4444 };
	down[1] = (struct frame){ (uintptr_t)&down[0], 0x5555 };
	none = (struct frame){ (uintptr_t)&pair[0], 0 };
	end[0] = (struct frame){ (uintptr_t)&end[1], 0x6666 };
	end[1] = (struct frame){ last - sizeof(struct frame) + 1, 0x7777 };
	memcpy(h, all, sizeof(all));
	return ARRAY_SIZE(all);
}

#if defined(__x86_64__)
#define WITH_FRAME(instructions)					\
	"mov %%rbp, %%r12\n\tmov %[fp], %%rbp\n" instructions		\
	"\n\tmov %%r12, %%rbp"
#define KEPT	"r12"
#elif defined(__i386__)
#define WITH_FRAME(instructions)					\
	"mov %%ebp, %%esi\n\tmov %[fp], %%ebp\n" instructions		\
	"\n\tmov %%esi, %%ebp"
#define KEPT	"esi"
#else
#define WITH_FRAME(instructions)					\
	"mov x9, x29\n\tmov x29, %[fp]\n" instructions "\n\tmov x29, x9"
#define KEPT	"x9"
#endif

#if defined(__aarch64__)
#define STORE	"\tstrb wzr, [%[at]]"
#define LOOP	"1:\tldrb w10, [%[at]]\n\tcbz w10, 1b"
#define USED	"x10"
#else
#define STORE	"\tmovb $0, (%[at])"
#define LOOP	"1:\tcmpb $0, (%[at])\n\tje 1b"
#define USED	"cc"
#endif

noipa __section("hostile_text")
void touch_with_frame(volatile char *at, uintptr_t fp)
{
	__asm__ volatile(WITH_FRAME(STORE) : : [at] "r"(at), [fp] "r"(fp) :
			 KEPT, "memory");
}

noipa __section("hostile_text")
void spin_with_frame(const bool *done, uintptr_t fp)
{
	__asm__ volatile(WITH_FRAME(LOOP) : : [at] "r"(done), [fp] "r"(fp) :
			 KEPT, USED, "memory");
}

/* Kernel symbols */

struct symbol {
	__u64	address;
	char	name[128];
};

/*
 * Find the function of each chain entry. If a function ends with a call, the
 * return address is the first byte after the function.
 */
static void find_symbols(const struct callers_smpl *s, struct symbol *found)
{
	FILE *file = fopen("/proc/kallsyms", "r");
	unsigned long long address;
	struct symbol symbol;
	char line[512], type;

	CHECK(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%llx %c %127s", &address, &type,
			   symbol.name) != 3)
			continue;
		symbol.address = address;
		for (unsigned int i = 0; i < s->num_kernel; i++)
			if (address < s->kernel[i] + !i &&
			    address >= found[i].address)
				found[i] = symbol;
	}
	fclose(file);
}

bool kernel_called(const struct callers_smpl *s, const char *name)
{
	static struct symbol found[CALLERS_MAX];
	static struct callers_smpl last;

	/* Reading all symbols is slow, so keep those of the last sample. */
	if (memcmp(&last, s, sizeof(*s))) {
		memset(found, 0, sizeof(found));
		find_symbols(s, found);
		last = *s;
	}
	for (unsigned int i = 0; i < s->num_kernel; i++)
		if (!strcmp(found[i].name, name))
			return true;
	for (unsigned int i = 0; i < s->num_kernel; i++)
		printf("# %#llx %s\n", s->kernel[i], found[i].name);
	return false;
}
