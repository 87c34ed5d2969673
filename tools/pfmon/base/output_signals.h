/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* output_signals.h - signals that pfmon's own output causes */
#ifndef PFMON_BASE_OUTPUT_SIGNALS_H
#define PFMON_BASE_OUTPUT_SIGNALS_H

/*
 * Lets pfmon survive SIGPIPE and SIGXFSZ: its write then fails with EPIPE or
 * EFBIG. In the programs that pfmon starts, these signals keep the action that
 * pfmon inherited.
 */
void output_signals_survive(void);

#endif /* PFMON_BASE_OUTPUT_SIGNALS_H */
