/* SPDX-License-Identifier: GPL-2.0 */
/*
 * one_module.h - several modules' sources as one module
 *
 * The suites call functions that no module exports. On a kernel that is not
 * rebuilt for them, they are linked into one module with what they test. This
 * header, included first, turns each module's init and exit into parts of that
 * module, which register themselves in link order when it is loaded.
 */
#ifndef PFM_KUNIT_ONE_MODULE_H
#define PFM_KUNIT_ONE_MODULE_H

#include <linux/list.h>
#include <linux/module.h>

/**
 * struct one_part - what was a module
 * @list: in the order of initialisation
 * @init: its module_init()
 * @exit: its module_exit()
 */
struct one_part {
	struct list_head	list;
	int			(*init)(void);
	void			(*exit)(void);
};

void one_module_add(struct one_part *part);

/* Its own init and exit are the module's. */
#ifndef PFM_KUNIT_THE_MODULE
#undef module_init
#define module_init(fn)							\
	static int (*one_init)(void) __refdata = fn

/* Comes after module_init(). */
#undef module_exit
#define module_exit(fn)							\
	static __attribute__((constructor)) void one_add(void)		\
	{								\
		static struct one_part part __refdata = { .exit = fn };	\
									\
		part.init = one_init;					\
		one_module_add(&part);					\
	}
#endif

#endif /* PFM_KUNIT_ONE_MODULE_H */
