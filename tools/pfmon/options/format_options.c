// SPDX-License-Identifier: MIT OR GPL-2.0
/* format_options.c - options that only some sampling formats accept */
#include <stdlib.h>

#include "base/util.h"
#include "formats/table.h"
#include "options/format_options.h"
#include "options/option_table.h"

/* Returns the name of a FORMAT_OPT_* option, without the dashes. */
static const char *name_of(unsigned int format_option)
{
	size_t i = 0;

	while (option_table[i].format_option != format_option)
		i++;
	return option_table[i].name;
}

bool format_options_agree(const struct smpl_format *format,
			  const struct options *options)
{
	unsigned int taken = format->module ? format->module->options :
			     FORMAT_OPT_UNKNOWN;
	unsigned int refused = options->format_options & ~taken;
	char *takers;

	if (!refused)
		return true;
	refused &= -refused;
	takers = smpl_formats_with(refused);
	message("the sampling format %s does not take --%s; these do: %s",
		format->name, name_of(refused), takers);
	free(takers);
	return false;
}
