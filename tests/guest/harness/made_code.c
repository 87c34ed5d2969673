// SPDX-License-Identifier: MIT OR GPL-2.0
/*
 * made_code.c - spin in code generated at run time and described in a perf map
 *
 * usage: made_code ROUNDS
 *
 * The program spends three times as long in made_often() as in made_seldom(). A
 * second thread, named "bystander", sleeps.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

static char *make_code(void)
{
	char *code = mmap(NULL, 2 * ROOM, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		exit(1);
	memcpy(code, loop, sizeof(loop));
	memcpy(code + ROOM, loop, sizeof(loop));
	__builtin___clear_cache(code, code + 2 * ROOM);
	if (mprotect(code, 2 * ROOM, PROT_READ | PROT_EXEC))
		exit(1);
	return code;
}

static void tell(const char *code)
{
	char path[32];
	FILE *map;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		exit(1);
	fprintf(map, "%lx %x made_often()\n", (unsigned long)code, ROOM);
	fprintf(map, "%lx %x made_seldom\n", (unsigned long)code + ROOM, ROOM);
	fclose(map);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	pthread_barrier_t barrier;
	pthread_t thread;
	char *code;

	if (!rounds) {
		fprintf(stderr, "usage: made_code ROUNDS\n");
		return 2;
	}
	pthread_barrier_init(&barrier, NULL, 2);
	if (pthread_create(&thread, NULL, stand_by, &barrier))
		return 1;
	pthread_barrier_wait(&barrier);
	code = make_code();
	tell(code);
	while (rounds--) {
		((spin_t *)code)(300000);
		((spin_t *)(code + ROOM))(100000);
	}
	return 0;
}
