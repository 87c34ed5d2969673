// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * layout_dump.c - the fields of the default format's structures, as a table
 *
 * The table is a section of the object file, where
 * test_layout_agrees_with_c.py reads it. Nothing has to be linked or run, so
 * that layouts of other architectures can be looked at too.
 */
#include <perfmon/perfmon_default_smpl.h>

struct row {
	char type[32];
	char field[32];
	__u32 offset;		/* bytes */
	__u32 size;		/* bytes, of all elements */
	__u32 element;		/* bytes of one element */
	__u32 is_signed;
};

#define ROW(t, f, first) {						\
	.type = #t,							\
	.field = #f,							\
	.offset = offsetof(t, f),					\
	.size = sizeof(((t *)0)->f),					\
	.element = sizeof(((t *)0)->first),				\
	.is_signed = (__typeof__(((t *)0)->first))-1 < 0,		\
}
#define FIELD(t, f) ROW(t, f, f)
#define ARRAY(t, f) ROW(t, f, f[0])
#define WHOLE(t) {							\
	.type = #t,							\
	.size = sizeof(t),						\
}

__attribute__((section("layout"), used))
const struct row rows[] = {
	WHOLE(pfm_default_smpl_arg_t),
	FIELD(pfm_default_smpl_arg_t, buf_size),
	FIELD(pfm_default_smpl_arg_t, buf_flags),
	FIELD(pfm_default_smpl_arg_t, reserved1),
	ARRAY(pfm_default_smpl_arg_t, reserved2),
	WHOLE(pfm_default_smpl_hdr_t),
	FIELD(pfm_default_smpl_hdr_t, hdr_count),
	FIELD(pfm_default_smpl_hdr_t, hdr_cur_offs),
	FIELD(pfm_default_smpl_hdr_t, hdr_overflows),
	FIELD(pfm_default_smpl_hdr_t, hdr_buf_size),
	FIELD(pfm_default_smpl_hdr_t, hdr_min_buf_space),
	FIELD(pfm_default_smpl_hdr_t, hdr_version),
	FIELD(pfm_default_smpl_hdr_t, hdr_buf_flags),
	ARRAY(pfm_default_smpl_hdr_t, hdr_reserved),
	WHOLE(pfm_default_smpl_entry_t),
	FIELD(pfm_default_smpl_entry_t, pid),
	FIELD(pfm_default_smpl_entry_t, ovfl_pmd),
	FIELD(pfm_default_smpl_entry_t, reserved),
	FIELD(pfm_default_smpl_entry_t, last_reset_val),
	FIELD(pfm_default_smpl_entry_t, ip),
	FIELD(pfm_default_smpl_entry_t, tstamp),
	FIELD(pfm_default_smpl_entry_t, cpu),
	FIELD(pfm_default_smpl_entry_t, set),
	FIELD(pfm_default_smpl_entry_t, tgid),
};
