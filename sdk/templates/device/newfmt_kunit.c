// SPDX-License-Identifier: GPL-2.0
/*
 * newfmt_kunit.c - tests the handler and the device
 *
 * Copyright YEAR AUTHOR
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/mman.h>
#include <perfmon/perfmon_fmt_device.h>
#include <perfmon/perfmon_fmt_kunit.h>
#include "perfmon_newfmt_smpl.h"

#define GO_ON	((u32)PFM_OVFL_CTRL_RESET)
#define SIZE	((ssize_t)sizeof(pfm_newfmt_record_t))

/* The reader's nonblocking file; f_op is NULL unless it is open */
static struct file reader;

static int newfmt_kunit_init(struct kunit *test)
{
	static const pfm_uuid_t uuid = PFM_NEWFMT_SMPL_UUID;

	return pfm_calls_init(test, uuid);
}

static struct pfm_device *device_of(struct kunit *test)
{
	const struct pfm_fmt_calls *d = test->priv;

	return pfm_device_of(d->fmt);
}

/* Open the device as @file. Return: 0 or an error. */
static int open_by(struct kunit *test, struct file *file)
{
	struct pfm_device *dev = device_of(test);

	*file = (struct file) {
		.f_op = dev->misc.fops,
		.f_flags = O_RDONLY | O_NONBLOCK,
		.private_data = &dev->misc,
	};
	return file->f_op->open(NULL, file);
}

static void open_reader(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, open_by(test, &reader), 0);
	pfm_calls_make(test, NULL);
}

static void close_reader(void)
{
	if (reader.f_op)
		reader.f_op->release(NULL, &reader);
	reader.f_op = NULL;
}

static void newfmt_kunit_exit(struct kunit *test)
{
	pfm_calls_exit(test);
	close_reader();
}

static ssize_t read_to(struct iov_iter *to)
{
	struct kiocb iocb;

	init_sync_kiocb(&iocb, &reader);
	return reader.f_op->read_iter(&iocb, to);
}

static ssize_t read_bytes(void *to, size_t size)
{
	struct kvec vec = { .iov_base = to, .iov_len = size };
	struct iov_iter iter;

	iov_iter_kvec(&iter, ITER_DEST, &vec, 1, size);
	return read_to(&iter);
}

/* Cause an overflow, whose address depends on @pmd. */
static void overflow(struct kunit *test, u16 pmd)
{
	struct pfm_fmt_calls *d = test->priv;

	KUNIT_EXPECT_EQ(test, pfm_calls_sample(d, pmd, 0), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
}

static void every_byte_of_a_record_is_written(struct kunit *test)
{
	struct pfm_fmt_calls *d = test->priv;
	static const struct pfm_calls_value values[] = {
		SAMPLED_VALUES
	};
	static const pfm_newfmt_record_t expected = {
		RECORD_EXPECTED
	};
	pfm_newfmt_record_t record;

	open_reader(test);
	d->arg.pmd_eventid = 77;
	KUNIT_EXPECT_EQ(test, pfm_calls_sample_values(d, 1, values,
						      ARRAY_SIZE(values)), 0);
	KUNIT_EXPECT_EQ(test, d->arg.ovfl_ctrl.val, GO_ON);
	memset(&record, 0xff, sizeof(record));
	KUNIT_EXPECT_EQ(test, read_bytes(&record, SIZE), SIZE);
	KUNIT_EXPECT_MEMEQ(test, &record, &expected, sizeof(expected));
}

static void whole_records_are_read_in_order(struct kunit *test)
{
	pfm_newfmt_record_t records[3] = {};
	u16 i;

	open_reader(test);
	for (i = 0; i < 3; i++)
		overflow(test, i);
	KUNIT_EXPECT_EQ(test, read_bytes(records, SIZE - 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_bytes(records, 2 * SIZE - 1), SIZE);
	KUNIT_EXPECT_EQ(test, read_bytes(&records[1], 4 * SIZE), 2 * SIZE);
	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, records[i].ip, PFM_CALLS_IP(i));
	KUNIT_EXPECT_EQ(test, read_bytes(records, SIZE), -EAGAIN);
}

static void failed_copy_keeps_record(struct kunit *test)
{
	/* Map read-only memory. */
	unsigned long addr = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ,
					   MAP_PRIVATE | MAP_ANONYMOUS, 0);
	pfm_newfmt_record_t record;
	struct iov_iter iter;

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr) || !addr);
	open_reader(test);
	overflow(test, 1);
	iov_iter_ubuf(&iter, ITER_DEST, (void __user *)addr, SIZE);
	KUNIT_EXPECT_EQ(test, read_to(&iter), -EFAULT);
	KUNIT_EXPECT_EQ(test, read_bytes(&record, SIZE), SIZE);
}

static void poll_reports_readable_records(struct kunit *test)
{
	pfm_newfmt_record_t record;

	open_reader(test);
	KUNIT_EXPECT_EQ(test, reader.f_op->poll(&reader, NULL), 0);
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, reader.f_op->poll(&reader, NULL),
			EPOLLIN | EPOLLRDNORM);
	read_bytes(&record, SIZE);
	KUNIT_EXPECT_EQ(test, reader.f_op->poll(&reader, NULL), 0);
}

/* A thread of the reader that waits for records */
struct thread {
	struct completion	done;
	ssize_t			ret;
	pfm_newfmt_record_t	record;
};

static int read_one(void *data)
{
	struct thread *thread = data;

	thread->ret = read_bytes(&thread->record, SIZE);
	complete(&thread->done);
	return 0;
}

static void read_waits_for_record(struct kunit *test)
{
	struct thread *thread = kunit_kzalloc(test, sizeof(*thread),
					      GFP_KERNEL);
	struct pfm_device *dev = device_of(test);

	KUNIT_ASSERT_NOT_NULL(test, thread);
	open_reader(test);
	reader.f_flags &= ~O_NONBLOCK;
	init_completion(&thread->done);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(read_one, thread,
						    "reader")));
	while (!wq_has_sleeper(&dev->wait) && !completion_done(&thread->done))
		schedule();
	overflow(test, 1);
	wait_for_completion(&thread->done);
	KUNIT_EXPECT_EQ(test, thread->ret, SIZE);
	KUNIT_EXPECT_EQ(test, thread->record.ip, PFM_CALLS_IP(1));
}

static void second_reader_gets_ebusy(struct kunit *test)
{
	struct file *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, other);
	open_reader(test);
	KUNIT_EXPECT_EQ(test, open_by(test, other), -EBUSY);
	close_reader();
	KUNIT_EXPECT_EQ(test, open_by(test, &reader), 0);
}

static void sample_without_reader_is_lost(struct kunit *test)
{
	unsigned long before = pfm_device_lost(device_of(test));
	pfm_newfmt_record_t record;

	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, pfm_device_lost(device_of(test)), before + 1);
	open_reader(test);
	KUNIT_EXPECT_EQ(test, read_bytes(&record, SIZE), -EAGAIN);
}

static void sample_without_room_is_lost(struct kunit *test)
{
	unsigned long before = pfm_device_lost(device_of(test));
	unsigned int i;

	open_reader(test);
	for (i = 0; i < PFM_NEWFMT_RECORDS + 2; i++)
		overflow(test, 1);
	KUNIT_EXPECT_EQ(test, pfm_device_lost(device_of(test)), before + 2);
}

static void unread_records_are_lost(struct kunit *test)
{
	unsigned long before = pfm_device_lost(device_of(test));
	pfm_newfmt_record_t record;
	u16 i;

	open_reader(test);
	for (i = 0; i < 3; i++)
		overflow(test, i);
	KUNIT_EXPECT_EQ(test, read_bytes(&record, SIZE), SIZE);
	close_reader();
	KUNIT_EXPECT_EQ(test, pfm_device_lost(device_of(test)), before + 2);
	overflow(test, 1);
	KUNIT_EXPECT_EQ(test, pfm_device_lost(device_of(test)), before + 3);
}

static struct kunit_case newfmt_cases[] = {
	KUNIT_CASE(every_byte_of_a_record_is_written),
	KUNIT_CASE(whole_records_are_read_in_order),
	KUNIT_CASE(failed_copy_keeps_record),
	KUNIT_CASE(poll_reports_readable_records),
	KUNIT_CASE(read_waits_for_record),
	KUNIT_CASE(second_reader_gets_ebusy),
	KUNIT_CASE(sample_without_reader_is_lost),
	KUNIT_CASE(sample_without_room_is_lost),
	KUNIT_CASE(unread_records_are_lost),
	{}
};

static struct kunit_suite newfmt_suite = {
	.name = "pfm_newfmt",
	.init = newfmt_kunit_init,
	.exit = newfmt_kunit_exit,
	.test_cases = newfmt_cases,
};

kunit_test_suite(newfmt_suite);
