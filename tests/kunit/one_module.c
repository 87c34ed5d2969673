// SPDX-License-Identifier: GPL-2.0
/*
 * one_module.c - call the init and exit functions of the modules that are
 *		  linked into one module with the suites
 */
#include "one_module.h"

static LIST_HEAD(parts);

/*
 * Add a module's functions to the list. The kernel calls the constructors that
 * do this before one_module_init().
 */
void one_module_add(struct one_part *part)
{
	list_add_tail(&part->list, &parts);
}

/*
 * Call the exit functions of the parts before @end, in reverse order. If @end
 * is the head of the list, call all of them.
 */
static void one_module_end(struct list_head *end)
{
	struct one_part *part;

	for (; end->prev != &parts; end = end->prev) {
		part = list_entry(end->prev, struct one_part, list);
		part->exit();
	}
}

static int __init one_module_init(void)
{
	struct one_part *part;
	int ret;

	list_for_each_entry(part, &parts, list) {
		ret = part->init();
		if (ret) {
			one_module_end(&part->list);
			return ret;
		}
	}
	return 0;
}

static void __exit one_module_exit(void)
{
	one_module_end(&parts);
}

module_init(one_module_init);
module_exit(one_module_exit);
/* The suites use functions that the kernel exports only for KUnit suites. */
MODULE_IMPORT_NS(EXPORTED_FOR_KUNIT_TESTING);
MODULE_DESCRIPTION("perfmon2: KUnit suites, with the tested modules");
MODULE_LICENSE("GPL v2");
