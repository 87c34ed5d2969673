// SPDX-License-Identifier: GPL-2.0
/*
 * pfm_pmu_sim - a simulated PMU, exact and deterministic
 *
 * There are eight pairs PMCn/PMDn with 32-bit counters, one plain PMD, and some
 * of pfm_pmu_perf's virtual PMDs. The virtual PMD of perf's clock works; the
 * other virtual PMDs are plain registers. The counters advance only by
 * pfm_sim_advance(), or when user space writes a line to pfm_sim/advance in
 * debugfs:
 *
 *	task TID|cpu N [irq] [ip ADDRESS] [ns TIME] PMD=EVENTS... FIELD=VALUE...
 *
 * "irq" reports the overflows from a hard interrupt. ADDRESS is the interrupted
 * instruction pointer, TIME is the time since the last tick in ns, EVENTS is
 * the number of events to add to that PMD, and FIELD is a field of a
 * debug-store record. Like a CPU, the PMU makes one record for all counters
 * that overflow in one instant. A counter counts while its PMC is not 0; a
 * PMC's upper 32 bits are reserved. PMCs 64 + n and 128 + n, the configuration
 * words of PMCn, have no effect.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>
#include <perfmon/perfmon_irq_work.h>
#include <perfmon/perfmon_pmu.h>
#include "pfm_sim.h"

#define SIM_MASK	((1ULL << PFM_SIM_WIDTH) - 1)
#define SIM_MAX_LINE	1024

/**
 * struct sim_set - a loaded event set
 * @list:  in sim_sets
 * @s:     the core's structure for the set
 * @regs:  its registers
 * @select: hardware registers of PMC0 ... PMC7
 * @started: the set counts
 * @value: hardware registers of the PMDs, by index in @regs
 */
struct sim_set {
	struct list_head		list;
	struct pfm_pmu_set		*s;
	struct pfm_pmu_reg *const	*regs;
	u64				select[PFM_SIM_PAIRS];
	bool				started;
	u64				value[];
};

static LIST_HEAD(sim_sets);
static DEFINE_RAW_SPINLOCK(sim_lock);
static DEFINE_MUTEX(sim_advance_lock);

static int sim_load(struct pfm_pmu_set *s, struct pfm_pmu_reg *const *regs)
{
	struct sim_set *ss;
	unsigned long flags;
	u16 i;

	ss = kzalloc(struct_size(ss, value, s->num_regs), GFP_KERNEL);
	if (!ss)
		return -ENOMEM;
	ss->s = s;
	ss->regs = regs;
	for (i = 0; i < s->num_regs; i++)
		if (regs[i])
			regs[i]->priv = &ss->value[i];
	for (i = 0; i < PFM_SIM_PAIRS; i++)
		if (regs[i])
			ss->select[i] = regs[i]->pmc_value;
	s->priv = ss;
	raw_spin_lock_irqsave(&sim_lock, flags);
	list_add(&ss->list, &sim_sets);
	raw_spin_unlock_irqrestore(&sim_lock, flags);
	return 0;
}

static void sim_unload(struct pfm_pmu_set *s)
{
	struct sim_set *ss = s->priv;
	unsigned long flags;
	u16 i;

	raw_spin_lock_irqsave(&sim_lock, flags);
	list_del(&ss->list);
	raw_spin_unlock_irqrestore(&sim_lock, flags);
	synchronize_rcu();
	for (i = 0; i < s->num_regs; i++)
		if (ss->regs[i])
			ss->regs[i]->priv = NULL;
	s->priv = NULL;
	kfree(ss);
}

static int sim_start(struct pfm_pmu_set *s)
{
	struct sim_set *ss = s->priv;

	WRITE_ONCE(ss->started, true);
	return 0;
}

static void sim_stop(struct pfm_pmu_set *s)
{
	struct sim_set *ss = s->priv;

	WRITE_ONCE(ss->started, false);
	/* Wait for ticks that other threads or CPUs are reporting. */
	synchronize_rcu_expedited();
}

static int sim_write_pmc(struct pfm_pmu_reg *reg)
{
	struct sim_set *ss = reg->set->priv;

	/* The PMD may have been allocated after the set was loaded. */
	reg->priv = &ss->value[reg->desc->index];
	ss->select[reg->desc->index] = reg->pmc_value;
	return 0;
}

static int sim_write_pmd(struct pfm_pmu_reg *reg, u64 value)
{
	*(u64 *)reg->priv = value;
	return 0;
}

static u64 sim_clock_now(struct task_struct *task)
{
	return local_clock();
}

static u64 sim_read_pmd(struct pfm_pmu_reg *reg)
{
	if (reg->desc->read)
		return reg->desc->read(reg->set->task);
	return *(u64 *)reg->priv;
}

static void sim_read_pmds_ovfl(struct pfm_pmu_reg *const *regs, u64 *values,
			       unsigned int n)
{
	while (n--)
		*values++ = sim_read_pmd(*regs++);
}

static void sim_reset_pmd(struct pfm_pmu_reg *reg, u64 value, bool reported)
{
	*(u64 *)reg->priv = value;
}

static bool sim_is_there(const struct sim_set *ss,
			 const struct pfm_sim_tick *tick)
{
	return tick->task ? ss->s->task == tick->task :
			    !ss->s->task && ss->s->cpu == tick->cpu;
}

/* Find a set of the tick's task or CPU, preferably a started one. */
static struct sim_set *sim_find(const struct pfm_sim_tick *tick)
{
	struct sim_set *ss, *found = NULL;

	list_for_each_entry(ss, &sim_sets, list) {
		if (!sim_is_there(ss, tick))
			continue;
		found = ss;
		if (READ_ONCE(ss->started))
			break;
	}
	return found;
}

/* Count the events. In @wrapped, set the bits of the PMDs that wrapped. */
static void sim_count(struct sim_set *ss, const struct pfm_sim_tick *tick,
		      unsigned long *wrapped)
{
	int i;

	for (i = 0; i < PFM_SIM_PAIRS; i++) {
		u64 sum = ss->value[i] + tick->delta[i];

		if (!ss->select[i])
			continue;
		ss->value[i] = sum & SIM_MASK;
		if (sum > SIM_MASK)
			__set_bit(i, wrapped);
	}
}

/* Get the clock of a set: the last of its registers. */
static struct pfm_pmu_reg *sim_clock(const struct sim_set *ss)
{
	return ss->regs[ss->s->num_regs - 1];
}

/* Advance the set's clock. Return: true if the set's timeout has expired. */
static bool sim_pass(struct sim_set *ss, u64 ns)
{
	u64 *value = &ss->value[ss->s->num_regs - 1];
	bool before = (s64)*value < 0;

	*value += ns;
	return sim_clock(ss)->sampling && before && (s64)*value >= 0;
}

static int sim_advance_here(const struct pfm_sim_tick *tick)
{
	struct pfm_ds_record rec = tick->rec;
	DECLARE_BITMAP(wrapped, PFM_MAX_PMDS);
	struct sim_set *ss;
	bool time_is_up = false;
	unsigned long flags;

	rec.ip = tick->ip;
	bitmap_zero(wrapped, PFM_MAX_PMDS);
	rcu_read_lock();
	preempt_disable();
	raw_spin_lock_irqsave(&sim_lock, flags);
	ss = sim_find(tick);
	if (ss && READ_ONCE(ss->started)) {
		sim_count(ss, tick, wrapped);
		time_is_up = sim_pass(ss, tick->ns);
	}
	raw_spin_unlock_irqrestore(&sim_lock, flags);
	if (ss && !bitmap_empty(wrapped, PFM_MAX_PMDS))
		pfm_overflow_many(ss->s, wrapped, tick->ip, NULL, &rec);
	if (time_is_up)
		pfm_timeout(sim_clock(ss), NULL);
	preempt_enable();
	rcu_read_unlock();
	return ss ? 0 : -ESRCH;
}

/* A tick that is reported from an interrupt */
struct sim_irq_tick {
	struct irq_work			work;
	const struct pfm_sim_tick	*tick;
	int				ret;
};

static void sim_irq(struct irq_work *work)
{
	struct sim_irq_tick *it = container_of(work, struct sim_irq_tick, work);

	it->ret = sim_advance_here(it->tick);
}

int pfm_sim_advance(const struct pfm_sim_tick *tick)
{
	struct sim_irq_tick it = { .tick = tick };
	int i;

	for (i = 0; i < PFM_SIM_PAIRS; i++)
		if (tick->delta[i] > SIM_MASK)
			return -ERANGE;
	if (!tick->irq)
		return sim_advance_here(tick);
	it.work = PFM_IRQ_WORK_INIT(sim_irq);
	irq_work_queue(&it.work);
	irq_work_sync(&it.work);
	return it.ret;
}
EXPORT_SYMBOL_GPL(pfm_sim_advance);

u64 *pfm_sim_register(struct task_struct *task, u16 type, u64 index)
{
	const struct pfm_sim_tick there = { .task = task };
	struct sim_set *ss;
	unsigned long flags;

	raw_spin_lock_irqsave(&sim_lock, flags);
	ss = sim_find(&there);
	raw_spin_unlock_irqrestore(&sim_lock, flags);
	if (!ss || index >= PFM_SIM_PAIRS)
		return NULL;
	switch (type) {
	case PFM_REG_TYPE_PMC:
		return &ss->select[index];
	case PFM_REG_TYPE_PMD:
		return &ss->value[index];
	default:
		return NULL;
	}
}
EXPORT_SYMBOL_GPL(pfm_sim_register);

/*
 * debugfs
 */

static int sim_parse_target(struct pfm_sim_tick *tick, char **line)
{
	char *kind = strsep(line, " "), *num = strsep(line, " ");
	struct pid *pid;
	int n;

	if (!num || kstrtoint(num, 10, &n))
		return -EINVAL;
	if (!strcmp(kind, "cpu")) {
		tick->cpu = n;
		return 0;
	}
	if (strcmp(kind, "task"))
		return -EINVAL;
	pid = find_get_pid(n);
	tick->task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	return tick->task ? 0 : -ESRCH;
}

#define SIM_FIELD(name) { #name, offsetof(struct pfm_ds_record, name) }
#define SIM_REG(n) { "r" #n, offsetof(struct pfm_ds_record, r8_15[(n) - 8]) }

static const struct sim_field {
	const char	*name;
	size_t		offset;
} sim_fields[] = {
	SIM_FIELD(eflags), SIM_FIELD(eax), SIM_FIELD(ebx), SIM_FIELD(ecx),
	SIM_FIELD(edx), SIM_FIELD(esi), SIM_FIELD(edi), SIM_FIELD(ebp),
	SIM_FIELD(esp), SIM_REG(8), SIM_REG(9), SIM_REG(10), SIM_REG(11),
	SIM_REG(12), SIM_REG(13), SIM_REG(14), SIM_REG(15), SIM_FIELD(dla),
	SIM_FIELD(dse), SIM_FIELD(lat), SIM_FIELD(real_ip),
	SIM_FIELD(tsx_tuning), SIM_FIELD(tsc),
};

static u64 *sim_field(struct pfm_ds_record *rec, const char *name)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sim_fields); i++)
		if (!strcmp(sim_fields[i].name, name))
			return (void *)rec + sim_fields[i].offset;
	return NULL;
}

static int sim_parse_value(struct pfm_sim_tick *tick, char *word)
{
	char *name = strsep(&word, "=");
	unsigned int n;
	u64 *to;

	if (!word)
		return -EINVAL;
	if (kstrtouint(name, 10, &n))
		to = sim_field(&tick->rec, name);
	else
		to = n < PFM_SIM_PAIRS ? &tick->delta[n] : NULL;
	return to ? kstrtou64(word, 0, to) : -EINVAL;
}

static int sim_parse_number(char **line, u64 *to)
{
	return *line ? kstrtou64(strsep(line, " "), 0, to) : -EINVAL;
}

static int sim_parse(struct pfm_sim_tick *tick, char *line)
{
	int ret = sim_parse_target(tick, &line);
	char *word;

	while (!ret && (word = strsep(&line, " ")) != NULL) {
		if (!strcmp(word, "irq"))
			tick->irq = true;
		else if (!strcmp(word, "ip"))
			ret = sim_parse_number(&line, &tick->ip);
		else if (!strcmp(word, "ns"))
			ret = sim_parse_number(&line, &tick->ns);
		else
			ret = sim_parse_value(tick, word);
	}
	return ret;
}

static ssize_t sim_advance_write(struct file *file, const char __user *user,
				 size_t size, loff_t *pos)
{
	struct pfm_sim_tick tick = {};
	char *line;
	int ret;

	if (size > SIM_MAX_LINE)
		return -EINVAL;
	line = memdup_user_nul(user, size);
	if (IS_ERR(line))
		return PTR_ERR(line);
	ret = sim_parse(&tick, strim(line));
	/* Ticks of the same thread must not run concurrently. */
	mutex_lock(&sim_advance_lock);
	if (!ret)
		ret = pfm_sim_advance(&tick);
	mutex_unlock(&sim_advance_lock);
	if (tick.task)
		put_task_struct(tick.task);
	kfree(line);
	return ret ?: size;
}

static const struct file_operations sim_advance_fops = {
	.owner	= THIS_MODULE,
	.open	= simple_open,
	.write	= sim_advance_write,
};

/*
 * The PMU description
 */

#define SIM_PMC(n)						\
	{ .num = (n), .type = PFM_REG_TYPE_PMC, .pmd = (n),	\
	  .rsvd = ~SIM_MASK, .index = (n), .name = "SIMSEL" #n }

#define SIM_PMC_CONFIG(word, base, n)				\
	{ .num = (base) + (n), .type = PFM_REG_TYPE_PMC,	\
	  .flags = PFM_REGD_CONFIG##word, .pmd = (n),		\
	  .index = (base) + (n), .name = "SIMCONFIG" #word "_" #n }
#define SIM_PMC_CONFIG1(n)	SIM_PMC_CONFIG(1, 64, n)
#define SIM_PMC_CONFIG2(n)	SIM_PMC_CONFIG(2, 128, n)

#define SIM_PMD(n)						\
	{ .num = (n), .type = PFM_REG_TYPE_PMD,			\
	  .flags = PFM_REGD_COUNTER, .pmd = PFM_REGD_NO_PMD,	\
	  .index = (n), .name = "SIMCTR" #n }

#define SIM_PLAIN(n, fl, str)					\
	{ .num = (n), .type = PFM_REG_TYPE_VIRTUAL,		\
	  .flags = (fl), .pmd = PFM_REGD_NO_PMD,		\
	  .index = (n), .name = (str) }

static const struct pfm_reg_desc sim_pmcs[] = {
	SIM_PMC(0), SIM_PMC(1), SIM_PMC(2), SIM_PMC(3),
	SIM_PMC(4), SIM_PMC(5), SIM_PMC(6), SIM_PMC(7),
	SIM_PMC_CONFIG1(0), SIM_PMC_CONFIG1(1),
	SIM_PMC_CONFIG1(2), SIM_PMC_CONFIG1(3),
	SIM_PMC_CONFIG1(4), SIM_PMC_CONFIG1(5),
	SIM_PMC_CONFIG1(6), SIM_PMC_CONFIG1(7),
	SIM_PMC_CONFIG2(0), SIM_PMC_CONFIG2(1),
	SIM_PMC_CONFIG2(2), SIM_PMC_CONFIG2(3),
	SIM_PMC_CONFIG2(4), SIM_PMC_CONFIG2(5),
	SIM_PMC_CONFIG2(6), SIM_PMC_CONFIG2(7),
};
static_assert(ARRAY_SIZE(sim_pmcs) == (1 + PFM_PMC_CONFIGS) * PFM_SIM_PAIRS);

static const struct pfm_reg_desc sim_pmds[] = {
	SIM_PMD(0), SIM_PMD(1), SIM_PMD(2), SIM_PMD(3),
	SIM_PMD(4), SIM_PMD(5), SIM_PMD(6), SIM_PMD(7),
	SIM_PLAIN(PFM_SIM_PMD_PLAIN, 0, "SIMPLAIN"),
	SIM_PLAIN(PFM_PMD_ELAPSED, 0, "ELAPSED_NS"),
	SIM_PLAIN(PFM_PMD_TID, PFM_REGD_READ_ONLY, "TID"),
	SIM_PLAIN(PFM_PMD_RESIDENT, PFM_REGD_READ_ONLY, "RESIDENT_PAGES"),
	{ .num = PFM_PMD_PERF_CLOCK, .type = PFM_REG_TYPE_VIRTUAL,
	  .flags = PFM_REGD_READ_ONLY, .pmd = PFM_REGD_NO_PMD,
	  .index = PFM_PMD_PERF_CLOCK, .name = "PERF_CLOCK_NS",
	  .read = sim_clock_now },
};

static const struct pfm_pmu sim_pmu = {
	.pmu_name	= "simulated",
	.owner		= THIS_MODULE,
	.counter_width	= PFM_SIM_WIDTH,
	.ds		= PFM_DS_PRECISE,
	.num_pmcs	= ARRAY_SIZE(sim_pmcs),
	.num_pmds	= ARRAY_SIZE(sim_pmds),
	.pmcs		= sim_pmcs,
	.pmds		= sim_pmds,
	.load		= sim_load,
	.unload		= sim_unload,
	.start		= sim_start,
	.stop		= sim_stop,
	.write_pmc	= sim_write_pmc,
	.write_pmd	= sim_write_pmd,
	.read_pmd	= sim_read_pmd,
	.read_pmds_ovfl	= sim_read_pmds_ovfl,
	.reset_pmd	= sim_reset_pmd,
};

static struct dentry *sim_dir;

static int __init sim_init(void)
{
	int ret = pfm_register_pmu(&sim_pmu);

	if (ret)
		return ret;
	sim_dir = debugfs_create_dir("pfm_sim", NULL);
	debugfs_create_file("advance", 0200, sim_dir, NULL, &sim_advance_fops);
	return 0;
}

static void __exit sim_exit(void)
{
	debugfs_remove(sim_dir);
	pfm_unregister_pmu(&sim_pmu);
}

module_init(sim_init);
module_exit(sim_exit);
MODULE_DESCRIPTION("perfmon2: simulated PMU description");
MODULE_VERSION(PFM_PROJECT_VERSION);
MODULE_LICENSE("GPL v2");
