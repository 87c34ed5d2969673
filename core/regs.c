// SPDX-License-Identifier: GPL-2.0
/*
 * regs.c - reading, writing and describing PMCs and PMDs (3.1.2, 3.1.3, 3.1.4,
 *	    3.1.13, 3.1.14)
 *
 * Each function that implements a command processes one element of a vector. If
 * the element is invalid, the function marks it with PFM_REG_RETFL_* bits in
 * its reg_flags, and changes nothing.
 */
#include <linux/nospec.h>
#include <linux/string.h>
#include "carta.h"
#include "context.h"
#include "evtset.h"
#include "family.h"
#include "owner.h"
#include "pause.h"
#include "pmc.h"
#include "pmd.h"
#include "pmu.h"
#include "regs.h"
#include "value.h"

#define PFM_SMPL_FLAGS \
	(PFM_REGFL_OVFL_NOTIFY | PFM_REGFL_RANDOM | PFM_REGFL_AT_EXIT)
#define PFM_PMC_FLAGS	(PFM_SMPL_FLAGS | PFM_REGFL_VALUE_ONLY)
#define PFM_PMD_FLAGS	(PFM_SMPL_FLAGS | PFM_REGFL_SMPL)

static int pfm_bad_elem(u32 *flags, u32 retfl)
{
	*flags = (*flags & ~PFM_REG_RETFL_MASK) | retfl;
	return -EINVAL;
}

/* Find a register in its table. If it does not exist, mark this in @flags. */
static int pfm_reg_slot(const struct pfm_reg_desc *regs, u16 n, u16 num,
			u32 *flags)
{
	int slot = pfm_pmu_find(regs, n, num);

	if (slot < 0)
		return pfm_bad_elem(flags, PFM_REG_RETFL_NOTAVAIL);
	return array_index_nospec(slot, n);
}

/* Find a PMD and its event set. If one does not exist, mark the element. */
static int pfm_pmd_slot(struct pfm_context *ctx, pfarg_pmd_t *req,
			struct pfm_evtset **set)
{
	const struct pfm_pmu *pmu = ctx->pmu;
	int slot = pfm_reg_slot(pmu->pmds, pmu->num_pmds, req->reg_num,
				&req->reg_flags);

	*set = pfm_evtset_find(ctx, req->reg_set);
	if (slot >= 0 && !*set)
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_NOSET);
	return slot;
}

static u64 pfm_keep_reserved(const struct pfm_reg_desc *desc, u64 value)
{
	return (value & ~desc->rsvd) | (desc->dfl & desc->rsvd);
}

/*
 * Count the PMDs with data of samples among those to record. Such PMDs cannot
 * be reset, so leave them out of conf->num_reset.
 */
static void pfm_tell_data(const struct pfm_pmu *pmu, struct pfm_smpl_conf *conf)
{
	u16 end = pfm_pmu_places(pmu);

	if (conf->num_smpl)
		conf->num_data = conf->num_smpl -
				 bitmap_weight(conf->smpl_pmds, end);
	if (conf->num_reset)
		conf->num_reset = bitmap_weight(conf->reset_pmds, end);
}

static int pfm_make_smpl_conf(const struct pfm_context *ctx, u32 flags,
			      u64 eventid, const u64 *smpl_pmds,
			      const u64 *reset_pmds,
			      struct pfm_smpl_conf *conf)
{
	const struct pfm_pmu *pmu = ctx->pmu;

	/* Without a format a family does not sample. */
	if (flags & PFM_REGFL_OVFL_NOTIFY && ctx->flags & PFM_FL_INHERIT &&
	    !ctx->fmt)
		return -EINVAL;
	conf->flags = flags & PFM_SMPL_FLAGS;
	conf->eventid = eventid;
	conf->num_smpl = pfm_bv_to_slots(pmu, smpl_pmds, conf->smpl_pmds);
	conf->num_reset = pfm_bv_to_slots(pmu, reset_pmds, conf->reset_pmds);
	if (conf->num_smpl < 0 || conf->num_reset < 0)
		return -EINVAL;
	conf->num_data = 0;
	if (conf->num_smpl || conf->num_reset)
		pfm_tell_data(pmu, conf);
	return 0;
}

/* Do these settings record or reset other PMDs? */
static bool pfm_conf_has_pmds(const struct pfm_smpl_conf *conf)
{
	return conf->num_smpl || conf->num_reset;
}

/*
 * Does the counter sample? It does if notification was requested, if it counts
 * towards a switch of sets, or if there is a format and the overflow can come
 * within 2^63 events.
 */
static bool pfm_pmd_is_sampling(const struct pfm_pmd *pmd)
{
	u64 values = pmd->value | pmd->long_reset | pmd->short_reset;

	if (!pmd->ovfl || !(pmd->hw.desc->flags & PFM_REGD_COUNTER))
		return false;
	return pmd->ovfl->arg.ovfl_notify || pfm_is_trigger(pmd) ||
	       (pmd->ctx->fmt && values >> 63);
}

/* Compute pfm_pmu_reg.wants: the data that the PMD's samples record. */
static u32 pfm_pmd_wants(const struct pfm_pmd *pmd)
{
	const struct pfm_pmd_ovfl *ovfl = pmd->ovfl;
	u32 wants = 0;
	u16 i;

	if (!pfm_pmd_is_sampling(pmd))
		return 0;
	for (i = 0; i < ovfl->arg.num_smpl_pmds; i++)
		wants |= pfm_smpl_regs(ovfl)[i]->desc->wants;
	return wants;
}

/*
 * Record whether an overflow only loads the short reset value. In this case a
 * PMU that re-arms itself may already have loaded it. Context: paused.
 */
static void pfm_prepare_reset(struct pfm_pmd *pmd)
{
	struct pfm_pmd_ovfl *ovfl = pmd->ovfl;
	bool plain;

	if (!ovfl)
		return;
	ovfl->trigger = pfm_is_trigger(pmd);
	plain = pmd->short_reset != PFM_RELOAD_NONE && !ovfl->random &&
		!ovfl->num_reset && !ovfl->trigger;
	pmd->plain_reset = plain ? pmd->short_reset : 0;
}

void pfm_prepare_evtset(struct pfm_evtset *set)
{
	struct pfm_pmd *pmd;
	u16 i;

	lockdep_assert_held(&pfm_context_of(set)->mutex);
	pfm_for_each_pmd(set, i, pmd) {
		pfm_prepare_reset(pmd);
		pmd->hw.sampling = pfm_is_clock(pmd) ? set->timeout :
						       pfm_pmd_is_sampling(pmd);
		pmd->hw.wants = pfm_pmd_wants(pmd);
	}
}

/* Fill in @ovfl from @conf, whose PMDs all exist. */
static void pfm_fill_ovfl(struct pfm_pmd_ovfl *ovfl, struct pfm_evtset *set,
			  const struct pfm_smpl_conf *conf)
{
	const struct pfm_pmu *pmu = pfm_context_of(set)->pmu;
	struct pfm_pmu_reg **smpl = pfm_smpl_regs(ovfl);
	struct pfm_pmu_reg *data = pfm_data_regs(ovfl);
	u16 *reset = pfm_reset_slots(ovfl);
	unsigned int slot, end = set->pmu_set.num_regs - 1;

	ovfl->random = conf->flags & PFM_REGFL_RANDOM;
	ovfl->at_exit = conf->flags & PFM_REGFL_AT_EXIT;
	ovfl->arg.ovfl_notify = !!(conf->flags & PFM_REGFL_OVFL_NOTIFY);
	ovfl->arg.pmd_eventid = conf->eventid;
	if (!pfm_conf_has_pmds(conf))
		return;
	pfm_bv_from_slots(pmu, conf->smpl_pmds, ovfl->arg.smpl_pmds);
	for_each_set_bit(slot, conf->smpl_pmds, end)
		*smpl++ = set->regs[slot];
	slot = end;
	for_each_set_bit_from(slot, conf->smpl_pmds, pmu->num_pmds) {
		data->set = &set->pmu_set;
		data->desc = &pmu->pmds[slot];
		*smpl++ = data++;
	}
	for_each_set_bit(slot, conf->reset_pmds, end)
		*reset++ = slot;
}

/* Allocate a pfm_pmd_ovfl for @pmd as @conf requests, or return NULL. */
static struct pfm_pmd_ovfl *pfm_new_ovfl(const struct pfm_pmd *pmd,
					 const struct pfm_smpl_conf *conf)
{
	struct pfm_evtset *set = pfm_evtset_of(pmd);
	struct pfm_pmd_ovfl *ovfl;

	ovfl = pfm_ovfl_create(set, conf->num_smpl, conf->num_data,
			       conf->num_reset, pmd->ovfl);
	if (!ovfl)
		return NULL;
	ovfl->arg.ovfl_pmd = pmd->hw.desc->num;
	ovfl->arg.active_set = set->id;
	ovfl->arg.pmd_last_reset = pmd->last_reset;
	pfm_fill_ovfl(ovfl, set, conf);
	return ovfl;
}

/* Does @ovfl already match @conf? */
static bool pfm_ovfl_is_like(const struct pfm_pmd_ovfl *ovfl,
			     const struct pfm_context *ctx,
			     const struct pfm_smpl_conf *conf)
{
	const u16 *reset = pfm_reset_slots(ovfl);
	u64 smpl_pmds[PFM_MAX_PMD_BITVECTOR];
	u16 i;

	pfm_bv_from_slots(ctx->pmu, conf->smpl_pmds, smpl_pmds);
	if (ovfl->random != !!(conf->flags & PFM_REGFL_RANDOM) ||
	    ovfl->at_exit != !!(conf->flags & PFM_REGFL_AT_EXIT) ||
	    ovfl->arg.ovfl_notify != !!(conf->flags & PFM_REGFL_OVFL_NOTIFY) ||
	    ovfl->arg.pmd_eventid != conf->eventid ||
	    memcmp(ovfl->arg.smpl_pmds, smpl_pmds, sizeof(smpl_pmds)) ||
	    ovfl->num_reset != conf->num_reset)
		return false;
	for (i = 0; i < ovfl->num_reset; i++)
		if (!test_bit(reset[i], conf->reset_pmds))
			return false;
	return true;
}

/*
 * Get the PMD's own pfm_pmd_ovfl if it matches @conf, else a new one; NULL if
 * memory is short.
 */
static struct pfm_pmd_ovfl *pfm_fitting_ovfl(const struct pfm_pmd *pmd,
					     const struct pfm_smpl_conf *conf)
{
	if (pmd->ovfl && pfm_ovfl_is_like(pmd->ovfl, pmd->ctx, conf))
		return pmd->ovfl;
	return pfm_new_ovfl(pmd, conf);
}

/* Free @before or @offered, whichever @pmd does not use. */
static void pfm_free_other_ovfl(const struct pfm_pmd *pmd,
				struct pfm_pmd_ovfl *before,
				struct pfm_pmd_ovfl *offered)
{
	struct pfm_pmd_ovfl *other = pmd->ovfl == before ? offered : before;

	if (other && other != pmd->ovfl)
		pfm_ovfl_drop(pfm_evtset_of(pmd), other, pmd->ovfl);
}

/* Allocate the PMDs that a command refers to. Context: paused. */
static int pfm_need_pmds(struct pfm_evtset *set, unsigned int slot,
			 const struct pfm_smpl_conf *conf)
{
	unsigned int end = set->pmu_set.num_regs - 1;
	int ret = pfm_pmd_need(set, slot);

	if (!conf || !pfm_conf_has_pmds(conf))
		return ret;
	for_each_set_bit(slot, conf->smpl_pmds, end)
		ret = ret ?: pfm_pmd_need(set, slot);
	for_each_set_bit(slot, conf->reset_pmds, end)
		ret = ret ?: pfm_pmd_need(set, slot);
	return ret;
}

/*
 * Allocate everything that a write needs, so that the write itself cannot run
 * out of memory: the PMD, the PMDs that it records or resets, and a
 * pfm_pmd_ovfl that matches @conf. If @conf is NULL, the PMD keeps its
 * pfm_pmd_ovfl. The PMDs stay allocated even if the write fails. @pmd, @ovfl:
 * out. Context: paused. Return: 0, -ENOMEM, or an error of the PMU.
 */
static int pfm_reserve(struct pfm_evtset *set, unsigned int slot,
		       const struct pfm_smpl_conf *conf, struct pfm_pmd **pmd,
		       struct pfm_pmd_ovfl **ovfl)
{
	int ret = pfm_need_pmds(set, slot, conf);

	if (ret)
		return ret;
	*pmd = pfm_pmd_at(set, slot);
	*ovfl = conf ? pfm_fitting_ovfl(*pmd, conf) : (*pmd)->ovfl;
	return conf && !*ovfl ? -ENOMEM : 0;
}

static void pfm_use_ovfl(struct pfm_pmd *pmd, struct pfm_pmd_ovfl *ovfl)
{
	pmd->ovfl = ovfl;
	pfm_prepare_reset(pmd);
}

/*
 * If the write changes the PMC values to @words, or makes the PMD start or stop
 * sampling, or makes its samples need other data, have the PMU write the PMC,
 * and load the PMD with @value. @words is NULL if the PMCs do not change.
 * Return: 0; PFM_ASK_FIRST if pfm_many.ask_first forbids this; an error of the
 * PMU.
 */
static int pfm_reprogram(struct pfm_pmd *pmd, const struct pfm_pmc_words *words,
			 u64 value)
{
	struct pfm_context *ctx = pmd->ctx;
	bool sampling = pfm_pmd_is_sampling(pmd);
	u32 wants = pfm_pmd_wants(pmd);
	int ret;

	if ((!words || pfm_pmc_says(pmd, words)) &&
	    pmd->hw.sampling == sampling && pmd->hw.wants == wants)
		return 0;
	if (ctx->loaded && ctx->many && ctx->many->ask_first)
		return PFM_ASK_FIRST;
	if (words)
		pfm_pmc_write(pmd, words);
	pmd->hw.sampling = sampling;
	pmd->hw.wants = wants;
	if (!ctx->loaded)
		return 0;
	ret = ctx->pmu->write_pmc(&pmd->hw);
	return ret ?: pfm_value_write(pmd, value);
}

/* Change a PMC and its PMD, or nothing if the PMU refuses the change. */
static int pfm_change_pmc(struct pfm_pmd *pmd,
			  const struct pfm_pmc_words *words,
			  struct pfm_pmd_ovfl *ovfl)
{
	struct pfm_pmd_ovfl *old_ovfl = pmd->ovfl;
	u64 value = pfm_value_read(pmd);
	struct pfm_pmc_words old;
	int ret;

	pfm_pmc_read(pmd, &old);
	pfm_use_ovfl(pmd, ovfl);
	ret = pfm_reprogram(pmd, words, value);
	if (ret) {
		pfm_use_ovfl(pmd, old_ovfl);
		/* Keep the count even if the event cannot be created again. */
		if (pfm_reprogram(pmd, &old, value))
			pfm_value_write(pmd, value);
	}
	pfm_free_other_ovfl(pmd, old_ovfl, ovfl);
	return ret;
}

/* Write a PMC. @conf is NULL to keep the PMD's settings. Context: paused. */
static int pfm_write_pmc_paused(struct pfm_evtset *set, unsigned int slot,
				const struct pfm_pmc_words *words,
				const struct pfm_smpl_conf *conf)
{
	static const struct pfm_smpl_conf none;
	struct pfm_pmd *pmd = pfm_pmd_at(set, slot);
	struct pfm_pmd_ovfl *ovfl;
	int ret;

	if (!conf && !(pmd && pmd->ovfl))
		conf = &none;
	ret = pfm_pmc_reserve(set, words) ?:
	      pfm_reserve(set, slot, conf, &pmd, &ovfl);
	return ret ?: pfm_change_pmc(pmd, words, ovfl);
}

static bool pfm_pmc_is_good(const pfarg_pmc_t *req)
{
	return !(req->reg_flags & ~(PFM_PMC_FLAGS | PFM_REG_RETFL_MASK)) &&
	       !memchr_inv(req->reserved, 0, sizeof(req->reserved));
}

/*
 * Compute the PMC values of a counter after a write of @value to @pmc. @pmd:
 * slot of the counter, negative if @pmc does not control one. Return: true if
 * the PMU accepts the values.
 */
static bool pfm_make_words(struct pfm_evtset *set, int pmd,
			   const struct pfm_reg_desc *pmc, u64 value,
			   struct pfm_pmc_words *words)
{
	const struct pfm_context *ctx = pfm_context_of(set);
	const struct pfm_pmu *pmu = ctx->pmu;
	u16 num = pmc->num;

	if (pmd >= 0)
		num = pfm_pmc_change(set, pmd, pmc, value, words);
	else
		*words = (struct pfm_pmc_words){ .select = value };
	return !pmu->check_pmc ||
	       !pmu->check_pmc(&set->pmu_set, num, words->select, words->config,
			       pfm_is_syswide(ctx));
}

int pfm_write_pmc(struct pfm_context *ctx, void *elem)
{
	pfarg_pmc_t *req = elem;
	const struct pfm_pmu *pmu = ctx->pmu;
	struct pfm_smpl_conf conf;
	struct pfm_evtset *set = pfm_evtset_find(ctx, req->reg_set);
	struct pfm_pmc_words words;
	const struct pfm_reg_desc *pmc;
	int slot, pmd, ret = 0, err;
	bool smpl;

	lockdep_assert_held(&ctx->mutex);
	/* Members have the root's PMCs, so these must not change any more. */
	if (pfm_has_family(ctx))
		return -EBUSY;
	slot = pfm_reg_slot(pmu->pmcs, pmu->num_pmcs, req->reg_num,
			    &req->reg_flags);
	if (slot < 0)
		return slot;
	if (!set)
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_NOSET);
	pmc = &pmu->pmcs[slot];
	pmd = pfm_pmu_find(pmu->pmds, pmu->num_pmds, pmc->pmd);
	if (!pfm_pmc_is_good(req) ||
	    !pfm_make_words(set, pmd, pmc,
			    pfm_keep_reserved(pmc, req->reg_value), &words))
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL);
	smpl = pmd >= 0 && !pmc->flags &&
	       !(req->reg_flags & PFM_REGFL_VALUE_ONLY);
	if (smpl && pfm_make_smpl_conf(ctx, req->reg_flags,
				       req->reg_smpl_eventid,
				       req->reg_smpl_pmds,
				       req->reg_reset_pmds, &conf))
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL);
	req->reg_flags &= ~PFM_REG_RETFL_MASK;

	pfm_pause(ctx);
	if (pmd >= 0)
		ret = pfm_write_pmc_paused(set, pmd, &words,
					   smpl ? &conf : NULL);
	pfm_publish(set);
	err = pfm_resume(ctx);
	if (ret == -EINVAL)
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL);
	return ret ?: err;
}

static bool pfm_pmd_is_good(const struct pfm_reg_desc *desc,
			    const pfarg_pmd_t *req)
{
	if (desc->flags & PFM_REGD_READ_ONLY)
		return false;
	if (req->reg_flags & ~(PFM_PMD_FLAGS | PFM_REG_RETFL_MASK))
		return false;
	if (memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return false;
	if (req->reg_flags & PFM_REGFL_SMPL)
		return desc->flags & PFM_REGD_COUNTER;
	return !(req->reg_flags & PFM_SMPL_FLAGS) && !req->reg_smpl_eventid &&
	       !memchr_inv(req->reg_smpl_pmds, 0, sizeof(req->reg_smpl_pmds)) &&
	       !memchr_inv(req->reg_reset_pmds, 0, sizeof(req->reg_reset_pmds));
}

static int pfm_apply_pmd(struct pfm_pmd *pmd, const pfarg_pmd_t *req,
			 struct pfm_pmd_ovfl *ovfl)
{
	const struct pfm_reg_desc *desc = pmd->hw.desc;
	int ret;

	pmd->long_reset = pfm_keep_reserved(desc, req->reg_long_reset);
	pmd->short_reset = pfm_keep_reserved(desc, req->reg_short_reset);
	pmd->ovflsw_thres = req->reg_ovflsw_thres;
	/*
	 * The active set keeps its old threshold until it becomes active again.
	 */
	if (!pmd->ctx->loaded || pmd->ctx->set != pfm_evtset_of(pmd))
		pmd->ovflsw_left = pmd->ovflsw_thres;
	pmd->random_mask = req->reg_random_mask;
	pmd->random = pfm_carta_seed(req->reg_random_seed);
	pmd->value = pfm_keep_reserved(desc, req->reg_value);
	pmd->ovfl = ovfl;
	pfm_note_reset(pmd, pmd->value);
	pfm_prepare_reset(pmd);
	ret = pfm_reprogram(pmd, NULL, pmd->last_reset);
	return ret ?: pfm_value_write(pmd, pmd->last_reset);
}

/* Restore a PMD, except for the fields that the PMU owns. */
static void pfm_restore_pmd(struct pfm_pmd *pmd, const struct pfm_pmd *old)
{
	struct pfm_pmu_reg hw = pmd->hw;

	*pmd = *old;
	pmd->hw = hw;
	if (pmd->ovfl)
		pmd->ovfl->arg.pmd_last_reset = pmd->last_reset;
	pfm_prepare_reset(pmd);
	pfm_reprogram(pmd, NULL, old->value);
	pfm_value_write(pmd, old->value);
}

/* Change a PMD, or nothing if the PMU refuses the change. */
static int pfm_change_pmd(struct pfm_pmd *pmd, const pfarg_pmd_t *req,
			  struct pfm_pmd_ovfl *ovfl)
{
	struct pfm_pmd old = *pmd;
	int ret;

	old.value = pfm_value_read(pmd);
	ret = pfm_apply_pmd(pmd, req, ovfl);
	if (ret)
		pfm_restore_pmd(pmd, &old);
	pfm_free_other_ovfl(pmd, old.ovfl, ovfl);
	return ret;
}

/* Write a PMD. @conf is NULL to keep its settings. Context: paused. */
static int pfm_write_pmd_paused(struct pfm_evtset *set, unsigned int slot,
				const pfarg_pmd_t *req,
				const struct pfm_smpl_conf *conf)
{
	struct pfm_pmd_ovfl *ovfl;
	struct pfm_pmd *pmd;
	int ret = pfm_reserve(set, slot, conf, &pmd, &ovfl);

	return ret ?: pfm_change_pmd(pmd, req, ovfl);
}

int pfm_write_pmd(struct pfm_context *ctx, void *elem)
{
	pfarg_pmd_t *req = elem;
	const struct pfm_pmu *pmu = ctx->pmu;
	struct pfm_smpl_conf conf;
	struct pfm_evtset *set;
	bool smpl;
	int slot, ret, err;

	lockdep_assert_held(&ctx->mutex);
	slot = pfm_pmd_slot(ctx, req, &set);
	if (slot < 0)
		return slot;
	smpl = req->reg_flags & PFM_REGFL_SMPL;
	if (!pfm_pmd_is_good(&pmu->pmds[slot], req) ||
	    (smpl && pfm_make_smpl_conf(ctx, req->reg_flags,
					req->reg_smpl_eventid,
					req->reg_smpl_pmds,
					req->reg_reset_pmds, &conf)))
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL);
	req->reg_flags &= ~PFM_REG_RETFL_MASK;

	pfm_pause(ctx);
	ret = pfm_write_pmd_paused(set, slot, req, smpl ? &conf : NULL);
	pfm_publish(set);
	err = pfm_resume(ctx);
	if (ret == -EINVAL)
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL);
	return ret ?: err;
}

static void pfm_answer(pfarg_pmd_t *req, u64 value, u64 last_reset, u64 left)
{
	req->reg_value = value;
	req->reg_last_reset_val = last_reset;
	req->reg_ovflsw_thres = left;
	req->reg_flags = 0;
}

/* Get the settings from which pfm_fill_ovfl() has filled in @ovfl. */
static void pfm_read_conf(const struct pfm_pmd_ovfl *ovfl,
			  const struct pfm_pmu *pmu, struct pfm_smpl_conf *conf)
{
	u16 i;

	*conf = (struct pfm_smpl_conf){
		.flags = (ovfl->random ? PFM_REGFL_RANDOM : 0) |
			 (ovfl->at_exit ? PFM_REGFL_AT_EXIT : 0) |
			 (ovfl->arg.ovfl_notify ? PFM_REGFL_OVFL_NOTIFY : 0),
		.num_smpl = ovfl->arg.num_smpl_pmds,
		.num_data = ovfl->num_data,
		.num_reset = ovfl->num_reset,
		.eventid = ovfl->arg.pmd_eventid,
	};
	pfm_bv_to_slots(pmu, ovfl->arg.smpl_pmds, conf->smpl_pmds);
	for (i = 0; i < ovfl->num_reset; i++)
		__set_bit(pfm_reset_slots(ovfl)[i], conf->reset_pmds);
}

/* Does an overflow come within 2^63 events after this value was loaded? */
static bool pfm_is_period(u64 value)
{
	return value >> 63;
}

int pfm_reg_take_resets(struct pfm_context *ctx, pfarg_pmd_t *req,
			struct pfm_reg_copy *copy)
{
	const struct pfm_reg_desc *desc;
	struct pfm_evtset *set;
	int slot = pfm_pmd_slot(ctx, req, &set);

	if (slot < 0)
		return slot;
	desc = &ctx->pmu->pmds[slot];
	if (req->reg_flags & PFM_REGFL_SMPL || !pfm_pmd_is_good(desc, req) ||
	    !pfm_is_period(req->reg_value & req->reg_long_reset &
			   req->reg_short_reset))
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL);
	req->reg_flags &= ~PFM_REG_RETFL_MASK;
	copy->value = pfm_keep_reserved(desc, req->reg_value);
	copy->short_reset = pfm_keep_reserved(desc, req->reg_short_reset);
	copy->long_reset = pfm_keep_reserved(desc, req->reg_long_reset);
	return slot;
}

void pfm_reg_set_resets(struct pfm_pmd *pmd, const struct pfm_reg_copy *copy)
{
	unsigned long flags;

	pfm_own(pmd->ctx, &flags);
	pmd->short_reset = copy->short_reset;
	pmd->long_reset = copy->long_reset;
	pfm_prepare_reset(pmd);
	pfm_disown(pmd->ctx, flags);
}

void pfm_reg_copy(const struct pfm_pmd *pmd, struct pfm_reg_copy *copy)
{
	pfm_pmc_read(pmd, &copy->words);
	/*
	 * Copy the reset values even if the counter only counts: the overflow
	 * of a counter that samples may reset it.
	 */
	copy->short_reset = pmd->short_reset;
	copy->long_reset = pmd->long_reset;
	copy->sampling = pfm_pmd_is_sampling(pmd);
	if (!copy->sampling)
		return;
	pfm_read_conf(pmd->ovfl, pmd->ctx->pmu, &copy->conf);
	copy->value = pmd->last_reset;
	copy->random_mask = pmd->random_mask;
	copy->random = pmd->random;
}

int pfm_reg_paste(struct pfm_evtset *set, unsigned int slot,
		  const struct pfm_reg_copy *copy)
{
	struct pfm_pmd_ovfl *ovfl, *before;
	struct pfm_pmd *pmd;
	int ret = pfm_pmc_reserve(set, &copy->words) ?:
		  pfm_reserve(set, slot, copy->sampling ? &copy->conf : NULL,
			      &pmd, &ovfl);

	if (ret)
		return ret;
	before = pmd->ovfl;
	pfm_pmc_write(pmd, &copy->words);
	pmd->value = copy->value;
	pmd->short_reset = copy->short_reset;
	pmd->long_reset = copy->long_reset;
	pmd->random_mask = copy->random_mask;
	pmd->random = copy->random;
	pfm_use_ovfl(pmd, ovfl);
	pfm_note_reset(pmd, pmd->value);
	pfm_free_other_ovfl(pmd, before, ovfl);
	return 0;
}

int pfm_read_pmd(struct pfm_context *ctx, void *elem)
{
	pfarg_pmd_t *req = elem;
	struct pfm_evtset *set;
	struct pfm_pmd *pmd;
	int slot;

	lockdep_assert_held(&ctx->mutex);
	slot = pfm_pmd_slot(ctx, req, &set);
	if (slot < 0)
		return slot;
	if (req->reg_flags & ~PFM_REG_RETFL_MASK ||
	    memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL);
	pmd = pfm_pmd_find(set, slot);
	if (pmd)
		pfm_answer(req, pfm_value_read(pmd) + pfm_family_sum(pmd),
			   pmd->last_reset,
			   pfm_is_trigger(pmd) ? pmd->ovflsw_left : 0);
	else
		pfm_answer(req, ctx->pmu->pmds[slot].dfl,
			   ctx->pmu->pmds[slot].dfl, 0);
	return 0;
}

static int pfm_getinfo(const struct pfm_reg_desc *regs, u16 n,
		       pfarg_pmcinfo_t *req)
{
	const struct pfm_reg_desc *desc;
	int slot = pfm_pmu_find(regs, n, req->reg_num);

	if (slot < 0)
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL |
						     PFM_REG_RETFL_NOTAVAIL);
	if (req->reg_flags & ~PFM_REG_RETFL_MASK ||
	    memchr_inv(req->reserved, 0, sizeof(req->reserved)))
		return pfm_bad_elem(&req->reg_flags, PFM_REG_RETFL_EINVAL);
	desc = &regs[array_index_nospec(slot, n)];
	req->reg_type = desc->type;
	req->reg_flags = 0;
	req->reg_def_value = desc->dfl;
	req->reg_rsvd_mask = desc->rsvd;
	req->reg_index = desc->index;
	return 0;
}

int pfm_getinfo_pmc(const struct pfm_pmu *pmu, void *elem)
{
	return pfm_getinfo(pmu->pmcs, pmu->num_pmcs, elem);
}

int pfm_getinfo_pmd(const struct pfm_pmu *pmu, void *elem)
{
	return pfm_getinfo(pmu->pmds, pmu->num_pmds, elem);
}
