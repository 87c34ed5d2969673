// SPDX-License-Identifier: MIT OR GPL-2.0
/* defect.c - results of the modules' self-tests on this kernel */
#include <perfmon/perfmon.h>

#include "check.h"
#include "files.h"
#include "worker.h"

static void expect_no_defect(void *arg)
{
	become_nobody();
	expect_text(PFM_SYSFS "/defects", "");
}

/* Proves 3.1.12-11, 3.5.14-14 */
TEST(self_tests_find_no_defect_on_this_kernel)
{
	reap(spawn(expect_no_defect, NULL));
}
