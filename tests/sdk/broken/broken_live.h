/* SPDX-License-Identifier: GPL-2.0 */
/*
 * broken_live.h - code shared by the broken formats with a live field
 *
 * A live field is a field of the argument that PFM_SET_FMT_ARG can change while
 * the context is attached. Each of these formats handles such a change wrongly.
 */
#ifndef PFM_BROKEN_LIVE_H
#define PFM_BROKEN_LIVE_H

#include "broken.h"

#define LIVE_MAX	16

struct live_arg {
	pfm_sink_arg_t	sink;
	__u64		words;
};

/* The largest record has as many words as the argument requests. */
DEFINE_PFM_SINK_ARG(live, struct live_arg,
		    ((struct live_arg *)arg)->words * sizeof(u64), 0,
		    BROKEN_VERSION)

/*
 * The fields that all these formats have in common. A format overrides a field
 * by initialising it again.
 */
#define BROKEN_LIVE(name, uuid)						\
	.fmt_name	= "broken_" name,				\
	.fmt_uuid	= PFM_UUID(uuid),				\
	.fmt_handler	= broken_handler,				\
	.fmt_set_arg	= live_set_arg,					\
	PFM_SINK_CALLS_ARG(live, PFM_FMT_ARG(struct live_arg, {		\
		PFM_ARG(struct live_arg, sink.buf_size, 65536, "bytes"), \
		PFM_ARG_LIVE(struct live_arg, words, 1, "words"),	\
	}))

#endif /* PFM_BROKEN_LIVE_H */
