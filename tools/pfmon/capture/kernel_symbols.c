// SPDX-License-Identifier: MIT OR GPL-2.0
/* kernel_symbols.c - read the symbols of the kernel */
#define _GNU_SOURCE
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

void kernel_symbols_read(struct packed *packed)
{
	size_t length;
	char *symbols = read_file("/proc/kallsyms", &length);

	free(packed->bytes);
	packed->bytes = NULL;
	if (!symbols || !has_addresses(symbols))
		message("samples in the kernel will have no symbols: /proc/kallsyms hides addresses (see kernel.kptr_restrict)");
	else if (!capture_pack(packed, symbols, length))
		message("samples in the kernel will have no symbols: out of memory");
	free(symbols);
}
