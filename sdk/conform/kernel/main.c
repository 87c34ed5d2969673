// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_conform - checks of a sampling format, from inside the kernel
 *
 * In debugfs, pfm_conform/:
 *
 *	format	"UUID [NAME=VALUE,...]": the format and its argument
 *	checks	the names of the checks
 *	run	NAME: run a check. EBADMSG: there is a finding. EOPNOTSUPP: the
 *		check does not apply. The file text has details
 *	text	message of the last check
 *	about	the handler's symbol and module
 *	truth	the overflows of the check "records"
 *	buffer	the buffer that the format has written for these overflows
 *
 * Checks run one at a time; other writers wait. pfm_conform holds a reference
 * to the format until another one, or an empty line, is written to the file
 * format.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/uuid.h>
#include <linux/vmalloc.h>
#include "conform.h"

#define CONFORM_LINE	1024

static bool quick;
module_param(quick, bool, 0644);
MODULE_PARM_DESC(quick, "run reduced checks");

static unsigned long seed = 1;
module_param(seed, ulong, 0644);
MODULE_PARM_DESC(seed, "seed of the random numbers");

static DEFINE_MUTEX(conform_lock);
static struct conform conform;
static struct dentry *conform_dir;

static const struct conform_check {
	const char	*name;
	int		(*run)(struct conform *c);
} conform_checks[] = {
	{ "records",	conform_check_records },
	{ "full",	conform_check_full },
	{ "levels",	conform_check_levels },
	{ "restart",	conform_check_restart },
	{ "registers",	conform_check_registers },
	{ "sizes",	conform_check_sizes },
	{ "arguments",	conform_check_arguments },
	{ "live",	conform_check_live },
	{ "forged",	conform_check_forged },
	{ "interrupts",	conform_check_interrupts },
	{ "nmis",	conform_check_nmis },
	{ "exit",	conform_check_exit },
	{ "leaks",	conform_check_leaks },
};

static void conform_drop(struct conform *c)
{
	conform_end(c);
	conform_mem_free(&c->arg);
	conform_mem_free(&c->buf);
	conform_mem_free(&c->area);
	conform_mem_free(&c->ovfl);
	kfree(c->before);
	kfree(c->dfl);
	kfree(c->truth);
	vfree(c->shot);
	vfree(c->fresh);
	if (c->fmt)
		pfm_fmt_put(c->fmt);
	*c = (struct conform) {};
}

/* Get the format of @line, "UUID [NAME=VALUE,...]", and set its argument. */
static int conform_take(struct conform *c, char *line)
{
	char *text = strsep(&line, " ");
	uuid_t uuid;

	if (uuid_parse(text, &uuid))
		return -EINVAL;
	c->fmt = pfm_fmt_get(uuid.b);
	c->before = kzalloc(sizeof(*c->before), GFP_KERNEL);
	if (!c->fmt || !c->before)
		return c->fmt ? -ENOMEM : -ENOENT;
	return conform_arg_parse(c, line);
}

static int conform_name(char *line)
{
	int ret = 0;

	conform_drop(&conform);
	if (*line)
		ret = conform_take(&conform, line);
	return ret;
}

static int conform_run(char *name)
{
	struct conform *c = &conform;
	unsigned int i;
	int ret;

	if (!c->fmt)
		return -ENODEV;
	for (i = 0; i < ARRAY_SIZE(conform_checks); i++) {
		if (strcmp(conform_checks[i].name, name))
			continue;
		*c->text = 0;
		c->quick = quick;
		c->max_size = CONFORM_MAX_SIZE;
		prandom_seed_state(&c->rnd, seed);
		c->tried = false;
		c->recorded = false;
		conform_device_open(c);
		ret = conform_checks[i].run(c);
		if (!ret && c->tried && !c->recorded)
			ret = conform_fail(c,
					   "the handler recorded nothing: it returns 0 but skips all samples; give an argument with which it records (--arg NAME=VALUE,...)");
		/* End the context, even after a finding. */
		conform_end(c);
		conform_device_close(c);
		return ret;
	}
	return -EINVAL;
}

/* Handle the write of a line. */
static ssize_t conform_write(const char __user *from, size_t size,
			     int (*act)(char *line))
{
	char *line;
	int ret;

	if (size >= CONFORM_LINE)
		return -EINVAL;
	line = memdup_user_nul(from, size);
	if (IS_ERR(line))
		return PTR_ERR(line);
	mutex_lock(&conform_lock);
	ret = act(strim(line));
	mutex_unlock(&conform_lock);
	kfree(line);
	return ret ?: size;
}

static ssize_t format_write(struct file *file, const char __user *from,
			    size_t size, loff_t *pos)
{
	return conform_write(from, size, conform_name);
}

static ssize_t run_write(struct file *file, const char __user *from,
			 size_t size, loff_t *pos)
{
	return conform_write(from, size, conform_run);
}

static const struct file_operations format_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= format_write,
};

static const struct file_operations run_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= run_write,
};

static int checks_show(struct seq_file *file, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(conform_checks); i++)
		seq_printf(file, "%s\n", conform_checks[i].name);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(checks);

static int text_show(struct seq_file *file, void *unused)
{
	mutex_lock(&conform_lock);
	seq_printf(file, "%s\n", conform.text);
	mutex_unlock(&conform_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(text);

static int about_show(struct seq_file *file, void *unused)
{
	const pfm_buffer_fmt_t *fmt;

	mutex_lock(&conform_lock);
	fmt = conform.fmt;
	if (fmt)
		seq_printf(file, "%ps\n", fmt->fmt_handler);
	mutex_unlock(&conform_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(about);

static int truth_show(struct seq_file *file, void *unused)
{
	mutex_lock(&conform_lock);
	seq_puts(file, conform.truth ?: "");
	mutex_unlock(&conform_lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(truth);

static ssize_t buffer_read(struct file *file, char __user *to, size_t size,
			   loff_t *pos)
{
	ssize_t ret;

	mutex_lock(&conform_lock);
	ret = simple_read_from_buffer(to, size, pos, conform.shot,
				      conform.shot_size);
	mutex_unlock(&conform_lock);
	return ret;
}

static const struct file_operations buffer_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.read	= buffer_read,
};

static int __init conform_init(void)
{
	conform_mem_seed(seed);
	conform_dir = debugfs_create_dir("pfm_conform", NULL);
	debugfs_create_file("format", 0200, conform_dir, NULL, &format_fops);
	debugfs_create_file("run", 0200, conform_dir, NULL, &run_fops);
	debugfs_create_file("checks", 0400, conform_dir, NULL, &checks_fops);
	debugfs_create_file("text", 0400, conform_dir, NULL, &text_fops);
	debugfs_create_file("about", 0400, conform_dir, NULL, &about_fops);
	debugfs_create_file("truth", 0400, conform_dir, NULL, &truth_fops);
	debugfs_create_file("buffer", 0400, conform_dir, NULL, &buffer_fops);
	return 0;
}

static void __exit conform_exit(void)
{
	debugfs_remove(conform_dir);
	conform_drop(&conform);
}

module_init(conform_init);
module_exit(conform_exit);
MODULE_DESCRIPTION("perfmon2: checks of sampling formats");
MODULE_LICENSE("GPL v2");
