/* SPDX-License-Identifier: GPL-2.0 */
/*
 * one_module.h - link the sources of several modules into one module
 *
 * The suites call functions that the tested modules do not export. To run the
 * suites without building a kernel that contains them, they are linked into one
 * module with the tested code. Each source file includes this header first. The
 * header turns the file's module_init() and module_exit() into a "part" of the
 * one module. When the module is loaded, the parts register themselves in link
 * order.
 */
#ifndef PFM_KUNIT_ONE_MODULE_H
#define PFM_KUNIT_ONE_MODULE_H

#include <linux/list.h>
#include <linux/module.h>

/**
 * struct one_part - the init and exit functions of one of the linked modules
 * @list: entry in the list of parts, which is in initialisation order
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

/* module_init(), which defines one_init, comes first in all source files. */
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
