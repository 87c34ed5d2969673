/* SPDX-License-Identifier: GPL-2.0 */
/*
 * device.h - the character device that gives out the event buffer
 */
#ifndef PFM_OP_DEVICE_H
#define PFM_OP_DEVICE_H

int pfm_op_device_add(void);
void pfm_op_device_del(void);

#endif /* PFM_OP_DEVICE_H */
