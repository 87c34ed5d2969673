/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * modules.h - loading and unloading modules of perfmon
 */
#ifndef GUEST_MODULES_H
#define GUEST_MODULES_H

#define MODULE_CORE	"perfmon"
#define MODULE_PMU	"pfm_pmu_perf"
#define MODULE_DEFAULT	"pfm_fmt_default"

/* Load a module and what it needs, or let the test fail. */
void module_load(const char *module);
/*
 * What insmod of a module below extra/ gives, or rmmod. Return: 0, or -1 and
 * errno.
 */
int module_insert(const char *path);
int module_unload(const char *module);
/* Who uses a module that is loaded. Return: how many. */
long module_references(const char *module);

#endif /* GUEST_MODULES_H */
