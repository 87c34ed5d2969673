/* SPDX-License-Identifier: GPL-2.0 */
/*
 * one_module.h - the sources of several modules as one module
 *
 * The suites call functions that modules do not export. On a kernel that is not
 * rebuilt for the suites, they are linked into one module with the code under
 * test. This header is included first. It turns each module's init and exit
 * into parts of that module, which register themselves in link order at load.
 */
#ifndef PFM_KUNIT_ONE_MODULE_H
#define PFM_KUNIT_ONE_MODULE_H

#include <linux/list.h>
#include <linux/module.h>

/**
 * struct one_part - init and exit of a former module
 * @list: in initialisation order
 * @init: its module_init()
 * @exit: its module_exit()
 */
struct one_part {
	struct list_head	list;
	int			(*init)(void);
	void			(*exit)(void);
};

void one_module_add(struct one_part *part);

/* one_module.c itself keeps the real module_init() and module_exit(). */
#ifndef PFM_KUNIT_THE_MODULE
#undef module_init
#define module_init(fn)							\
	static int (*one_init)(void) __refdata = fn

/* module_exit() follows module_init() in all sources. */
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
