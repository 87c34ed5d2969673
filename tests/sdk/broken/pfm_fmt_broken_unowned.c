// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_broken_unowned - the format has no owner, and the module has no alias
 */
#include "broken.h"

static const pfm_buffer_fmt_t unowned_fmt = {
	BROKEN("unowned", "b0b0b0b0-0000-4000-8000-000000000013"),
};

static int __init unowned_module_init(void)
{
	return __pfm_register_buffer_fmt(&unowned_fmt, NULL,
					 PFM_FMT_INTERFACE);
}

static void __exit unowned_module_exit(void)
{
	pfm_unregister_buffer_fmt(unowned_fmt.fmt_uuid);
}

module_init(unowned_module_init);
module_exit(unowned_module_exit);
MODULE_DESCRIPTION("perfmon2: test, a broken format");
MODULE_LICENSE("GPL v2");
