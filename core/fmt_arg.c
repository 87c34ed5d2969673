// SPDX-License-Identifier: GPL-2.0
/*
 * fmt_arg.c - the argument layout that a format publishes
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include "fmt_arg.h"

#define PFM_PLAIN \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
/*
 * Maximum length of a line: name and unit, offset and size, default, and
 * "live", each with the character that follows it
 */
#define PFM_ARG_LINE \
	(2 * (PFM_ARG_MAX_WORD + 1) + sizeof("65535") + sizeof("8") + \
	 sizeof("18446744073709551615") + sizeof("live"))

static_assert(PFM_ARG_MAX_FIELDS * PFM_ARG_LINE < PAGE_SIZE);

/* Is @word one word of permitted characters that is not too long? */
static bool pfm_is_plain(const char *word)
{
	size_t len = word ? strspn(word, PFM_PLAIN) : 0;

	return len && len <= PFM_ARG_MAX_WORD && !word[len];
}

/* Check one field by itself. Return: what is wrong, as text, or NULL. */
static const char *pfm_arg_field_fault(const struct pfm_arg_field *f,
				       const pfm_buffer_fmt_t *fmt)
{
	size_t arg_size = fmt->fmt_arg_size;

	if (!pfm_is_plain(pfm_arg_name(f)))
		return "its name is not a word of letters, digits and _";
	if (!pfm_is_plain(f->unit))
		return "its unit is not a word of letters, digits and _";
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8)
		return "its size is not 1, 2, 4 or 8";
	if (f->offset > arg_size || f->size > arg_size - f->offset)
		return "it ends beyond fmt_arg_size";
	if (f->size < sizeof(f->dfl) && f->dfl >> 8 * f->size)
		return "its default does not fit";
	if (f->live && !fmt->fmt_set_arg)
		return "it is live, but fmt_set_arg is missing";
	return NULL;
}

static const char *pfm_arg_pair_fault(const struct pfm_arg_field *f,
				      const struct pfm_arg_field *before)
{
	if (!strcmp(pfm_arg_name(f), pfm_arg_name(before)))
		return "its name is already used";
	if (f->offset < before->offset + before->size &&
	    before->offset < f->offset + f->size)
		return "it overlaps another field";
	return NULL;
}

/*
 * Check field @n, also against the fields before it, which are valid. Return:
 * what is wrong, as text, or NULL.
 */
static const char *pfm_arg_fault(const pfm_buffer_fmt_t *fmt, unsigned int n)
{
	const struct pfm_arg_field *fields = fmt->fmt_arg_layout;
	const char *fault = pfm_arg_field_fault(&fields[n], fmt);
	unsigned int i;

	if (n >= PFM_ARG_MAX_FIELDS)
		return "there are more than PFM_ARG_MAX_FIELDS fields";
	for (i = 0; i < n && !fault; i++)
		fault = pfm_arg_pair_fault(&fields[n], &fields[i]);
	return fault;
}

int pfm_arg_layout_check(const pfm_buffer_fmt_t *fmt, const char *module)
{
	const struct pfm_arg_field *fields = fmt->fmt_arg_layout;
	const char *fault;
	unsigned int n;

	for (n = 0; fields && fields[n].name; n++) {
		fault = pfm_arg_fault(fmt, n);
		if (!fault)
			continue;
		pr_err("perfmon: format %s in module %s: fmt_arg_layout[%u] (%s): %s\n",
		       fmt->fmt_name, module, n, fields[n].name, fault);
		return -EINVAL;
	}
	return 0;
}

ssize_t pfm_arg_layout_show(const pfm_buffer_fmt_t *fmt, char *page)
{
	const struct pfm_arg_field *f;
	ssize_t len = 0;

	for (f = fmt->fmt_arg_layout; f->name; f++)
		len += sysfs_emit_at(page, len, "%s %u %u %llu %s%s\n",
				     pfm_arg_name(f), f->offset, f->size,
				     f->dfl, f->unit, f->live ? " live" : "");
	return len;
}

/* Does this byte of the argument belong to a live field? */
static bool pfm_arg_byte_is_live(const pfm_buffer_fmt_t *fmt, size_t byte)
{
	const struct pfm_arg_field *f;

	for (f = fmt->fmt_arg_layout; f && f->name; f++)
		if (f->live && byte >= f->offset && byte - f->offset < f->size)
			return true;
	return false;
}

bool pfm_arg_may_become(const pfm_buffer_fmt_t *fmt, const u8 *old,
			const u8 *new)
{
	size_t i;

	for (i = 0; i < fmt->fmt_arg_size; i++)
		if (old[i] != new[i] && !pfm_arg_byte_is_live(fmt, i))
			return false;
	return true;
}
