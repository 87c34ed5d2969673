// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * main.c - load and unload the core
 *
 * All modules are loaded when the program begins and when it ends.
 */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "ctx.h"
#include "files.h"
#include "modules.h"
#include "smpl.h"

/* Proves H11 */
TEST(core_in_use_cannot_be_unloaded)
{
	struct smpl s;

	/*
	 * Unload the formats that earlier test programs have left loaded,
	 * because loaded formats also use the core.
	 */
	modules_unload_formats();
	s = smpl_new(0, 4096, 0);
	CHECK_ERRNO(module_unload(MODULE_CORE), EAGAIN);
	CHECK_OK(close(s.fd));
	CHECK_OK(module_unload(MODULE_DEFAULT));
	CHECK_ERRNO(module_unload(MODULE_CORE), EAGAIN);
	CHECK_OK(module_unload(MODULE_PMU));
	/* Now only a mapped buffer uses the core. */
	CHECK_ERRNO(module_unload(MODULE_CORE), EAGAIN);
	CHECK_OK(munmap((void *)s.hdr, s.size));
	CHECK_OK(module_unload(MODULE_CORE));
	module_load(MODULE_PMU);
	module_load(MODULE_DEFAULT);
	close(smpl_new(0, 4096, 0).fd);
}

/* Proves 3.1-05 */
TEST(without_modules_there_is_no_perfmon)
{
	pfarg_ctx_t ctx = {};

	CHECK_OK(module_unload(MODULE_DEFAULT));
	CHECK_OK(module_unload(MODULE_PMU));
	CHECK_OK(module_unload(MODULE_CORE));
	CHECK(!exists(PFM_SYSFS));
	CHECK_ERRNO(pfm_create_context(&ctx, NULL, 0), ENOSYS);
	module_load(MODULE_PMU);
	module_load(MODULE_DEFAULT);
}
