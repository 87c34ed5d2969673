/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* marks.h - trigger functions of the program "triggered" */
#ifndef GUEST_MARKS_H
#define GUEST_MARKS_H

void begin(void);
void finish(void);

#endif /* GUEST_MARKS_H */
