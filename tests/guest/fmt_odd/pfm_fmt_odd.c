// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_fmt_odd - a format whose behaviour, including errors, is set by module
 *		 parameters; for tests
 */
#include <linux/delay.h>
#include <linux/module.h>
#include <perfmon/perfmon_fmt_sdk.h>

static unsigned int interface = PFM_FMT_INTERFACE;
module_param(interface, uint, 0444);
MODULE_PARM_DESC(interface, "SDK interface number that the format reports");

static char *wrong = "";
module_param(wrong, charp, 0444);
MODULE_PARM_DESC(wrong, "field of the format's description that is made invalid");

static ulong arg_size;
module_param(arg_size, ulong, 0444);
MODULE_PARM_DESC(arg_size, "size of the argument in bytes");

static int validate;
module_param(validate, int, 0644);
MODULE_PARM_DESC(validate, "return value of fmt_validate");

static int init;
module_param(init, int, 0444);
MODULE_PARM_DESC(init, "return value of fmt_init");

static int ret;
module_param(ret, int, 0644);
MODULE_PARM_DESC(ret, "return value of the handler");

static uint ctrl = PFM_OVFL_CTRL_RESET;
module_param(ctrl, uint, 0644);
MODULE_PARM_DESC(ctrl, "control bits that the handler sets");

static uint delay;
module_param(delay, uint, 0444);
MODULE_PARM_DESC(delay, "time that the handler takes, in us");

static ulong buf_size;
module_param(buf_size, ulong, 0444);
MODULE_PARM_DESC(buf_size, "size of the buffer in bytes");

static ulong area_size;
module_param(area_size, ulong, 0444);
MODULE_PARM_DESC(area_size, "size of the private area in bytes; its last byte counts overflows");

static int odd_getsize(u32 ctx_flags, void *arg, size_t *size)
{
	*size = buf_size;
	return 0;
}

static int odd_getpriv(u32 ctx_flags, void *arg, size_t *size)
{
	*size = area_size;
	return 0;
}

/*
 * Increment the last byte of the private area, and copy it to the buffer's
 * first byte.
 */
static void notrace odd_count(void *buf)
{
	u8 *last = pfm_fmt_area(buf) + area_size - 1;

	*(u8 *)buf = ++*last;
}

static int odd_validate(u32 ctx_flags, u16 num_pmds, void *arg)
{
	return READ_ONCE(validate);
}

static int odd_init_buffer(u32 ctx_flags, void *arg, void *buf)
{
	return init;
}

static int notrace odd_handler(void *buf, pfm_ovfl_arg_t *arg, u64 tstamp,
			       struct pfm_ovfl_data *data)
{
	if (area_size)
		odd_count(buf);
	/* Sleep because tests need a slow handler. */
	if (delay)
		udelay(delay);
	arg->ovfl_ctrl.val = READ_ONCE(ctrl);
	return READ_ONCE(ret);
}

static pfm_buffer_fmt_t odd_fmt = {
	.fmt_name	= "odd",
	/* 3b0f0c62-5d0b-4a55-8d7e-6d0f6f3c9a17 */
	.fmt_uuid	= { 0x3b, 0x0f, 0x0c, 0x62, 0x5d, 0x0b, 0x4a, 0x55,
			    0x8d, 0x7e, 0x6d, 0x0f, 0x6f, 0x3c, 0x9a, 0x17 },
	.fmt_validate	= odd_validate,
	.fmt_getsize	= odd_getsize,
	.fmt_getpriv	= odd_getpriv,
	.fmt_init	= odd_init_buffer,
	.fmt_handler	= odd_handler,
};

static const struct pfm_arg_field odd_layout[] = {
	{ "first", "events", 0, 8, 0 },
	{ "beyond", "events", 8, 8, 0 },
	{}
};

static void odd_spoil(pfm_buffer_fmt_t *fmt)
{
	fmt->fmt_arg_size = arg_size;
	if (!strcmp(wrong, "fmt_name"))
		fmt->fmt_name = NULL;
	else if (!strcmp(wrong, "fmt_uuid"))
		memset(fmt->fmt_uuid, 0, sizeof(fmt->fmt_uuid));
	else if (!strcmp(wrong, "fmt_handler"))
		fmt->fmt_handler = NULL;
	else if (!strcmp(wrong, "fmt_arg_size"))
		fmt->fmt_arg_size = PFM_FMT_MAX_ARG_SIZE + 1;
	else if (!strcmp(wrong, "fmt_msgq_depth"))
		fmt->fmt_msgq_depth = PFM_FMT_MAX_MSGQ_DEPTH + 1;
	else if (!strcmp(wrong, "fmt_flags"))
		fmt->fmt_flags = ~PFM_FMTFL_ALL;
	else if (!strcmp(wrong, "fmt_arg_layout"))
		fmt->fmt_arg_layout = odd_layout;
}

static int __init odd_init(void)
{
	odd_spoil(&odd_fmt);
	return __pfm_register_buffer_fmt(&odd_fmt, THIS_MODULE, interface);
}

static void __exit odd_exit(void)
{
	pfm_unregister_buffer_fmt(odd_fmt.fmt_uuid);
}

module_init(odd_init);
module_exit(odd_exit);
MODULE_DESCRIPTION("perfmon2: test, a format controlled by its parameters");
MODULE_LICENSE("GPL v2");
