/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * modules.h - load and unload perfmon's modules
 */
#ifndef GUEST_MODULES_H
#define GUEST_MODULES_H

#define MODULE_CORE	"perfmon"
#define MODULE_PMU	"pfm_pmu_perf"
#define MODULE_DEFAULT	"pfm_fmt_default"

/* A format whose behaviour is set by its module parameters. */
#define MODULE_ODD	"pfm_fmt_odd"
#define ODD		"tests/guest/fmt_odd/pfm_fmt_odd.ko"
#define ODD_UUID {							\
	0x3b, 0x0f, 0x0c, 0x62, 0x5d, 0x0b, 0x4a, 0x55,			\
	0x8d, 0x7e, 0x6d, 0x0f, 0x6f, 0x3c, 0x9a, 0x17 }
#define ODD_UUID_TEXT	"3b0f0c62-5d0b-4a55-8d7e-6d0f6f3c9a17"

/*
 * Load a module with modprobe, which must succeed. Return when the module's
 * state is "Live".
 */
void module_load(const char *module);
/*
 * Insert a module from a file. @path is relative to
 * /lib/modules/$(uname -r)/extra. Return: 0, or -1 with errno.
 */
int module_insert(const char *path);
int module_insert_with(const char *path, const char *parameters);
/* Remove a module. Return: 0, or -1 with errno. */
int module_unload(const char *module);
/* Unload all formats that are not in use, and pfm_unwind. */
void modules_unload_formats(void);
/* Return the reference count of a loaded module. */
long module_references(const char *module);

#endif /* GUEST_MODULES_H */
