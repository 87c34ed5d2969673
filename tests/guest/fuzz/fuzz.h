/* SPDX-License-Identifier: MIT OR GPL-2.0 */
/*
 * fuzz.h - declarations shared by the files of the program "fuzz"
 *
 * Each thread has its own series of random numbers, derived from the seed. The
 * thread's calls and their arguments depend only on this series, never on
 * results of calls. All threads of a process deliberately share descriptors and
 * mappings. Before a thread closes a descriptor or removes a mapping, it takes
 * the entry out of the table in struct fuzz_process. Otherwise two threads
 * could both use the entry, and the second one could close a new descriptor
 * with the same number, or remove a new mapping at the same address.
 */
#ifndef GUEST_FUZZ_H
#define GUEST_FUZZ_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/* These macros have the same names as in the kernel. */
#define __printf(a, b)	__attribute((__format__(printf, a, b)))
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define FUZZ_FDS	8
#define FUZZ_MAPS	6
#define FUZZ_VICTIMS	3
#define FUZZ_MAX_THREADS 64	/* of all processes together */

/**
 * struct fuzz_seat - a thread's state, visible to all processes
 * @tid:  the thread's ID, or 0 after its end
 * @call: number of its current call
 * @what: what it is doing
 */
struct fuzz_seat {
	pid_t		tid;
	unsigned long	call;
	const char	*what;
};

/**
 * struct fuzz_process - data shared by the threads of a process
 * @fds:      descriptors, -1 for none; most are contexts
 * @sizes:    sizes of the contexts' buffers
 * @maps_lock: protects @maps and @map_sizes
 * @maps:     mappings, NULL for none
 * @map_sizes: their sizes in bytes
 * @victims:  processes to monitor, 0 for none
 * @group:    descriptor of the control group that the guest's command runs in,
 *            or -1
 */
struct fuzz_process {
	int	fds[FUZZ_FDS];
	size_t	sizes[FUZZ_FDS];
	pthread_mutex_t maps_lock;
	void	*maps[FUZZ_MAPS];
	size_t	map_sizes[FUZZ_MAPS];
	pid_t	victims[FUZZ_VICTIMS];
	int	group;
};

/**
 * struct fuzz - state of a thread that makes calls
 * @process: data shared with the threads of its process
 * @seats:   states of all threads
 * @seat:    its own state
 * @random:  state of its random series
 * @seed:    the seed of all series
 * @verbose: print each call
 * @arena:   memory for its arguments
 * @timer:   interrupts its blocking calls
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

/* Random numbers from the splitmix64 generator */

uint64_t fuzz_u64(struct fuzz *f);

static inline unsigned int fuzz_below(struct fuzz *f, unsigned int n)
{
	return fuzz_u64(f) % n;
}

static inline bool fuzz_one_in(struct fuzz *f, unsigned int n)
{
	return !fuzz_below(f, n);
}

/* Return an edge case, such as a power of two, or a random number. */
uint64_t fuzz_edge(struct fuzz *f);

/*
 * Record @what, a string constant, as the thread's next action. With --verbose,
 * print it with details.
 */
__printf(3, 4)
void fuzz_tell(struct fuzz *f, const char *what, const char *format, ...);
/* Report a violated invariant and end the process. */
_Noreturn __printf(2, 3)
void fuzz_fail(struct fuzz *f, const char *format, ...);

/* arena.c: memory for arguments, with guard pages */

#define FUZZ_ARENA_BYTES	(16U << 10)

void fuzz_arena_init(struct fuzz *f);
/*
 * Copy at most FUZZ_ARENA_BYTES to a random place in the arena. Return: the
 * copy, which can be read and written.
 */
void *fuzz_place(struct fuzz *f, const void *bytes, size_t size);
/*
 * Copy bytes to a place that is read-only or partly inaccessible, or choose an
 * invalid address. Return: the address.
 */
void *fuzz_place_badly(struct fuzz *f, const void *bytes, size_t size);
/*
 * Check that no bytes of the arena have changed except the @size bytes at
 * @changed.
 */
void fuzz_check_arena(struct fuzz *f, const void *changed, size_t size);

/* calls.c: the commands of perfmon */

void fuzz_command(struct fuzz *f);
void fuzz_session(struct fuzz *f);
void fuzz_ioctl(struct fuzz *f);

/* args.c: arguments of commands */

struct fuzz_arg {
	unsigned char	bytes[2048];
	size_t		size;		/* of one element */
	int		narg;
};

/* Make an argument with which the command could succeed. */
void fuzz_make_arg(struct fuzz *f, int cmd, struct fuzz_arg *arg);
/*
 * Make an argument for a randomly chosen format, and store the format's UUID in
 * @uuid. Return: the size of the argument.
 */
size_t fuzz_make_fmt_arg(struct fuzz *f, unsigned char *uuid, void *arg);

/* files.c: other operations on descriptors and mappings */

/*
 * Choose two entries of the process's table at random. Return: a descriptor in
 * one of them, or -1 if both are free. Another thread may close the descriptor
 * at any time.
 */
int fuzz_any_fd(struct fuzz *f);
/*
 * Choose an index in the process's table of descriptors. fuzz_keep_fd() puts a
 * descriptor there, and closes the previous one.
 */
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

/* unwind.c: sets of unwind tables */

void fuzz_unwind(struct fuzz *f);

/* tasks.c: processes, threads and CPUs */

void fuzz_victim(struct fuzz *f);
void fuzz_fork(struct fuzz *f);
void fuzz_thread(struct fuzz *f);
void fuzz_pin(struct fuzz *f);
void fuzz_work(struct fuzz *f);
void fuzz_kill_victims(struct fuzz *f);
/*
 * Work in random ways in a process that is monitored, until it exits or is
 * killed.
 */
_Noreturn void fuzz_victim_main(uint64_t seed);

/* system.c: configuration, devices and modules */

void fuzz_config_file(struct fuzz *f);
void fuzz_unload(struct fuzz *f);
void fuzz_device(struct fuzz *f);
/*
 * Set limits that suit a small guest, and allow unprivileged users to monitor.
 */
void fuzz_configure(void);
/* Call fuzz_configure(), and limit perf's sample rate. */
void fuzz_begin(void);
/* Restore the boot settings. */
void fuzz_end(void);
/* Unload all modules, which must not be in use, and load the initial ones. */
bool fuzz_unload_all(void);

#endif /* GUEST_FUZZ_H */
