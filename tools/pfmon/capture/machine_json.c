// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * machine_json.c - describe the machine and its processors for the capture
 *
 * Processors with the same model, maximum frequency and caches share one
 * element of the list "processors".
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cpu_list.h"
#include "base/json.h"
#include "base/util.h"
#include "capture/machine_json.h"
#include "events/pmu.h"

#define CPU_DIR		"/sys/devices/system/cpu"
#define KHZ_PER_MHZ	1000

/* Processors with the same description. */
struct kind {
	struct json_object *object;
	int *cpus;
	unsigned int count;
};

struct kinds {
	struct kind *kinds;
	unsigned int count;
};

/* Returns the line in a CPU's sysfs file, to be freed; NULL if missing. */
static char *read_of_cpu(int cpu, const char *file)
{
	char *path = checked_printf(CPU_DIR "/cpu%d/%s", cpu, file);
	char *line = read_line_of(path);

	free(path);
	return line;
}

/*
 * Returns the value of @name in lines of /proc/cpuinfo, to be freed, or NULL.
 */
static char *value_of(const char *block, const char *name)
{
	size_t length = strlen(name);

	for (const char *line = block; *line; line += *line == '\n') {
		size_t end = strcspn(line, "\n");
		const char *colon = memchr(line, ':', end);

		if (colon && !strncmp(line, name, length) &&
		    strspn(line + length, " \t") ==
		    (size_t)(colon - line) - length) {
			colon += 1 + strspn(colon + 1, " \t");
			return strndup(colon, (size_t)(line + end - colon));
		}
		line += end;
	}
	return NULL;
}

/* Returns the identifier that perf uses for an x86 CPU; NULL for other CPUs. */
static char *x86_id(const char *block)
{
	static const char *const names[] = { "vendor_id", "cpu family", "model",
					     "stepping" };
	char *id = checked_strdup("");

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *value = value_of(block, names[i]);

		if (!value) {
			free(id);
			return NULL;
		}
		id = checked_append(id, ",", value);
		free(value);
	}
	return id;
}

static struct json_object *number_or_null(const char *text)
{
	uint64_t number;

	return text && parse_u64(text, &number) ? json_new_u64(number) : NULL;
}

/* Returns the maximum frequency; if that is not known, the current one. */
static struct json_object *describe_khz(int cpu, const char *cpuinfo)
{
	char *text = read_of_cpu(cpu, "cpufreq/cpuinfo_max_freq");
	struct json_object *khz = number_or_null(text);
	char *mhz;

	free(text);
	if (khz)
		return khz;
	/*
	 * Use the current frequency of the first CPU for all CPUs, so that
	 * equal CPUs have equal descriptions.
	 */
	mhz = value_of(cpuinfo, "cpu MHz");
	if (mhz)
		khz = json_new_u64((uint64_t)(strtod(mhz, NULL) * KHZ_PER_MHZ));
	free(mhz);
	return khz;
}

static char *read_of_cache(int cpu, unsigned int index, const char *name)
{
	char *file = checked_printf("cache/index%u/%s", index, name);
	char *line = read_of_cpu(cpu, file);

	free(file);
	return line;
}

static void add_number(struct json_object *object, const char *name, int cpu,
		       unsigned int index, const char *file)
{
	char *text = read_of_cache(cpu, index, file);

	json_add(object, name, number_or_null(text));
	free(text);
}

/* The kernel prints the size as, for example, 32K. */
static void add_size(struct json_object *object, int cpu, unsigned int index)
{
	char *text = read_of_cache(cpu, index, "size");
	unsigned long long kib;
	bool known = text && sscanf(text, "%lluK", &kib) == 1;

	json_add(object, "size", known ? json_new_u64(kib << 10) : NULL);
	free(text);
}

static void add_sharing(struct json_object *object, int cpu, unsigned int index)
{
	char *text = read_of_cache(cpu, index, "shared_cpu_list");
	unsigned int count;
	int *cpus;
	bool known = text && cpus_parse(text, &cpus, &count);

	json_add(object, "shared_by", known ? json_new_u64(count) : NULL);
	if (known)
		free(cpus);
	free(text);
}

/* Returns NULL if the cache does not exist. */
static struct json_object *describe_cache(int cpu, unsigned int index)
{
	char *level = read_of_cache(cpu, index, "level");
	char *type = read_of_cache(cpu, index, "type");
	struct json_object *number = number_or_null(level), *object = NULL;

	if (number && type) {
		*type |= 0x20;	/* "Data" becomes "data" */
		object = json_new_object();
		json_add(object, "level", number);
		json_add_text(object, "type", type);
		add_size(object, cpu, index);
		add_number(object, "line_size", cpu, index,
			   "coherency_line_size");
		add_number(object, "ways", cpu, index,
			   "ways_of_associativity");
		add_sharing(object, cpu, index);
	} else if (number) {
		json_drop(number);
	}
	free(type);
	free(level);
	return object;
}

static struct json_object *describe_caches(int cpu)
{
	struct json_object *list = json_new_array(), *cache;

	for (unsigned int i = 0; (cache = describe_cache(cpu, i)); i++)
		json_append(list, cache);
	return list;
}

static struct json_object *describe_cpu(int cpu, const char *block,
					const char *cpuinfo)
{
	struct json_object *object = json_new_object();
	char *model = value_of(block, "model name");
	char *id = x86_id(block);

	if (!id)
		id = read_of_cpu(cpu, "regs/identification/midr_el1");
	json_add_text(object, "model", model);
	json_add_text(object, "id", id);
	json_add(object, "khz", describe_khz(cpu, cpuinfo));
	json_add(object, "caches", describe_caches(cpu));
	free(id);
	free(model);
	return object;
}

/*
 * Finds or adds the kind with this description. Takes ownership of the object.
 */
static struct kind *find_kind(struct kinds *all, struct json_object *object)
{
	for (unsigned int i = 0; i < all->count; i++) {
		if (json_equal(all->kinds[i].object, object)) {
			json_drop(object);
			return &all->kinds[i];
		}
	}
	all->kinds = checked_realloc(all->kinds, all->count + 1,
				     sizeof(*all->kinds));
	all->kinds[all->count] = (struct kind){ .object = object };
	return &all->kinds[all->count++];
}

static void add_cpu(struct kinds *all, int cpu, const char *block,
		    const char *cpuinfo)
{
	struct kind *kind = find_kind(all, describe_cpu(cpu, block, cpuinfo));

	kind->cpus = checked_realloc(kind->cpus, kind->count + 1,
				     sizeof(*kind->cpus));
	kind->cpus[kind->count++] = cpu;
}

/*
 * In /proc/cpuinfo, each online CPU has a block of lines, terminated by an
 * empty line.
 */
static void find_cpus(struct kinds *all, const char *cpuinfo)
{
	const char *end;

	for (const char *block = cpuinfo; *block; block = end) {
		char *copy, *number;
		uint64_t cpu;

		end = strstr(block, "\n\n");
		end = end ? end + 2 : block + strlen(block);
		copy = strndup(block, (size_t)(end - block));
		number = value_of(copy, "processor");
		if (number && parse_u64(number, &cpu))
			add_cpu(all, (int)cpu, copy, cpuinfo);
		free(number);
		free(copy);
	}
}

static struct json_object *list_kinds(struct kinds *all)
{
	struct json_object *list = json_new_array();

	for (unsigned int i = 0; i < all->count; i++) {
		struct kind *kind = &all->kinds[i];
		char *cpus = cpus_text(kind->cpus, kind->count);

		json_add_text(kind->object, "cpus", cpus);
		json_append(list, kind->object);
		free(cpus);
		free(kind->cpus);
	}
	free(all->kinds);
	return list;
}

static struct json_object *describe_processors(void)
{
	struct kinds all = { .count = 0 };
	size_t length;
	char *cpuinfo = read_file("/proc/cpuinfo", &length);

	if (cpuinfo)
		find_cpus(&all, cpuinfo);
	free(cpuinfo);
	return list_kinds(&all);
}

struct json_object *machine_describe(void)
{
	struct json_object *machine = json_new_object();
	char *boot_id = read_line_of("/proc/sys/kernel/random/boot_id");
	char *pmu = pmu_name();
	struct utsname name;

	uname(&name);
	json_add_text(machine, "arch", name.machine);
	json_add_text(machine, "release", name.release);
	json_add_u64(machine, "cpus", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	json_add_u64(machine, "page_size", (uint64_t)sysconf(_SC_PAGESIZE));
	json_add_text(machine, "pmu", pmu);
	json_add_text(machine, "host", name.nodename);
	json_add_text(machine, "boot_id", boot_id);
	json_add(machine, "processors", describe_processors());
	free(pmu);
	free(boot_id);
	return machine;
}
