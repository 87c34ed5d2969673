/* SPDX-License-Identifier: GPL-2.0 */
/**
 * DOC: Defects that self-tests have found
 *
 * perfmon's modules rely on kernel internals, which may be different in kernels
 * on which perfmon has not been tested. So the modules test themselves when
 * they are loaded, and do without a part that does not work.
 * /sys/kernel/perfmon/defects has a sentence about each such part; `pfmon
 * doctor` repeats these sentences.
 */
#ifndef PERFMON_PERFMON_DEFECT_H
#define PERFMON_PERFMON_DEFECT_H

/* Longest sentence, with its null byte. */
#define PFM_DEFECT_SIZE	160

/**
 * enum pfm_defect - a part of perfmon that a self-test checks
 * @PFM_DEFECT_OWNER:   waiting for overflows that are being handled on a CPU
 * @PFM_DEFECT_BLOCK:   blocking a thread that gets signals or is traced
 * @PFM_DEFECT_PMU:     the PMU description, which is not registered if it fails
 * @PFM_DEFECT_COUNTER: reading the CPU's counters directly instead of through
 *                      perf
 * @PFM_DEFECT_EXIT:    reading a clock of an exiting thread after perf has
 *                      removed the clock's event
 * @PFM_DEFECT_TIMES:   reading a set's time from an event that the set samples,
 *                      instead of from an additional event
 * @PFM_DEFECT_LIVE:    reading running counters in user mode
 * @PFM_NUM_DEFECTS:    number of parts
 */
enum pfm_defect {
	PFM_DEFECT_OWNER,
	PFM_DEFECT_BLOCK,
	PFM_DEFECT_PMU,
	PFM_DEFECT_COUNTER,
	PFM_DEFECT_EXIT,
	PFM_DEFECT_TIMES,
	PFM_DEFECT_LIVE,
	PFM_NUM_DEFECTS,
};

/**
 * pfm_set_defect() - record the result of a self-test
 * @part:     the part that was tested
 * @sentence: the defect and its consequence, without full stop or newline; or
 *            NULL if the part works
 *
 * Prints the sentence to the kernel log, unless the last call for this part had
 * the same sentence.
 * Context: process, may sleep.
 */
void pfm_set_defect(enum pfm_defect part, const char *sentence);

#endif /* PERFMON_PERFMON_DEFECT_H */
