/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Formats whose samples are read from a device
 *
 * Each overflow writes a record of a fixed size to the ring of its CPU. One
 * program at a time can open /dev/pfm_<name> and read the records of all
 * contexts. The format needs no mapped buffer::
 *
 *	record = pfm_device_begin(&mine_device, arg);
 *	if (!record)
 *		return 0;
 *	record->ip = data->ip;
 *	pfm_device_end(&mine_device, record);
 *	return 0;
 *
 * DEFINE_PFM_DEVICE() defines the device. Files in the format's sysfs directory
 * show the device's name, the record size and the number of lost samples.
 */
#ifndef PERFMON_PERFMON_FMT_DEVICE_H
#define PERFMON_PERFMON_FMT_DEVICE_H

#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/miscdevice.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/sysfs.h>
#include <linux/uio.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <perfmon/perfmon_fmt_ring.h>
#include <perfmon/perfmon_fmt_sdk.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_work.h>

/**
 * struct pfm_device_slot - slot of the ring, with one record
 * @head: header of a ring slot
 * @pos:  position of the slot in the ring
 * @data: the record
 */
struct pfm_device_slot {
	struct pfm_ring_slot	head;
	unsigned long		pos;
	u64			data[];
};

/**
 * struct pfm_device - the device of a format
 * @misc:        the misc device
 * @record_size: size in bytes of a record
 * @num_records: number of records in the ring of each CPU
 * @rings:       one ring for each CPU while there is a reader, or NULL
 * @lost:        lost samples, counted on each CPU
 * @is_open:     whether there is a reader
 * @lock:        serialises reads by several threads of the reader
 * @wait:        threads that wait for records
 * @wake:        irq_work that wakes @wait, or queues @tell if
 *               PFM_IRQ_WORK_IS_RAW
 * @tell:        work item that wakes @wait
 * @attrs:       files in sysfs: device, record_size, lost
 * @list:        NULL-terminated list of @attrs
 * @group:       attribute group of @list
 * @groups:      NULL-terminated list of @group, for fmt_groups
 */
struct pfm_device {
	struct miscdevice		misc;
	size_t				record_size;
	unsigned int			num_records;
	struct pfm_ring __percpu	*rings;
	unsigned long __percpu		*lost;
	atomic_t			is_open;
	struct mutex			lock;
	wait_queue_head_t		wait;
	struct pfm_irq_work		wake;
	struct pfm_work			tell;
	struct kobj_attribute		attrs[3];
	struct attribute		*list[4];
	struct attribute_group		group;
	const struct attribute_group	*groups[2];
};

/**
 * pfm_device_begin() - begin a record
 * @dev: the device
 * @arg: as passed to fmt_handler; out: ovfl_ctrl, so that the PMD is reset and
 *       monitoring continues
 *
 * Counts the sample as lost if there is no reader or the reader is too slow.
 *
 * Context: fmt_handler.
 * Return: the record, to be filled in and passed to pfm_device_end(); or NULL.
 */
static __always_inline void *pfm_device_begin(struct pfm_device *dev,
					      pfm_ovfl_arg_t *arg)
{
	/* Pairs with the release in pfm_device_open(). */
	struct pfm_ring __percpu *rings = smp_load_acquire(&dev->rings);
	struct pfm_device_slot *slot = NULL;
	unsigned long pos;

	pfm_ctrl_continue(arg);
	if (likely(rings))
		slot = pfm_ring_reserve(this_cpu_ptr(rings), &pos);
	if (unlikely(!slot)) {
		this_cpu_inc(*dev->lost);
		return NULL;
	}
	slot->pos = pos;
	return slot->data;
}

/**
 * pfm_device_end() - publish a record
 * @dev:    the device
 * @record: from pfm_device_begin(), complete
 *
 * Context: fmt_handler.
 */
static __always_inline void pfm_device_end(struct pfm_device *dev, void *record)
{
	struct pfm_device_slot *slot =
		container_of(record, struct pfm_device_slot, data);

	pfm_ring_publish(&slot->head, slot->pos);
	/*
	 * Let the irq_work wake the readers, because waking takes locks that
	 * the interrupted code may hold.
	 */
	if (unlikely(wq_has_sleeper(&dev->wait)))
		pfm_irq_work_queue(&dev->wake);
}

/* Get the device of an open file. */
static inline struct pfm_device *pfm_device_of_file(const struct file *file)
{
	return container_of(file->private_data, struct pfm_device, misc);
}

/**
 * pfm_device_of() - get the device of a format
 * @fmt: the format; its fmt_groups must be those of the device
 *
 * Context: any.
 * Return: the device.
 */
static inline struct pfm_device *pfm_device_of(const pfm_buffer_fmt_t *fmt)
{
	return container_of(fmt->fmt_groups, struct pfm_device, groups[0]);
}

static inline bool pfm_device_tell(struct pfm_work *w, bool may_wait)
{
	wake_up_interruptible(&container_of(w, struct pfm_device, tell)->wait);
	return true;
}

static inline void pfm_device_wake(struct irq_work *work)
{
	struct pfm_device *dev =
		container_of(work, struct pfm_device, wake.work);

	if (PFM_IRQ_WORK_IS_RAW)
		pfm_queue_work(&dev->tell);
	else
		wake_up_interruptible(&dev->wait);
	pfm_irq_work_done(&dev->wake);
}

static inline void pfm_device_free_rings(struct pfm_ring __percpu *rings)
{
	int cpu;

	for_each_possible_cpu(cpu)
		pfm_ring_free(per_cpu_ptr(rings, cpu));
	free_percpu(rings);
}

static inline struct pfm_ring __percpu *
pfm_device_new_rings(const struct pfm_device *dev)
{
	size_t stride = sizeof(struct pfm_device_slot) +
			round_up(dev->record_size, sizeof(u64));
	struct pfm_ring __percpu *rings = alloc_percpu(struct pfm_ring);
	int cpu;

	if (!rings)
		return NULL;
	for_each_possible_cpu(cpu)
		if (pfm_ring_init(per_cpu_ptr(rings, cpu), dev->num_records,
				  stride, cpu_to_node(cpu))) {
			pfm_device_free_rings(rings);
			return NULL;
		}
	return rings;
}

/**
 * pfm_device_open() - implement open: allow one reader, allocate the rings
 * @inode: as passed to open
 * @file:  as passed to open
 *
 * Context: process, may sleep.
 * Return: 0; -EBUSY if there is already a reader; -ENOMEM.
 */
static inline int pfm_device_open(struct inode *inode, struct file *file)
{
	struct pfm_device *dev = pfm_device_of_file(file);
	struct pfm_ring __percpu *rings;

	if (atomic_cmpxchg(&dev->is_open, 0, 1))
		return -EBUSY;
	rings = pfm_device_new_rings(dev);
	if (!rings) {
		atomic_set_release(&dev->is_open, 0);
		return -ENOMEM;
	}
	/* Pairs with the acquire in pfm_device_begin(). */
	smp_store_release(&dev->rings, rings);
	return nonseekable_open(inode, file);
}

/* Count unread records as lost. */
static inline void pfm_device_discard(struct pfm_device *dev,
				      struct pfm_ring __percpu *rings)
{
	const struct pfm_ring *r;
	int cpu;

	for_each_possible_cpu(cpu) {
		r = per_cpu_ptr(rings, cpu);
		this_cpu_add(*dev->lost, r->head - r->tail);
	}
}

/**
 * pfm_device_release() - implement release: free the rings
 * @inode: as passed to release
 * @file:  as passed to release
 *
 * Context: process, may sleep.
 * Return: 0.
 */
static inline int pfm_device_release(struct inode *inode, struct file *file)
{
	struct pfm_device *dev = pfm_device_of_file(file);
	struct pfm_ring __percpu *rings = dev->rings;

	WRITE_ONCE(dev->rings, NULL);
	/* Wait for handlers, which run with preemption disabled. */
	synchronize_rcu();
	pfm_irq_work_wait(&dev->wake);
	pfm_cancel_work(&dev->tell);
	pfm_device_discard(dev, rings);
	pfm_device_free_rings(rings);
	/* Pairs with the full barrier in pfm_device_open(). */
	atomic_set_release(&dev->is_open, 0);
	return 0;
}

/* Return: true if there is a record to read. */
static inline bool pfm_device_has_records(const struct pfm_device *dev)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (pfm_ring_next(per_cpu_ptr(dev->rings, cpu)))
			return true;
	return false;
}

/*
 * Copy as many complete records of a CPU as fit, and add their bytes to @done.
 * Return: 0; -EFAULT if @to is not writable.
 */
static inline int pfm_device_copy_cpu(const struct pfm_device *dev, int cpu,
				      struct iov_iter *to, ssize_t *done)
{
	struct pfm_ring *r = per_cpu_ptr(dev->rings, cpu);
	const struct pfm_device_slot *slot;

	while (iov_iter_count(to) >= dev->record_size) {
		slot = pfm_ring_next(r);
		if (!slot)
			return 0;
		if (copy_to_iter(slot->data, dev->record_size, to) !=
		    dev->record_size)
			return -EFAULT;
		pfm_ring_consume(r);
		*done += dev->record_size;
	}
	return 0;
}

/*
 * Copy records of all CPUs. Return: number of bytes copied; 0 if there are no
 * records; a negative errno if none could be copied.
 */
static inline ssize_t pfm_device_copy(struct pfm_device *dev,
				      struct iov_iter *to)
{
	ssize_t done = 0;
	int cpu, ret = 0;

	if (mutex_lock_interruptible(&dev->lock))
		return -ERESTARTSYS;
	for_each_possible_cpu(cpu) {
		ret = pfm_device_copy_cpu(dev, cpu, to, &done);
		if (ret)
			break;
	}
	mutex_unlock(&dev->lock);
	return done ? done : ret;
}

/**
 * pfm_device_read() - implement read_iter: read complete records
 * @iocb: as passed to read_iter
 * @to:   as passed to read_iter
 *
 * The records of each CPU are in order.
 *
 * Context: process, may sleep.
 * Return: number of bytes; -EINVAL if @to is smaller than a record; -EAGAIN if
 * there are no records and the file is nonblocking; -ERESTARTSYS; -EFAULT.
 */
static inline ssize_t pfm_device_read(struct kiocb *iocb, struct iov_iter *to)
{
	struct pfm_device *dev = pfm_device_of_file(iocb->ki_filp);
	bool wait = !(iocb->ki_filp->f_flags & O_NONBLOCK);
	ssize_t ret;

	if (iov_iter_count(to) < dev->record_size)
		return -EINVAL;
	for (;;) {
		ret = pfm_device_copy(dev, to);
		if (ret)
			return ret;
		if (!wait)
			return -EAGAIN;
		ret = wait_event_interruptible(dev->wait,
					       pfm_device_has_records(dev));
		if (ret)
			return ret;
	}
}

/**
 * pfm_device_poll() - implement poll: report whether there is a record
 * @file:  as passed to poll
 * @table: as passed to poll
 *
 * Context: process, may sleep.
 * Return: the events.
 */
static inline __poll_t pfm_device_poll(struct file *file, poll_table *table)
{
	struct pfm_device *dev = pfm_device_of_file(file);

	poll_wait(file, &dev->wait, table);
	/* Pairs with the barrier of wq_has_sleeper() in pfm_device_end(). */
	smp_mb();
	return pfm_device_has_records(dev) ? EPOLLIN | EPOLLRDNORM : 0;
}

static inline ssize_t pfm_device_show_name(struct kobject *kobj,
					   struct kobj_attribute *attr,
					   char *buf)
{
	const struct pfm_device *dev =
		container_of(attr, struct pfm_device, attrs[0]);

	return sysfs_emit(buf, "%s\n", dev->misc.name);
}

static inline ssize_t pfm_device_show_size(struct kobject *kobj,
					   struct kobj_attribute *attr,
					   char *buf)
{
	const struct pfm_device *dev =
		container_of(attr, struct pfm_device, attrs[1]);

	return sysfs_emit(buf, "%zu\n", dev->record_size);
}

/**
 * pfm_device_lost() - get the number of lost samples
 * @dev: the device
 *
 * Context: any.
 * Return: the number since the module was loaded.
 */
static inline unsigned long pfm_device_lost(const struct pfm_device *dev)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(dev->lost, cpu));
	return sum;
}

static inline ssize_t pfm_device_show_lost(struct kobject *kobj,
					   struct kobj_attribute *attr,
					   char *buf)
{
	const struct pfm_device *dev =
		container_of(attr, struct pfm_device, attrs[2]);

	return sysfs_emit(buf, "%lu\n", pfm_device_lost(dev));
}

/**
 * DEFINE_PFM_DEVICE() - define the device of a format
 * @fmt:    name of the format; the device is /dev/pfm_<fmt>. The macro defines
 *          <fmt>_device and, for pfm_format_module_with(), <fmt>_device_add()
 *          and <fmt>_device_del()
 * @size:   size in bytes of a record
 * @number: number of records in the ring of each CPU
 *
 * Only root can read the device, because it returns the samples of all
 * contexts. A udev rule can give a group access.
 */
#define DEFINE_PFM_DEVICE(fmt, size, number)				\
	static const struct file_operations fmt##_device_fops = {	\
		.owner		= THIS_MODULE,				\
		.open		= pfm_device_open,			\
		.release	= pfm_device_release,			\
		.read_iter	= pfm_device_read,			\
		.poll		= pfm_device_poll,			\
	};								\
	static DEFINE_PER_CPU(unsigned long, fmt##_device_lost);	\
	static struct pfm_device fmt##_device = {			\
		.misc = {						\
			.minor	= MISC_DYNAMIC_MINOR,			\
			.name	= "pfm_" #fmt,				\
			.fops	= &fmt##_device_fops,			\
			.mode	= 0600,					\
		},							\
		.record_size = (size),					\
		.num_records = (number),				\
		.lost = &fmt##_device_lost,				\
		.lock = __MUTEX_INITIALIZER(fmt##_device.lock),		\
		.wait = __WAIT_QUEUE_HEAD_INITIALIZER(fmt##_device.wait), \
		.wake.work = PFM_IRQ_WORK_INIT(pfm_device_wake),	\
		.attrs = {						\
			__ATTR(device, 0444, pfm_device_show_name, NULL), \
			__ATTR(record_size, 0444, pfm_device_show_size, \
			       NULL),					\
			__ATTR(lost, 0444, pfm_device_show_lost, NULL),	\
		},							\
		.list = {						\
			&fmt##_device.attrs[0].attr,			\
			&fmt##_device.attrs[1].attr,			\
			&fmt##_device.attrs[2].attr,			\
		},							\
		.group.attrs = fmt##_device.list,			\
		.groups = { &fmt##_device.group },			\
	};								\
	static int fmt##_device_add(void)				\
	{								\
		pfm_work_prepare(&fmt##_device.tell, pfm_device_tell);	\
		return misc_register(&fmt##_device.misc);		\
	}								\
	static void fmt##_device_del(void)				\
	{								\
		misc_deregister(&fmt##_device.misc);			\
	}

#endif /* PERFMON_PERFMON_FMT_DEVICE_H */
