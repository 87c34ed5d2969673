/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: A kprobe with a user count
 *
 * The kprobe is removed one second after its last user has released it. The
 * delay avoids repeated patching of the kernel's text, which interrupts all
 * CPUs.
 */
#ifndef PERFMON_PERFMON_KPROBE_H
#define PERFMON_PERFMON_KPROBE_H

#include <linux/container_of.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <perfmon/perfmon_work.h>

/**
 * struct pfm_kprobe - a kprobe with a user count
 * @symbol:  function of the kernel
 * @handler: pre-handler, called before the function
 * @lock:    protects the members below
 * @users:   number of users
 * @works:   whether @probe is registered; may be read without the lock
 * @probe:   the kprobe
 * @unused:  delayed work that unregisters @probe
 */
struct pfm_kprobe {
	const char		*symbol;
	kprobe_pre_handler_t	handler;
	struct mutex		lock;
	unsigned int		users;
	bool			works;
	struct kprobe		probe;
	struct delayed_work	unused;
};

/* Context: work item. */
static inline void pfm_kprobe_remove(struct work_struct *work)
{
	struct pfm_kprobe *k =
		container_of(to_delayed_work(work), struct pfm_kprobe, unused);

	mutex_lock(&k->lock);
	if (!k->users && k->works) {
		unregister_kprobe(&k->probe);
		WRITE_ONCE(k->works, false);
	}
	mutex_unlock(&k->lock);
}

#define PFM_KPROBE(name, symbol_, handler_)				\
	struct pfm_kprobe name = {					\
		.symbol = symbol_,					\
		.handler = handler_,					\
		.lock = __MUTEX_INITIALIZER((name).lock),		\
		.unused = __DELAYED_WORK_INITIALIZER((name).unused,	\
						     pfm_kprobe_remove, 0), \
	}

/*
 * Add a user, until pfm_kprobe_put(). The first user registers the kprobe.
 * Context: process. Return: whether the kprobe is registered.
 */
static inline bool pfm_kprobe_get(struct pfm_kprobe *k)
{
	bool works;

	mutex_lock(&k->lock);
	k->users++;
	if (!k->works) {
		/* A kprobe must be cleared before it is registered again. */
		k->probe = (struct kprobe){
			.symbol_name = k->symbol,
			.pre_handler = k->handler,
		};
		WRITE_ONCE(k->works, !register_kprobe(&k->probe));
	}
	works = k->works;
	mutex_unlock(&k->lock);
	return works;
}

/* Remove a user. The last one removes the kprobe later. Context: process. */
static inline void pfm_kprobe_put(struct pfm_kprobe *k)
{
	mutex_lock(&k->lock);
	if (!--k->users)
		mod_delayed_work(pfm_wq, &k->unused, HZ);
	mutex_unlock(&k->lock);
}

/* Clean up before the module is unloaded. Context: process. */
static inline void pfm_kprobe_end(struct pfm_kprobe *k)
{
	flush_delayed_work(&k->unused);
}

#endif /* PERFMON_PERFMON_KPROBE_H */
