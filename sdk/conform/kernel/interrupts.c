// SPDX-License-Identifier: GPL-2.0
/*
 * interrupts.c - overflows in hard interrupts and in NMIs
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/smp.h>
#include <asm/irq_regs.h>
#ifdef CONFIG_X86
#include <asm/apic.h>
#include <asm/nmi.h>
#endif
#include "conform.h"

#define INTERRUPTS		20000
#define INTERRUPTS_QUICK	2000

/* The format whose overflow the next interrupt handles, or NULL */
static struct conform *conform_interrupted;
static int conform_result;
static unsigned int conform_taken;

static void interrupt_overflow(struct pt_regs *regs)
{
	struct conform *c = READ_ONCE(conform_interrupted);

	conform_taken++;
	c->current_thread = conform_taken & 2;
	conform_result = conform_overflow(c, 1 + conform_taken % 2, regs);
	/* Publish the result. */
	smp_store_release(&conform_interrupted, NULL);
}

static void irq_overflow(struct irq_work *work)
{
	interrupt_overflow(get_irq_regs());
}

static struct irq_work conform_work = IRQ_WORK_INIT_HARD(irq_overflow);

static void irq_send(void)
{
	irq_work_queue(&conform_work);
	irq_work_sync(&conform_work);
}

/*
 * Handle overflows in interrupts. @send raises an interrupt and waits until it
 * ends.
 */
static int interrupts_take(struct conform *c, void (*send)(void))
{
	unsigned int n = c->quick ? INTERRUPTS_QUICK : INTERRUPTS;
	int ret = conform_make(c) ?: conform_values(c, pfm_num_pmds());

	/*
	 * Overflow in process context first, because lockdep must not meet the
	 * handler's locks for the first time in an NMI.
	 */
	ret = ret ?: conform_overflow(c, 1, NULL);
	for (; !ret && n; n--) {
		conform_result = -EINPROGRESS;
		/* Publish the context to the interrupt. */
		smp_store_release(&conform_interrupted, c);
		send();
		ret = conform_result ?: conform_go_on(c);
	}
	c->current_thread = false;
	return ret ?: conform_end(c);
}

int conform_check_interrupts(struct conform *c)
{
	return interrupts_take(c, irq_send);
}

#ifdef CONFIG_X86

static int nmi_overflow(unsigned int cmd, struct pt_regs *regs)
{
	if (!READ_ONCE(conform_interrupted))
		return NMI_DONE;
	interrupt_overflow(regs);
	return NMI_HANDLED;
}

static void nmi_send(void)
{
	preempt_disable();
	apic->send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	/* Pairs with the release in interrupt_overflow(). */
	while (smp_load_acquire(&conform_interrupted))
		cpu_relax();
	preempt_enable();
}

int conform_check_nmis(struct conform *c)
{
	int ret = register_nmi_handler(NMI_LOCAL, nmi_overflow, 0,
				       "pfm_conform");

	if (ret)
		return ret;
	ret = interrupts_take(c, nmi_send);
	unregister_nmi_handler(NMI_LOCAL, "pfm_conform");
	return ret;
}

#else

int conform_check_nmis(struct conform *c)
{
	return conform_skip(c, "the check can send NMIs only on x86");
}

#endif
