/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * bench_table.h - formats for the benchmark: tables with a short and a long key
 */
#ifndef BENCH_TABLE_H
#define BENCH_TABLE_H

#include <perfmon/perfmon_sink.h>

#define PFM_TABLE8_UUID_STR	"5f1a3c52-9d58-4c62-8d55-0f7f0a7f8a08"
#define PFM_TABLE8_UUID		PFM_UUID(PFM_TABLE8_UUID_STR)
#define PFM_TABLE128_UUID_STR	"5f1a3c52-9d58-4c62-8d55-0f7f0a7f8a80"
#define PFM_TABLE128_UUID	PFM_UUID(PFM_TABLE128_UUID_STR)

#endif /* BENCH_TABLE_H */
