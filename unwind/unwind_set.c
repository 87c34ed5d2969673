// SPDX-License-Identifier: GPL-2.0
/*
 * unwind_set.c - a set of unwind tables, and the processes that use it
 *
 * The mappings of a process are copied in three steps. An overflow that does
 * not find a valid copy queues an irq_work. The irq_work runs when the
 * overflow's interrupt has returned, and queues a task work. The task work,
 * which may sleep, makes the copy before the thread returns to user space. The
 * process's next overflow finds the copy.
 *
 * A tool that knows that a process is new, or has changed, can have the copy
 * made at once with pfm_unwind_set_copy_of().
 *
 * Copies refer to tables, which therefore stay until the set is freed. A copy
 * is looked up by the process's struct pid and its self_exec_id, which each
 * exec changes. A copy does not hold references to the mm or to files, so that
 * these can be freed when the process exits.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/export.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/refcount.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_pmu.h>
#include "charge.h"
#include "thread_work.h"
#include "unwind_live.h"
#include "unwind_set.h"

#define FILE_BITS	10
#define PROCESS_BITS	6

/*
 * Minimum age of a copy that pfm_unwind_set_missed() has replaced. Without it,
 * a thread with an invalid return address would copy its mappings after each
 * sample.
 */
#define MISSED_AGE	(HZ / 10)

/**
 * struct unwind_file - a file with a table
 * @node:  in the set's files
 * @key:   identity of the file
 * @table: the table
 * @bytes: memory of the table
 */
struct unwind_file {
	struct hlist_node	node;
	struct pfm_unwind_key	key;
	struct pfm_unwind_table	table;
	void			*bytes;
};

/**
 * struct unwind_request - a CPU's request for a copy
 * @set:   the set; the task work holds a reference
 * @busy:  bit 0: requested and not yet served
 * @task:  thread that needs the copy; only compared with current
 * @defer: queues @work
 * @work:  makes the copy
 */
struct unwind_request {
	struct pfm_unwind_set	*set;
	unsigned long		busy;
	struct task_struct	*task;
	struct pfm_irq_work	defer;
	struct callback_head	work;
};

/**
 * struct pfm_unwind_set - a set of tables
 * @ref:       references
 * @lock:      serialises changes
 * @charge:    memlock charge for the set, its tables and @room
 * @nr_files:  number of files
 * @secret:    makes the hash of files unpredictable
 * @used:      bytes of all processes and copies
 * @room:      upper limit for @used
 * @by_age:    processes, oldest copy first
 * @requests:  one for each CPU
 * @files:     files by inode
 * @processes: processes by pid
 */
struct pfm_unwind_set {
	refcount_t			ref;
	struct mutex			lock;
	struct pfm_charge		charge;
	u32				nr_files;
	u32				secret;
	size_t				used;
	size_t				room;
	struct list_head		by_age;
	struct unwind_request __percpu	*requests;
	DECLARE_HASHTABLE(files, FILE_BITS);
	DECLARE_HASHTABLE(processes, PROCESS_BITS);
};

static void process_free(struct rcu_head *rcu)
{
	struct pfm_unwind_process *p =
		container_of(rcu, struct pfm_unwind_process, rcu);

	kvfree(p->maps);
	kfree(p);
}

/* Get the number of bytes that a process takes up. */
static size_t size_of(const struct pfm_unwind_process *p)
{
	return sizeof(*p) + sizeof(*p->pid) + p->maps->size;
}

/* Context: process, lock held. */
static void process_remove(struct pfm_unwind_set *set,
			   struct pfm_unwind_process *p)
{
	set->used -= size_of(p);
	hash_del_rcu(&p->node);
	list_del(&p->age);
	/* Overflows that still see @p do not dereference @p->pid. */
	put_pid(p->pid);
	call_rcu(&p->rcu, process_free);
}

/* Context: any; RCU read-side section, or the lock is held. */
static struct pfm_unwind_process *notrace
process_find(struct pfm_unwind_set *set, const struct pid *pid, u64 exec_id)
{
	struct pfm_unwind_process *p;

	hash_for_each_possible_rcu_notrace(set->processes, p, node,
					   (unsigned long)pid)
		if (p->pid == pid && p->exec_id == exec_id)
			return p;
	return NULL;
}

/* Remove copies of ended processes, and the oldest copies until @size fits. */
static void make_room(struct pfm_unwind_set *set, size_t size)
{
	struct pfm_unwind_process *p, *next;

	list_for_each_entry_safe(p, next, &set->by_age, age)
		if (!pid_has_task(p->pid, PIDTYPE_TGID))
			process_remove(set, p);
	list_for_each_entry_safe(p, next, &set->by_age, age) {
		if (set->used + size <= set->room)
			break;
		process_remove(set, p);
	}
}

/*
 * Publish a process's copy. Return: 0; -EBUSY if the set is locked, for example
 * by a tool that adds a table.
 */
static int publish(struct pfm_unwind_set *set, struct pfm_unwind_process *new)
{
	struct pfm_unwind_process *old;

	if (!mutex_trylock(&set->lock))
		return -EBUSY;
	old = process_find(set, new->pid, new->exec_id);
	if (old)
		process_remove(set, old);
	make_room(set, size_of(new));
	set->used += size_of(new);
	get_pid(new->pid);
	list_add_tail(&new->age, &set->by_age);
	hash_add_rcu(set->processes, &new->node, (unsigned long)new->pid);
	mutex_unlock(&set->lock);
	return 0;
}

static u32 hash_of(const struct pfm_unwind_set *set,
		   const struct pfm_unwind_key *key)
{
	return jhash_3words(key->dev, key->ino, key->ino >> 32, set->secret);
}

static struct unwind_file *file_find(struct pfm_unwind_set *set,
				     const struct pfm_unwind_key *key)
{
	struct unwind_file *file;

	hash_for_each_possible_rcu_notrace(set->files, file, node,
					   hash_of(set, key))
		if (pfm_unwind_key_equal(&file->key, key))
			return file;
	return NULL;
}

/*
 * Find the table of a file. This does not take the set's lock: overflows call
 * it, and pfm_unwind_set_add() calls it with the lock held.
 */
static const struct pfm_unwind_table *
table_find(void *set, const struct pfm_unwind_key *key)
{
	struct unwind_file *file;

	rcu_read_lock();
	file = file_find(set, key);
	rcu_read_unlock();
	/* Files are freed only with the set. */
	return file ? &file->table : NULL;
}

/* Copy the mappings to @p, and publish @p. */
static int copy_to(struct pfm_unwind_set *set, struct pfm_unwind_process *p,
		   struct mm_struct *mm)
{
	int ret;

	/* Pairs with the release in pfm_unwind_set_add(). */
	p->files = smp_load_acquire(&set->nr_files);
	p->maps = pfm_unwind_maps_create(mm, table_find, set);
	if (IS_ERR(p->maps))
		return PTR_ERR(p->maps);
	ret = size_of(p) > set->room ? -ENOSPC : publish(set, p);
	if (ret)
		kvfree(p->maps);
	return ret;
}

/* Copy the mappings of the process @pid, whose memory is @mm. */
static int set_copy(struct pfm_unwind_set *set, struct pid *pid, u64 exec_id,
		    struct mm_struct *mm)
{
	struct pfm_unwind_process *p = kzalloc(sizeof(*p), PFM_GFP);
	int ret;

	if (!p)
		return -ENOMEM;
	p->pid = pid;
	p->exec_id = exec_id;
	ret = copy_to(set, p, mm);
	if (ret)
		kfree(p);
	return ret;
}

int pfm_unwind_set_copy(struct pfm_unwind_set *set)
{
	return set_copy(set, task_tgid(current), current->self_exec_id,
			current->mm);
}

/*
 * Is the caller allowed to request a copy of a process's mappings? Copying
 * takes the process's mmap_lock, but does not disclose the mappings to the
 * caller.
 */
static bool may_copy(struct task_struct *task)
{
	return uid_eq(current_euid(), task_uid(task)) || perfmon_capable();
}

int pfm_unwind_set_copy_of(struct pfm_unwind_set *set, struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	struct mm_struct *mm;
	int ret = -ESRCH;
	u64 exec_id;

	if (!task)
		return -ESRCH;
	exec_id = READ_ONCE(task->self_exec_id);
	/*
	 * Read the ID before the mm. An exec replaces the mm before it changes
	 * the ID, so the copy of an old mm cannot get the new ID.
	 */
	smp_rmb();
	mm = get_task_mm(task);
	if (mm) {
		ret = may_copy(task) ? set_copy(set, pid, exec_id, mm) : -EPERM;
		mmput(mm);
	}
	put_task_struct(task);
	return ret;
}

bool pfm_unwind_set_is_own(const struct pfm_unwind_set *set)
{
	return set->charge.mm == current->mm;
}

/* Get the number of bytes to charge for a table. */
static size_t charge_of(size_t size)
{
	return size + sizeof(struct unwind_file);
}

bool pfm_unwind_set_charge(struct pfm_unwind_set *set, size_t size)
{
	bool ok;

	mutex_lock(&set->lock);
	ok = pfm_charge_more(&set->charge, charge_of(size));
	mutex_unlock(&set->lock);
	return ok;
}

void pfm_unwind_set_uncharge(struct pfm_unwind_set *set, size_t size)
{
	mutex_lock(&set->lock);
	pfm_charge_less(&set->charge, charge_of(size));
	mutex_unlock(&set->lock);
}

int pfm_unwind_set_add(struct pfm_unwind_set *set,
		       const struct pfm_unwind_key *key, void *bytes,
		       size_t size, unsigned int machine)
{
	struct unwind_file *file = kzalloc(sizeof(*file), PFM_GFP);
	int ret;

	if (!file)
		return -ENOMEM;
	file->key = *key;
	file->bytes = bytes;
	ret = pfm_unwind_table_init(&file->table, bytes, size, machine);
	if (ret)
		goto err_file;
	mutex_lock(&set->lock);
	if (table_find(set, key)) {
		ret = -EEXIST;
	} else if (set->nr_files == PFM_UNWIND_MAX_TABLES) {
		ret = -ENOSPC;
	} else {
		hash_add_rcu(set->files, &file->node, hash_of(set, key));
		/* Pairs with the acquire in copy_to(). */
		smp_store_release(&set->nr_files, set->nr_files + 1);
	}
	mutex_unlock(&set->lock);
	if (!ret)
		return 0;
err_file:
	kfree(file);
	return ret;
}

static void set_free(struct pfm_unwind_set *set)
{
	struct pfm_unwind_process *p, *next;
	struct hlist_node *next_file;
	struct unwind_file *file;
	int bucket;

	mutex_lock(&set->lock);
	list_for_each_entry_safe(p, next, &set->by_age, age)
		process_remove(set, p);
	mutex_unlock(&set->lock);
	hash_for_each_safe(set->files, bucket, next_file, file, node) {
		kvfree(file->bytes);
		kfree(file);
	}
	free_percpu(set->requests);
	pfm_charge_end(&set->charge);
	kfree(set);
}

static void set_unref(struct pfm_unwind_set *set)
{
	if (refcount_dec_and_test(&set->ref))
		set_free(set);
}

static void request_end(struct unwind_request *request)
{
	clear_bit_unlock(0, &request->busy);
}

static void serve_request(struct callback_head *work)
{
	struct unwind_request *request = container_of(work,
						      struct unwind_request,
						      work);
	struct pfm_unwind_set *set = request->set;

	/* If copying fails, the next overflow requests a copy again. */
	if (current->mm)
		pfm_unwind_set_copy(set);
	request_end(request);
	set_unref(set);
	pfm_thread_work_done();
}

static void defer_request(struct irq_work *irq_work)
{
	struct unwind_request *request = container_of(irq_work,
						      struct unwind_request,
						      defer.work);

	/* The set is valid: pfm_unwind_set_put() waits for this function. */
	pfm_unwind_set_get(request->set);
	/* An irq_work may run at a later tick, when another thread runs. */
	if (current != request->task ||
	    !pfm_thread_work_add(current, &request->work, TWA_RESUME)) {
		refcount_dec(&request->set->ref);
		request_end(request);
	}
	pfm_irq_work_done(&request->defer);
}

static void notrace request_copy(struct pfm_unwind_set *set)
{
	struct unwind_request *request = this_cpu_ptr(set->requests);

	if (test_and_set_bit_lock(0, &request->busy))
		return;
	request->task = current;
	pfm_irq_work_queue(&request->defer);
}

const struct pfm_unwind_space *notrace
pfm_unwind_set_space(struct pfm_unwind_set *set, u64 sp, bool at_user)
{
	struct pfm_unwind_process *p = process_find(set, task_tgid(current),
						    current->self_exec_id);
	bool valid = p && !pfm_unwind_maps_are_stale(p->maps, current->mm) &&
		     !pfm_unwind_maps_lack_stack(p->maps, current->mm, sp);

	if (at_user && (!valid || p->files != READ_ONCE(set->nr_files)))
		request_copy(set);
	return valid ? &p->maps->space : NULL;
}

void notrace pfm_unwind_set_missed(struct pfm_unwind_set *set,
				   const struct pfm_unwind_space *space)
{
	const struct pfm_unwind_maps *maps =
		container_of(space, struct pfm_unwind_maps, space);

	/* A truncated copy would lack the same mappings again. */
	if (space->nr_texts < PFM_UNWIND_MAX_TEXTS &&
	    time_after(jiffies, maps->made + MISSED_AGE))
		request_copy(set);
}

struct pfm_unwind_live *notrace
pfm_unwind_set_look(struct pfm_unwind_set *set, u64 sp)
{
	struct pfm_unwind_live *live = pfm_unwind_live_here();

	return pfm_unwind_live_begin(live, sp, table_find, set) ? live : NULL;
}

struct pfm_unwind_set *pfm_unwind_set_create(size_t room)
{
	struct pfm_unwind_set *set = kzalloc(sizeof(*set), PFM_GFP);
	struct unwind_request *request;
	int cpu;

	if (!set)
		return NULL;
	pfm_charge_begin(&set->charge);
	if (pfm_charge_more(&set->charge,
			    room + sizeof(*set) +
			    num_possible_cpus() * sizeof(*request)))
		set->requests = alloc_percpu_gfp(struct unwind_request,
						 PFM_GFP);
	if (!set->requests) {
		pfm_charge_end(&set->charge);
		kfree(set);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		request = per_cpu_ptr(set->requests, cpu);
		request->set = set;
		request->defer.work = PFM_IRQ_WORK_INIT(defer_request);
		init_task_work(&request->work, serve_request);
	}
	set->room = room;
	set->secret = get_random_u32();
	refcount_set(&set->ref, 1);
	mutex_init(&set->lock);
	INIT_LIST_HEAD(&set->by_age);
	hash_init(set->files);
	hash_init(set->processes);
	return set;
}

void pfm_unwind_set_get(struct pfm_unwind_set *set)
{
	refcount_inc(&set->ref);
}

void pfm_unwind_set_put(struct pfm_unwind_set *set)
{
	int cpu;

	if (!set)
		return;
	/* defer_request() relies on this reference until it has its own. */
	for_each_possible_cpu(cpu)
		pfm_irq_work_wait(&per_cpu_ptr(set->requests, cpu)->defer);
	set_unref(set);
}
EXPORT_SYMBOL_GPL(pfm_unwind_set_put);
