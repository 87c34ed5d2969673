/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * fuzz.h - random calls: what the files of the program "fuzz" share
 *
 * Each thread has its own series of random numbers, derived from the seed; it
 * alone decides what the thread calls with which arguments, never the result of
 * a call. Descriptors and mappings are shared by all threads of a process on
 * purpose. To close or unmap one, a thread takes it out of the table first,
 * lest it hit one that another thread has just created.
 */
#ifndef GUEST_FUZZ_H
#define GUEST_FUZZ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* As the kernel names it. */
#define __printf(a, b)	__attribute((__format__(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define FUZZ_FDS	8
#define FUZZ_MAPS	6
#define FUZZ_VICTIMS	3
#define FUZZ_MAX_THREADS 64	/* in all processes together */

/**
 * struct fuzz_seat - what everybody sees of a thread
 * @tid:  the thread, 0 when it has ended
 * @call: number of its call
 * @what: what it is doing
 */
struct fuzz_seat {
	pid_t		tid;
	unsigned long	call;
	const char	*what;
};

/**
 * struct fuzz_process - what the threads of a process share
 * @fds:      descriptors, -1 for none; most are contexts
 * @sizes:    what the mappings of the contexts' buffers should have
 * @maps_lock: for what follows
 * @maps:     mappings, NULL for none
 * @map_sizes: their sizes in bytes
 * @victims:  processes to monitor, 0 for none
 */
struct fuzz_process {
	int	fds[FUZZ_FDS];
	size_t	sizes[FUZZ_FDS];
	pthread_mutex_t maps_lock;
	void	*maps[FUZZ_MAPS];
	size_t	map_sizes[FUZZ_MAPS];
	pid_t	victims[FUZZ_VICTIMS];
};

/**
 * struct fuzz - a thread that makes calls
 * @process: what it shares with others
 * @seats:   those of all threads
 * @seat:    its own
 * @random:  state of its series
 * @seed:    what the series of all threads were made of
 * @verbose: it tells each call
 * @arena:   where its arguments are
 * @timer:   interrupts its calls that wait
 */
struct fuzz {
	struct fuzz_process	*process;
	struct fuzz_seat	*seats;
	struct fuzz_seat	*seat;
	uint64_t		random;
	uint64_t		seed;
	bool			verbose;
	char			*arena;
	timer_t			timer;
};

/* Random numbers: the series "splitmix64" */

uint64_t fuzz_u64(struct fuzz *f);

static inline unsigned int fuzz_below(struct fuzz *f, unsigned int n)
{
	return fuzz_u64(f) % n;
}

static inline bool fuzz_one_in(struct fuzz *f, unsigned int n)
{
	return !fuzz_below(f, n);
}

/* A number that is an edge of something, or any one. */
uint64_t fuzz_edge(struct fuzz *f);

/* Say what is done next, a constant; with --verbose it is printed, and more. */
__printf(3, 4)
void fuzz_tell(struct fuzz *f, const char *what, const char *format, ...);
/* An invariant does not hold: say so, and end the process. */
_Noreturn __printf(2, 3)
void fuzz_fail(struct fuzz *f, const char *format, ...);

/* arena.c: memory for arguments, and what surrounds it */

#define FUZZ_ARENA_BYTES	(16U << 10)

void fuzz_arena_init(struct fuzz *f);
/* Put bytes where they can be read and written; at most FUZZ_ARENA_BYTES. */
void *fuzz_place(struct fuzz *f, const void *bytes, size_t size);
/* The same at an address that is bad for some reason. */
void *fuzz_place_badly(struct fuzz *f, const void *bytes, size_t size);
/* Nothing but these bytes may have changed since; none if size is 0. */
void fuzz_check_arena(struct fuzz *f, const void *changed, size_t size);

/* calls.c: the commands of perfmon */

void fuzz_command(struct fuzz *f);
void fuzz_session(struct fuzz *f);
void fuzz_ioctl(struct fuzz *f);

/* args.c: their arguments */

struct fuzz_arg {
	unsigned char	bytes[2048];
	size_t		size;		/* of one element */
	int		narg;
};

/* Fill in a call that could succeed. */
void fuzz_make_arg(struct fuzz *f, int cmd, struct fuzz_arg *arg);
/* The argument of one of the formats, and its UUID. Return: its size. */
size_t fuzz_make_fmt_arg(struct fuzz *f, unsigned char *uuid, void *arg);

/* files.c: what else can be done to descriptors and mappings */

/* Any descriptor of the table, closed or not; or another number. */
int fuzz_any_fd(struct fuzz *f);
/* A place in the table; and put a descriptor there, or close what was there. */
unsigned int fuzz_any_place(struct fuzz *f);
void fuzz_keep_fd(struct fuzz *f, unsigned int place, int fd, size_t size);
void fuzz_close_all(struct fuzz *f);

void fuzz_close(struct fuzz *f);
void fuzz_dup(struct fuzz *f);
void fuzz_open(struct fuzz *f);
void fuzz_read(struct fuzz *f);
void fuzz_poll(struct fuzz *f);
void fuzz_ask_signals(struct fuzz *f);
void fuzz_show(struct fuzz *f);
void fuzz_mmap(struct fuzz *f);
void fuzz_munmap(struct fuzz *f);
void fuzz_mprotect(struct fuzz *f);
void fuzz_mremap(struct fuzz *f);

/* tasks.c: processes, threads and CPUs */

void fuzz_victim(struct fuzz *f);
void fuzz_fork(struct fuzz *f);
void fuzz_thread(struct fuzz *f);
void fuzz_pin(struct fuzz *f);
void fuzz_work(struct fuzz *f);
void fuzz_kill_victims(struct fuzz *f);
/* The process that is monitored: works until it is killed or has enough. */
_Noreturn void fuzz_victim_main(uint64_t seed);

/* system.c: what is not a context's: configuration, modules */

void fuzz_config_file(struct fuzz *f);
void fuzz_unload_format(struct fuzz *f);
void fuzz_device(struct fuzz *f);
/* Limits that a small guest stands, and a user without privilege needs. */
void fuzz_configure(void);
/* The same, and perf's; as it was after boot. */
void fuzz_begin(void);
void fuzz_end(void);
/* Nothing is in use: unload all modules, and load what was there. */
bool fuzz_unload_all(void);

#endif /* GUEST_FUZZ_H */
