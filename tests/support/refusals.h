/* refusals.h - a journal that refuses some of the facts. */
#ifndef LOTOR_TESTS_REFUSALS_H
#define LOTOR_TESTS_REFUSALS_H

#include "base/random/generator.h"
#include "board/board.h"

typedef struct refusals {
    uint64_t every; /* about one in so many facts is refused; 0: none */
    uint64_t calls;
} refusals;

/* For lotor_board_set_journal; the context is a `refusals`. */
static inline lotor_status refusals_journal(void *context, size_t statistic, size_t arm,
                                            const lotor_fact *fact)
{
    (void)statistic;
    (void)arm;
    (void)fact;
    refusals *self = context;
    self->calls++;
    return self->every > 0 && lotor_mix(self->calls) % self->every == 0 ? LOTOR_STOPPED : LOTOR_OK;
}

#endif
