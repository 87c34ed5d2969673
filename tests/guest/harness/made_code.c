// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * made_code.c - spin in code that is generated at run time
 *
 * usage: made_code ROUNDS
 *
 * A perf map describes made_often() and made_seldom(). A jitdump file describes
 * replaced() and replacing(), which alternate at the same address. The times
 * that the program spends in these four functions have the ratio 12:4:1:3. A
 * second thread, named "bystander", sleeps.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* The code is: for (; n; n--); return; */
#if defined(__aarch64__)
static const uint32_t loop[] = { 0x71000400, 0x54ffffe1, 0xd65f03c0 };
#else
static const unsigned char loop[] = { 0xff, 0xcf, 0x75, 0xfc, 0xc3 };
#endif

#define ROOM	64	/* bytes per function */

typedef void spin_t(unsigned int n);

static void *stand_by(void *arg)
{
	pthread_setname_np(pthread_self(), "bystander");
	pthread_barrier_wait(arg);
	pause();
	return NULL;
}

static void check(int ok)
{
	if (!ok)
		exit(1);
}

static char *make_room(void)
{
	char *code = mmap(NULL, 3 * ROOM, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	check(code != MAP_FAILED);
	return code;
}

static void make(char *code)
{
	memcpy(code, loop, sizeof(loop));
	__builtin___clear_cache(code, code + ROOM);
}

/* Creates a file in /tmp. */
static FILE *create(const char *format)
{
	char path[32];
	FILE *file;

	snprintf(path, sizeof(path), format, getpid());
	file = fopen(path, "w+");
	check(file != NULL);
	return file;
}

static void write_map(const char *code)
{
	FILE *map = create("/tmp/perf-%d.map");

	fprintf(map, "%lx %x made_often()\n", (unsigned long)code, ROOM);
	fprintf(map, "%lx %x made_seldom\n", (unsigned long)code + ROOM, ROOM);
	fclose(map);
}

/* Creates a jitdump file with only a header, and maps it. */
static FILE *create_dump(void)
{
	struct {
		uint32_t magic, version, size, machine, reserved, pid;
		uint64_t time, flags;
	} header = { 0x4a695444, 1, sizeof(header), .pid = getpid() };
	FILE *dump = create("/tmp/jit-%d.dump");

	fwrite(&header, sizeof(header), 1, dump);
	fflush(dump);
	check(mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump),
		   0) != MAP_FAILED);
	return dump;
}

/* Generates a function and describes it in the jitdump file. */
static void make_described(FILE *dump, char *code, const char *name)
{
	static uint64_t index;
	struct timespec now;
	struct {
		uint32_t id, size;
		uint64_t time;
		uint32_t pid, tid;
		uint64_t vma, address, code_size, index;
	} record = {
		.size = sizeof(record) + strlen(name) + 1 + ROOM,
		.pid = getpid(), .tid = gettid(),
		.vma = (uintptr_t)code, .address = (uintptr_t)code,
		.code_size = ROOM, .index = index++,
	};

	make(code);
	clock_gettime(CLOCK_MONOTONIC, &now);
	record.time = now.tv_sec * 1000000000ULL + now.tv_nsec;
	fwrite(&record, sizeof(record), 1, dump);
	fwrite(name, strlen(name) + 1, 1, dump);
	fwrite(code, ROOM, 1, dump);
	fflush(dump);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_barrier_t barrier;
	pthread_t thread;
	char *code, *other;
	FILE *dump;

	if (!rounds) {
		fprintf(stderr, "usage: made_code ROUNDS\n");
		return 2;
	}
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, stand_by, &barrier))
		return 1;
	pthread_barrier_wait(&barrier);
	code = make_room();
	make(code);
	make(code + ROOM);
	write_map(code);
	dump = create_dump();
	other = code + 2 * ROOM;
	while (rounds--) {
		((spin_t *)code)(1200000);
		((spin_t *)(code + ROOM))(400000);
		make_described(dump, other, "replaced()");
		((spin_t *)other)(100000);
		make_described(dump, other, "replacing");
		((spin_t *)other)(300000);
	}
	return 0;
}
