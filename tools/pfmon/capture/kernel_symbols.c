// SPDX-License-Identifier: MIT OR GPL-2.0
/* kernel_symbols.c - read the symbols of the kernel */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "capture/kernel_symbols.h"

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

/* Returns the names and addresses of all modules; without modules, "". */
static char *read_modules(void)
{
	size_t length;
	char *text = read_file("/proc/modules", &length), *rest = text, *line;
	char *list = checked_strdup(""), name[64], address[32];

	while ((line = strsep(&rest, "\n"))) {
		if (sscanf(line, "%63s %*s %*s %*s %*s %31s", name,
			   address) != 2)
			continue;
		list = checked_append(list, "\n", name);
		list = checked_append(list, " ", address);
	}
	free(text);
	return list;
}

void kernel_symbols_read(struct kernel_symbols *symbols)
{
	size_t length;
	char *text;

	kernel_symbols_free(symbols);
	symbols->modules = read_modules();
	text = read_file("/proc/kallsyms", &length);
	if (!text || !has_addresses(text))
		message("samples in the kernel will have no symbols: /proc/kallsyms hides addresses (see kernel.kptr_restrict)");
	else if (!capture_pack(&symbols->text, text, length))
		message("samples in the kernel will have no symbols: out of memory");
	free(text);
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
