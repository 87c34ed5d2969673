// SPDX-License-Identifier: MIT OR GPL-2.0
/* kernel_symbols.c - read the symbols of the kernel */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/util.h"
#include "capture/kernel_symbols.h"

#define HIDDEN	"/proc/kallsyms hides addresses (see kernel.kptr_restrict)"

/* Without privilege, all addresses in /proc/kallsyms read as 0. */
static bool has_addresses(const char *symbols)
{
	while (*symbols) {
		if (strspn(symbols, "0") < strspn(symbols, "0123456789abcdef"))
			return true;
		symbols += strcspn(symbols, "\n");
		symbols += *symbols == '\n';
	}
	return false;
}

/*
 * Returns a module's inode number in sysfs; 0 if it is unknown. A module that
 * is loaded again has another one, but often the same address.
 */
static uint64_t inode_of(const char *name)
{
	char *path = checked_printf("/sys/module/%s", name);
	struct stat info;
	uint64_t inode = stat(path, &info) ? 0 : info.st_ino;

	free(path);
	return inode;
}

/*
 * Returns the names, inode numbers and addresses of all modules; without
 * modules, "".
 */
static char *read_modules(void)
{
	size_t length;
	char *text = read_file("/proc/modules", &length), *rest = text, *line;
	char *list = checked_strdup(""), *module, name[64], address[32];

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", name,
			   address) != 2)
			continue;
		module = checked_printf("%s %" PRIu64 " %s", name,
					inode_of(name), address);
		list = checked_append(list, "\n", module);
		free(module);
	}
	free(text);
	return list;
}

/* Reads and compresses /proc/kallsyms; returns NULL, or why that failed. */
static const char *read_text(struct packed *text)
{
	size_t length;
	char *symbols = read_file("/proc/kallsyms", &length);
	const char *problem = NULL;

	if (!symbols || !has_addresses(symbols))
		problem = HIDDEN;
	else if (!capture_pack(text, symbols, length))
		problem = "out of memory";
	free(symbols);
	return problem;
}

bool kernel_symbols_read(struct kernel_symbols *symbols)
{
	struct kernel_symbols now = { .modules = read_modules() };
	const char *problem = read_text(&now.text);

	if (problem) {
		message("samples in %s will have no symbols: %s",
			symbols->text.bytes ? "new code of the kernel" :
					      "the kernel", problem);
		kernel_symbols_free(&now);
		return false;
	}
	kernel_symbols_free(symbols);
	*symbols = now;
	return true;
}

void kernel_symbols_free(struct kernel_symbols *symbols)
{
	free(symbols->text.bytes);
	free(symbols->modules);
	*symbols = (struct kernel_symbols){ 0 };
}

bool kernel_symbols_have_old_modules(const struct kernel_symbols *symbols)
{
	char *modules = read_modules();
	bool old = strcmp(modules, symbols->modules) != 0;

	free(modules);
	return old;
}
