// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * nmi_pebs.c - the PEBS formats on a CPU with precise events
 *
 * The thread spins with known values in all registers, including the stack
 * pointer. Meanwhile the other CPU sends NMIs.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <perfmon/perfmon_pebs32_smpl.h>
#include <perfmon/perfmon_pebs64_smpl.h>

#include "check.h"
#include "ctx.h"
#include "rig.h"
#include "smpl.h"

#define NOTIFY	PFM_REGFL_OVFL_NOTIFY
#define PRECISE(level)	((level) * (1ULL << PFM_PERF_PRECISE_SHIFT))
#define RECORDS	50
#define BASE	256	/* offset of the first record in both layouts */

/* Values in the first record of the test PMU. */
#define ADDR	0x12345678000ULL
#define LATENCY	0x1234
#define SOURCE	0x1e8100042ULL

/*
 * The flags register after the comparison of two equal values: IF, ZF, PF, and
 * bit 1, which is always set.
 */
#define EFLAGS	0x246
/*
 * QEMU 10 sets the flag RF when it resumes after an interrupt, and does not
 * clear it.
 */
#define RESUMED	0x10000

static const pfm_uuid_t uuid32 = PFM_PEBS32_SMPL_UUID;
static const pfm_uuid_t uuid64 = PFM_PEBS64_SMPL_UUID;

extern const char spin_begin[], spin_end[];

/*
 * Spin until *@done is not 0, with known values in all registers. The stack
 * pointer is saved in a variable.
 */
void spin_with_registers(const bool *done);
asm(".pushsection .text\n"
	".globl spin_with_registers, spin_begin, spin_end\n"
	"spin_with_registers:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov %rsp, spin_stack(%rip)\n"
	"	mov $0x11111111, %eax\n"
	"	mov $0x22222222, %ebx\n"
	"	mov $0x33333333, %ecx\n"
	"	mov $0x44444444, %edx\n"
	"	mov $0x55555555, %esi\n"
	"	mov $0x66666666, %ebp\n"
	"	mov $0x77777777, %esp\n"
	"	mov $0x8888888811111111, %r8\n"
	"	mov $0x9999999911111111, %r9\n"
	"	mov $0xaaaaaaaa11111111, %r10\n"
	"	mov $0xbbbbbbbb11111111, %r11\n"
	"	mov $0xcccccccc11111111, %r12\n"
	"	mov $0xdddddddd11111111, %r13\n"
	"	mov $0xeeeeeeee11111111, %r14\n"
	"	mov $0xffffffff11111111, %r15\n"
	"	cmpb $0, (%rdi)\n"
	"spin_begin:\n"
	"	cmpb $0, (%rdi)\n"
	"	je spin_begin\n"
	"spin_end:\n"
	"	mov spin_stack(%rip), %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".popsection\n"
	".local spin_stack\n"
	".comm spin_stack, 8, 8\n");

/* Fill in the fields of a record that is taken while the thread spins. */
static void fill_place(const bool *done, pfm_pebs64_smpl_entry_t *e)
{
	*e = (pfm_pebs64_smpl_entry_t){
		.eflags = EFLAGS,
		.eax = 0x11111111, .ebx = 0x22222222, .ecx = 0x33333333,
		.edx = 0x44444444, .esi = 0x55555555, .edi = (uintptr_t)done,
		.ebp = 0x66666666, .esp = 0x77777777,
		.r8 = 0x8888888811111111, .r9 = 0x9999999911111111,
		.r10 = 0xaaaaaaaa11111111, .r11 = 0xbbbbbbbb11111111,
		.r12 = 0xcccccccc11111111, .r13 = 0xdddddddd11111111,
		.r14 = 0xeeeeeeee11111111, .r15 = 0xffffffff11111111,
	};
}

static bool is_spinning_at(__u64 ip)
{
	return ip >= (uintptr_t)spin_begin && ip < (uintptr_t)spin_end;
}

/* The thread spins until the flag at this address, below 4 GiB, is set. */
static bool *done;

static void spin(const bool *flag)
{
	done = (bool *)flag;
	spin_with_registers(flag);
}

static struct mapped create64(__u32 ctx_flags, __u32 flags, __u64 event)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = BASE + RECORDS * sizeof(pfm_pebs64_skl_entry_t),
		.intr_thres = RECORDS,
		.flags = flags,
		.cnt_reset = -2ULL,
	};
	struct counter c;
	struct mapped m;

	rig_need();
	rig_set("addr", ADDR);
	rig_set("latency", LATENCY);
	rig_set("source", SOURCE);
	m = mapped_new(uuid64, ctx_flags, &arg, sizeof(arg));
	c = rig_counter(0, NOTIFY, 2);
	c.pmc.reg_value = rig_event(2) | event;
	counter_write(m.fd, &c);
	return m;
}

static struct mapped start64(__u32 flags, __u64 event)
{
	struct mapped m = create64(0, flags, event);

	ctx_pin(0);
	ctx_start_on(m.fd, thread_id());
	return m;
}

/* Send NMIs until the buffer is full. */
static void fill(int fd)
{
	while (!ctx_says(fd, "pfm_state:\tmasked"))
		rig_fire_while(2 * RECORDS, spin);
	ctx_expect_message(fd, PFM_MSG_OVFL);
}

/*
 * Check that the instruction pointer is in the spinning code, and that all
 * other fields have the known values.
 */
static void check_place(const pfm_pebs64_smpl_entry_t *e)
{
	pfm_pebs64_smpl_entry_t copy = *e, expected;

	CHECK(is_spinning_at(e->ip));
	fill_place(done, &expected);
	copy.ip = 0;
	copy.eflags &= ~RESUMED;
	for (unsigned int i = 0; i < sizeof(copy) / sizeof(__u64); i++)
		CHECK_EQ(((__u64 *)&copy)[i], ((__u64 *)&expected)[i]);
}

static const pfm_pebs64_smpl_hdr_t *hdr64(const struct mapped *m)
{
	return m->buf;
}

static unsigned int recorded(const struct mapped *m)
{
	const pfm_pebs64_ds_area_t *ds = &hdr64(m)->hdr_ds;

	return (ds->pebs_index - ds->pebs_buf_base) / hdr64(m)->hdr_entry_size;
}

TEST(precise_events_allow_precise_contexts)
{
	struct mapped m = start64(PFM_PEBS64_SMPL_SKYLAKE,
				  PRECISE(2) | PFM_PERF_EXCL_KERNEL);

	fill(m.fd);
	CHECK_EQ(hdr64(&m)->hdr_flags, 0);
	CHECK_EQ(hdr64(&m)->hdr_lost, 0);
	CHECK_EQ(hdr64(&m)->hdr_dropped, 0);
}

TEST(imprecise_events_are_refused)
{
	pfm_pebs64_smpl_arg_t arg = {
		.buf_size = BASE + RECORDS * sizeof(pfm_pebs64_smpl_entry_t),
		.intr_thres = RECORDS,
	};
	struct counter c;
	struct mapped m;

	rig_need();
	m = mapped_new(uuid64, 0, &arg, sizeof(arg));
	c = rig_counter(0, NOTIFY, 2);
	counter_write(m.fd, &c);
	CHECK_ERRNO(ctx_try_load(m.fd, thread_id()), EINVAL);
}

TEST(record_fields_match_what_the_cpu_stored)
{
	struct mapped m = start64(PFM_PEBS64_SMPL_SKYLAKE,
				  PRECISE(2) | PFM_PERF_EXCL_KERNEL);
	const pfm_pebs64_skl_entry_t *r = m.buf + BASE;
	unsigned int spinning = 0;

	fill(m.fd);
	for (unsigned int i = 0; i < RECORDS; i++) {
		const pfm_pebs64_nhm_entry_t *nhm = &r[i].base.base;

		CHECK_EQ(nhm->status, 1);
		CHECK_EQ(nhm->dla, ADDR + i);
		CHECK_EQ(nhm->lat, LATENCY + i);
		CHECK_EQ(nhm->dse, SOURCE);
		CHECK_EQ(r[i].base.real_ip, nhm->base.ip);
		CHECK_EQ(r[i].base.tsx_tuning, 0);
		CHECK(r[i].tsc && (!i || r[i].tsc > r[i - 1].tsc));
		/*
		 * Skip records of NMIs that arrived while the thread was not
		 * spinning.
		 */
		if (!is_spinning_at(nhm->base.ip))
			continue;
		check_place(&nhm->base);
		spinning++;
	}
	CHECK(spinning > RECORDS / 2);
}

/*
 * The values fit in the 32-bit fields of the record, because the spinning code
 * and its data are below 4 GiB.
 */
TEST(record32_fields_match_what_the_cpu_stored)
{
	pfm_pebs32_smpl_arg_t arg = {
		.buf_size = BASE + RECORDS * sizeof(pfm_pebs32_smpl_entry_t),
		.intr_thres = RECORDS,
		.cnt_reset = -2ULL,
	};
	const pfm_pebs32_smpl_entry_t *e;
	pfm_pebs64_smpl_entry_t expected;
	struct counter c;
	struct mapped m;

	rig_need();
	m = mapped_new(uuid32, 0, &arg, sizeof(arg));
	c = rig_counter(0, NOTIFY, 2);
	c.pmc.reg_value = rig_event(2) | PRECISE(1) | PFM_PERF_EXCL_KERNEL;
	counter_write(m.fd, &c);
	ctx_pin(0);
	ctx_start_on(m.fd, thread_id());
	fill(m.fd);
	fill_place(done, &expected);
	e = m.buf + BASE;
	for (unsigned int i = 0; i < RECORDS; i++) {
		CHECK(is_spinning_at(e[i].ip));
		CHECK_EQ(e[i].eflags & ~RESUMED, EFLAGS);
		for (unsigned int j = 2; j < sizeof(*e) / sizeof(__u32); j++)
			CHECK_EQ(((const __u32 *)&e[i])[j],
				 ((const __u64 *)&expected)[j]);
	}
	CHECK_EQ(((const pfm_pebs32_smpl_hdr_t *)m.buf)->hdr_flags, 0);
}

/*
 * The NMIs arrive in the system call of rig_fire(), and RIG_SKID lets the
 * user-level event count them there, as if its interrupts were late. The
 * records contain the user registers that the system call saved.
 */
TEST(late_user_records_are_imprecise)
{
	struct mapped m = start64(PFM_PEBS64_SMPL_SKYLAKE,
				  PRECISE(2) | PFM_PERF_EXCL_KERNEL | RIG_SKID);
	const pfm_pebs64_skl_entry_t *r = m.buf + BASE;

	rig_fire(3);
	ctx_stop(m.fd);
	CHECK_EQ(hdr64(&m)->hdr_flags, PFM_PEBS64_HDR_IMPRECISE);
	CHECK_EQ(hdr64(&m)->hdr_lost, 0);
	CHECK_EQ(recorded(&m), 3);
	for (unsigned int i = 0; i < 3; i++)
		CHECK((__s64)r[i].base.base.base.ip > 0);
}

/*
 * Mute the PMU in order to imitate perf, which drops overflows of the event
 * while it drains records at a context switch.
 */
TEST(muted_records_count_as_lost)
{
	struct mapped m = start64(PFM_PEBS64_SMPL_SKYLAKE, PRECISE(2));

	rig_fire(5);
	rig_set("mute", 1);
	rig_fire(7);
	rig_set("mute", 0);
	CHECK_EQ(recorded(&m), 5);
	rig_fire(1);
	ctx_stop(m.fd);
	CHECK_EQ(recorded(&m), 6);
	CHECK_EQ(ctx_number(m.fd, "pfm_lost"), 7);
	CHECK_EQ(ctx_read(m.fd, 0), -2ULL);
}

/*
 * This thread monitors the other CPU, which runs the idle thread or the kernel
 * thread of the test PMU. Neither has user registers that a record could
 * contain.
 */
TEST(user_records_in_kernel_threads_are_lost)
{
	struct mapped m = create64(PFM_FL_SYSTEM_WIDE, PFM_PEBS64_SMPL_SKYLAKE,
				   PRECISE(2) | PFM_PERF_EXCL_KERNEL |
					   RIG_SKID);
	struct rig_stats stats;

	ctx_pin(1);
	ctx_start_on(m.fd, thread_id());
	stats = rig_stats();
	ctx_pin(0);
	do
		rig_fire_at_cpu(1, 3);
	while (!ctx_number(m.fd, "pfm_lost"));
	stats = rig_since(stats);
	ctx_pin(1);
	ctx_stop(m.fd);
	CHECK_EQ(recorded(&m) + ctx_number(m.fd, "pfm_lost"), stats.reported);
	CHECK_EQ(ctx_read(m.fd, 0), -2ULL);
}
