// SPDX-License-Identifier: GPL-2.0
/*
 * mapping.c - map an address of a process to a file and an offset
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <perfmon/perfmon_oprofile_smpl.h>
#include "compat.h"
#include "cookies.h"
#include "mapping.h"
#include "stream.h"

/* Look up the cookie of a file, and drop the reference to the file. */
static unsigned long mapping_cookie(struct pfm_op_cookies *c, struct file *file)
{
	unsigned long cookie = pfm_op_cookie(c, file_user_path(file));

	fput(file);
	return cookie;
}

/* Limit the wait: user space can make a process hold its mmap_lock forever. */
static bool mapping_lock(struct mm_struct *mm, unsigned int *patience)
{
	while (!mmap_read_trylock(mm)) {
		if (!*patience)
			return false;
		--*patience;
		usleep_range(20, 100);
	}
	return true;
}

int pfm_op_locate(struct pfm_op_cookies *c, struct mm_struct *mm,
		  unsigned long addr, struct pfm_op_point *point,
		  unsigned int *patience)
{
	struct vm_area_struct *vma;
	struct file *file = NULL;

	*point = (struct pfm_op_point){ PFM_OPROFILE_NO_COOKIE, addr };
	if (!mapping_lock(mm, patience))
		return -ENOENT;
	vma = vma_lookup(mm, addr);
	if (vma && vma->vm_file) {
		file = get_file(vma->vm_file);
		point->offset = addr - vma->vm_start +
				(vma->vm_pgoff << PAGE_SHIFT);
	}
	mmap_read_unlock(mm);
	if (!vma)
		return -ENOENT;
	if (file)
		point->cookie = mapping_cookie(c, file);
	return point->cookie == PFM_OPROFILE_INVALID_COOKIE ||
	       point->offset == PFM_OPROFILE_ESC ? -ENOENT : 0;
}

unsigned long pfm_op_program(struct pfm_op_cookies *c, struct mm_struct *mm)
{
	struct file *file = pfm_op_exe_file(mm);
	unsigned long cookie = PFM_OPROFILE_NO_COOKIE;

	if (file)
		cookie = mapping_cookie(c, file);
	return cookie == PFM_OPROFILE_INVALID_COOKIE ? PFM_OPROFILE_NO_COOKIE :
						       cookie;
}
