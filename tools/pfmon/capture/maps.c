// SPDX-License-Identifier: MIT OR GPL-2.0
/* maps.c - record mappings of processes in the capture */
#define _GNU_SOURCE
#include <inttypes.h>
#include <libdeflate.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json.h"
#include "base/pid_table.h"
#include "base/util.h"
#include "capture/jit.h"
#include "capture/jitdump.h"
#include "capture/maps.h"
#include "capture/perf_record.h"
#include "capture/vdso.h"
#include "process/buildid.h"
#include "process/mapping.h"
#include "stacks/table_set.h"

#define BUCKETS	256

/* Maximum number of data mappings in a chunk, which thus has at most 6 MB. */
#define MOST_OTHERS	32768

/* The mappings of a process as they were last written. */
struct process {
	struct pid_entry entry;	/* by its tgid */
	bool known;
	bool made_code;		/* has generated code */
	uint64_t signature;
	uint64_t round;		/* of the last examination */
};

/* A file that could be identified. */
struct file {
	struct file *next;
	char *key;		/* device, inode and path */
	bool is_code;		/* was found in an executable mapping */
	struct file_identity identity;
};

struct maps {
	bool data;		/* record data mappings, too */
	bool made_code;		/* result of maps_have_made_code() */
	bool told_deleted;	/* the message was printed */
	uint64_t round;
	struct pid_table processes;
	struct file *files[BUCKETS];
	struct table_set *tables;	/* the caller's; or NULL */
	struct jit *jit;		/* the caller's */
	struct vdsos *vdsos;
	struct file_identity vdso;	/* from the last maps_identify() */
};

struct maps *maps_create(bool data, struct table_set *tables, struct jit *jit)
{
	struct maps *maps = checked_calloc(1, sizeof(*maps));

	maps->data = data;
	maps->tables = tables;
	maps->jit = jit;
	maps->vdsos = vdsos_create();
	maps->round = 1;
	return maps;
}

void maps_destroy(struct maps *maps)
{
	if (!maps)
		return;
	pid_table_free(&maps->processes);
	vdsos_destroy(maps->vdsos);
	for (size_t i = 0; i < BUCKETS; i++) {
		while (maps->files[i]) {
			struct file *file = maps->files[i];

			maps->files[i] = file->next;
			free(file->key);
			file_identity_free(&file->identity);
			free(file);
		}
	}
	free(maps);
}

static uint32_t crc_of(uint32_t start, const char *text)
{
	return libdeflate_crc32(start, text, strlen(text));
}

/*
 * Returns whether @path, below the root directory of the process, leads to the
 * mapped file, which has the inode number @inode.
 */
static bool leads_to(pid_t tgid, const char *path, uint64_t inode)
{
	char *whole = checked_printf("/proc/%d/root%s", tgid, path);
	struct stat info;
	bool same = !stat(whole, &info) && info.st_ino == inode;

	free(whole);
	return same;
}

/* The kernel appends " (deleted)" to the path of a deleted file. */
size_t maps_path_length(pid_t tgid, const char *path, uint64_t inode)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(path), cut = sizeof(mark) - 1;

	if (length > cut && !strcmp(path + length - cut, mark) &&
	    !leads_to(tgid, path, inode))
		length -= cut;
	return length;
}

/*
 * Returns the path of a mapping's file, to be freed. Reads it from the link in
 * /proc if mapping->unsure is set.
 */
static char *exact_path(pid_t tgid, const struct mapping *mapping)
{
	char *link = mapping_link(tgid, mapping->start, mapping->end);
	char target[PATH_MAX];
	ssize_t length = -1;

	if (mapping->unsure)
		length = readlink(link, target, sizeof(target) - 1);
	free(link);
	if (length <= 0)
		return checked_strdup(mapping->path);
	target[length] = '\0';
	return checked_strdup(target);
}

static bool is_code(const struct mapping *mapping)
{
	return mapping->prot[2] == 'x';
}

/* Prints, once, that call chains through a deleted file are incomplete. */
static void tell_deleted(struct maps *maps, pid_t tgid,
			 const struct mapping *mapping)
{
	size_t length = maps_path_length(tgid, mapping->path, mapping->inode);

	if (maps->told_deleted || !maps->tables || !is_code(mapping) ||
	    !mapping->path[length])
		return;
	maps->told_deleted = true;
	message("call chains through %.*s are incomplete: process %d uses this file, but it was deleted or replaced: restart the process, or run pfmon as root",
		(int)length, mapping->path, tgid);
}

/*
 * Reads the identity of a mapping's file and, if the mapping is executable,
 * adds the file's unwind table to the set. Returns false if no path leads to
 * the file.
 */
static bool identify(struct maps *maps, struct file_identity *identity,
		     pid_t tgid, const char *name,
		     const struct mapping *mapping)
{
	int fd = mapping_open(mapping, tgid, name);

	if (fd < 0) {
		tell_deleted(maps, tgid, mapping);
		return false;
	}
	file_identify(identity, fd);
	if (maps->tables && is_code(mapping))
		table_set_add(maps->tables, fd, identity->build_id);
	else
		close(fd);
	return true;
}

static struct file **bucket_of(struct maps *maps, const char *key)
{
	return &maps->files[crc_of(0, key) % BUCKETS];
}

/*
 * Returns a file that was found before, or NULL. With @code, considers only
 * files that were found in an executable mapping.
 */
static struct file *find_file(struct maps *maps, const char *key, bool code)
{
	struct file *file = *bucket_of(maps, key);

	while (file && (strcmp(file->key, key) || file->is_code < code))
		file = file->next;
	return file;
}

/* Adds a file. Takes ownership of the key and of the identity's texts. */
static struct file *add_file(struct maps *maps, char *key, bool code,
			     const struct file_identity *identity)
{
	struct file **bucket = bucket_of(maps, key);
	struct file *file = checked_calloc(1, sizeof(*file));

	*file = (struct file){
		.next = *bucket, .key = key, .is_code = code,
		.identity = *identity,
	};
	*bucket = file;
	return file;
}

/*
 * Returns the identity of the file at @path; @maps owns it. A failure is not
 * stored: another process may give access to the file later.
 */
static const struct file_identity *identity_of(struct maps *maps, pid_t tgid,
					       const char *path,
					       const struct mapping *mapping)
{
	static const struct file_identity unknown;
	char *key = checked_printf("%s %s", mapping->device_inode, path);
	struct file *file = find_file(maps, key, is_code(mapping));
	struct file_identity identity;

	if (!file && identify(maps, &identity, tgid, path, mapping))
		file = add_file(maps, key, is_code(mapping), &identity);
	else
		free(key);
	return file ? &file->identity : &unknown;
}

/* Returns whether an open file has this build ID. */
static bool has_build_id(int fd, const char *build_id)
{
	struct file_identity identity;
	bool same;

	file_identify(&identity, fd);
	same = identity.build_id && !strcmp(identity.build_id, build_id);
	file_identity_free(&identity);
	return same;
}

/*
 * Adds the unwind table of the file at @path if the file has this build ID.
 * Returns whether it has.
 */
static bool add_code_at(struct maps *maps, const char *path,
			const char *build_id)
{
	static const struct file_identity none;
	int fd = file_open(path);
	struct stat info = { .st_ino = 0 };
	char *key;

	if (fd < 0)
		return false;
	fstat(fd, &info);
	/*
	 * Use the device and inode instead of the path, because a copy of the
	 * file may have the same path below another root directory.
	 */
	key = checked_printf("%s %ju %ju", build_id, (uintmax_t)info.st_dev,
			     (uintmax_t)info.st_ino);
	if (find_file(maps, key, true)) {
		free(key);
		close(fd);
		return true;
	}
	if (has_build_id(fd, build_id)) {
		table_set_add(maps->tables, fd, build_id);
		add_file(maps, key, true, &none);
		return true;
	}
	free(key);
	close(fd);
	return false;
}

/*
 * Tries several paths to the file, because the process may have ended, and the
 * file may have been deleted.
 */
void maps_add_code(struct maps *maps, const struct perf_record *record)
{
	char build_id[2 * LARGEST_BUILD_ID + 1];
	char *path, *exe, *link;

	if (!maps->tables || !(record->prot & PROT_EXEC) ||
	    *record->text != '/')
		return;
	for (uint32_t i = 0; i < record->build_id_size; i++)
		sprintf(build_id + 2 * i, "%02x", record->build_id[i]);
	path = checked_printf("/proc/%d/root%s", record->tgid, record->text);
	exe = checked_printf("/proc/%d/exe", record->tgid);
	link = mapping_link(record->tgid, record->start, record->end);
	if (!add_code_at(maps, path, build_id) &&
	    !add_code_at(maps, record->text, build_id) &&
	    !add_code_at(maps, exe, build_id))
		add_code_at(maps, link, build_id);
	free(link);
	free(exe);
	free(path);
}

void maps_add_program(struct maps *maps, const char *path)
{
	int fd = maps->tables ? file_open(path) : -1;
	struct file_identity identity;

	if (fd < 0)
		return;
	file_identify(&identity, fd);
	table_set_add(maps->tables, fd, identity.build_id);
	file_identity_free(&identity);
}

static struct process *find_process(struct maps *maps, pid_t tgid)
{
	return pid_table_get(&maps->processes, tgid, sizeof(struct process));
}

/* Returns whether this is executable memory without a file on a disk. */
static bool is_made_code(const struct mapping *mapping)
{
	static const char *const memory[] = {
		"[anon", "/memfd:", "/dev/zero", "/anon_hugepage", "/SYSV",
	};

	if (!is_code(mapping))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(memory); i++) {
		if (!strncmp(mapping->path, memory[i], strlen(memory[i])))
			return true;
	}
	return !*mapping->path;
}

const struct file_identity *maps_identify(struct maps *maps, pid_t tgid,
					  const char *path,
					  const struct mapping *mapping)
{
	const bool dump = is_code(mapping) && jitdump_has_name(path);

	if (dump || is_made_code(mapping)) {
		find_process(maps, tgid)->made_code = true;
		maps->made_code = true;
	}
	if (dump)
		jit_add_dump(maps->jit, tgid, mapping, path);
	if (*path == '/')
		return identity_of(maps, tgid, path, mapping);
	maps->vdso.build_id = NULL;
	if (!strcmp(path, "[vdso]"))
		maps->vdso.build_id = (char *)vdso_find(maps->vdsos, tgid,
							mapping);
	return &maps->vdso;
}

static struct json_object *describe(struct maps *maps, pid_t tgid,
				    const struct mapping *mapping)
{
	struct json_object *object = json_new_object();
	const struct file_identity *identity;
	char *path = exact_path(tgid, mapping);

	identity = maps_identify(maps, tgid, path, mapping);
	path[maps_path_length(tgid, path, mapping->inode)] = '\0';
	json_add_u64(object, "start", mapping->start);
	json_add_u64(object, "end", mapping->end);
	json_add_u64(object, "offset", mapping->offset);
	json_add_text(object, "prot", mapping->prot);
	json_add_text(object, "path", path);
	file_identity_add(object, identity);
	free(path);
	return object;
}

/*
 * Returns whether the mappings have changed since they were last written, and
 * stores their signature.
 */
static bool is_news(struct process *process, uint64_t signature)
{
	if (process->known && process->signature == signature)
		return false;
	process->known = true;
	process->signature = signature;
	return true;
}

/*
 * Returns where the permissions are in a line of /proc/PID/maps; NULL if the
 * line has none. Must be fast, because it is called for each line.
 */
static const char *prot_of(const char *line)
{
	const char *prot = line + strcspn(line, "\n ");

	return *prot == ' ' && strcspn(prot + 1, "\n ") == 4 ? prot + 1 : NULL;
}

/* Removes lines of irrelevant mappings; returns the signature of the rest. */
static uint64_t keep_lines(char *text, const char *comm, bool data)
{
	uint32_t crc = crc_of(0, comm);
	size_t kept = 0, length, others = 0;
	const char *prot;

	for (char *line = text; *line; line += length) {
		length = strcspn(line, "\n");
		length += line[length] == '\n';
		prot = prot_of(line);
		if (!prot ||
		    (prot[2] != 'x' && (!data || ++others > MOST_OTHERS)))
			continue;
		memmove(text + kept, line, length);
		kept += length;
	}
	text[kept] = '\0';
	if (others > MOST_OTHERS)
		message("a process has more than %d data mappings: the rest is not recorded; omit --data-maps if you do not need data mappings",
			MOST_OTHERS);
	return (uint64_t)kept << 32 | crc_of(crc, text);
}

static char *serialise(struct maps *maps, struct process *process,
		       const char *comm, char *text)
{
	struct json_object *object = json_new_object();
	struct json_object *list = json_new_array();
	struct mapping mapping;
	char *line, *rest = text;

	while ((line = strsep(&rest, "\n"))) {
		if (!mapping_parse(line, &mapping))
			continue;
		json_append(list, describe(maps, process->entry.pid, &mapping));
	}
	json_add_u64(object, "tgid", (uint64_t)process->entry.pid);
	json_add_text(object, "comm", comm);
	json_add(object, "maps", list);
	return json_finish(object);
}

/*
 * Returns whether the main thread has exited: /proc/PID/maps is then empty. The
 * recorded mappings are kept for samples of the other threads.
 */
static bool has_exited(const struct process *process, const char *text)
{
	return !*text && process->signature >> 32;
}

void maps_note_change(struct maps *maps, pid_t tgid)
{
	if (table_set_looks_up(maps->tables))
		table_set_changed(maps->tables, tgid);
}

static char *look_at(struct maps *maps, struct process *process)
{
	char *path = checked_printf("/proc/%d/maps", process->entry.pid);
	char *comm = read_comm(process->entry.pid);
	size_t length;
	char *text = read_file(path, &length);
	char *json = NULL;

	if (text && comm && !has_exited(process, text) &&
	    is_news(process, keep_lines(text, comm, maps->data))) {
		maps_note_change(maps, process->entry.pid);
		json = serialise(maps, process, comm, text);
	}
	free(text);
	free(comm);
	free(path);
	return json;
}

void maps_next_round(struct maps *maps)
{
	maps->round++;
}

bool maps_is_looked_at(struct maps *maps, pid_t tgid)
{
	return find_process(maps, tgid)->round == maps->round;
}

char *maps_changed(struct maps *maps, pid_t tgid)
{
	struct process *process = find_process(maps, tgid);

	if (process->round == maps->round)
		return NULL;
	process->round = maps->round;
	return look_at(maps, process);
}

void maps_forget(struct maps *maps, pid_t tgid)
{
	pid_table_forget(&maps->processes, tgid);
	jit_ended(maps->jit, tgid);
}

int maps_write_vdsos(struct maps *maps, struct capture *capture)
{
	return vdsos_write(maps->vdsos, capture);
}

bool maps_has_made_code(const struct maps *maps, pid_t tgid)
{
	const struct process *process = pid_table_find(&maps->processes, tgid);

	return process && process->made_code;
}

/*
 * Does not create an entry for a process without generated code, because there
 * may be many such processes.
 */
static void set_made_code(struct maps *maps, pid_t tgid, bool made)
{
	struct process *process = made ? find_process(maps, tgid) :
					 pid_table_find(&maps->processes, tgid);

	if (process)
		process->made_code = made;
}

void maps_forked(struct maps *maps, pid_t parent, pid_t tgid)
{
	set_made_code(maps, tgid, maps_has_made_code(maps, parent));
	jit_ended(maps->jit, tgid);
}

void maps_executed(struct maps *maps, pid_t tgid)
{
	set_made_code(maps, tgid, false);
}

bool maps_have_made_code(const struct maps *maps)
{
	return maps->made_code;
}
