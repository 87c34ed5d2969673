/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perfmon_kprobe.h - a kprobe that is there while somebody needs it, and a
 *		      second longer, lest anybody make the kernel change its
 *		      text again and again, which all CPUs notice
 */
#ifndef PERFMON_PERFMON_KPROBE_H
#define PERFMON_PERFMON_KPROBE_H

#include <linux/container_of.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

/**
 * struct pfm_kprobe - a kprobe that comes and goes
 * @symbol:  function of the kernel
 * @handler: what is called before it
 * @lock:    protects the rest
 * @users:   who need it
 * @works:   it is registered; may be read without the lock
 * @probe:   the kernel's side
 * @unused:  removes it
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
 * Somebody needs it, until pfm_kprobe_put().
 * Context: process. Return: is it there?
 */
static inline bool pfm_kprobe_get(struct pfm_kprobe *k)
{
	bool works;

	mutex_lock(&k->lock);
	k->users++;
	if (!k->works) {
		/* The kernel takes none that has been registered before. */
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

/* Context: process. */
static inline void pfm_kprobe_put(struct pfm_kprobe *k)
{
	mutex_lock(&k->lock);
	if (!--k->users)
		mod_delayed_work(system_highpri_wq, &k->unused, HZ);
	mutex_unlock(&k->lock);
}

/* Nobody needs it any more, and the module goes. Context: process. */
static inline void pfm_kprobe_end(struct pfm_kprobe *k)
{
	flush_delayed_work(&k->unused);
}

#endif /* PERFMON_PERFMON_KPROBE_H */
