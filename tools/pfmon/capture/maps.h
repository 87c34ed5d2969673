/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/* maps.h - record mappings of processes in the capture */
#ifndef PFMON_CAPTURE_MAPS_H
#define PFMON_CAPTURE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct capture;
struct file_identity;
struct jit;
struct mapping;
struct perf_record;
struct table_set;

/* The mappings and files recorded so far; the owner provides locking. */
struct maps;

/*
 * With @data, data mappings are recorded in addition to executable ones.
 * Executable files are added to @tables, unless it is NULL. The owner of
 * @tables must then load the unwind tables of the files. Mapped jitdump files
 * are added to @jit.
 */
struct maps *maps_create(bool data, struct table_set *tables, struct jit *jit);
void maps_destroy(struct maps *maps);

/* Starts a round. In a round, each process is examined at most once. */
void maps_next_round(struct maps *maps);

/* Returns whether the process was examined in this round. */
bool maps_is_looked_at(struct maps *maps, pid_t tgid);

/*
 * Returns the text of a MAPS chunk, to be freed, if the mappings or the name of
 * the process have changed since the last call. Returns NULL if nothing has
 * changed, if the process was examined in this round already, or if it has
 * ended.
 */
char *maps_changed(struct maps *maps, pid_t tgid);

/*
 * Notes that the mappings of a process have changed, so that table_set_load()
 * makes the kernel read them again. Does nothing if table_set_looks_up()
 * returns false.
 */
void maps_note_change(struct maps *maps, pid_t tgid);

/* Writes a chunk for each vDSO that was found and not written yet. */
int maps_write_vdsos(struct maps *maps, struct capture *capture);

/*
 * Returns the identity of a mapped file. The result is valid until the next
 * call. Also notes whether the process generates code, which executable
 * mappings show that have no file, or a jitdump file.
 */
const struct file_identity *maps_identify(struct maps *maps, pid_t tgid,
					  const char *path,
					  const struct mapping *mapping);

/*
 * If a RECORD_MAP with a build ID maps code from a file, adds the file's unwind
 * table. If the path now leads to a file with another build ID, looks for the
 * mapped file through links in /proc.
 */
void maps_add_code(struct maps *maps, const struct perf_record *record);

/*
 * Adds the unwind table of an executable file, even if no process has mapped
 * the file yet.
 */
void maps_add_program(struct maps *maps, const char *path);

/*
 * Returns the length of a path without " (deleted)" at its end. The kernel
 * appends this text if the file was deleted.
 */
size_t maps_path_length(pid_t tgid, const char *path, uint64_t inode);

/* Returns whether any process was seen to generate code. */
bool maps_have_made_code(const struct maps *maps);

/* Forgets a process that has ended. */
void maps_forget(struct maps *maps, pid_t tgid);

/* Returns whether the process was seen to generate code. */
bool maps_has_made_code(const struct maps *maps, pid_t tgid);

/*
 * Note that a process was created, or that it executed a program. A new process
 * inherits generated code from its parent. A process that has executed a
 * program has no generated code. In maps_forked(), the ID @tgid may have been
 * used by an earlier process.
 */
void maps_forked(struct maps *maps, pid_t parent, pid_t tgid);
void maps_executed(struct maps *maps, pid_t tgid);

#endif /* PFMON_CAPTURE_MAPS_H */
