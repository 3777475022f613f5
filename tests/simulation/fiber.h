/* fiber.h - functions that can stop in the middle and continue later, all in one thread.
 *
 * The scheduler resumes a fiber. The fiber runs until it yields or its function returns.
 */
#ifndef LOTOR_SIMULATION_FIBER_H
#define LOTOR_SIMULATION_FIBER_H

#include <stdbool.h>

typedef struct fiber fiber;

/* Ends the program if there is no memory. */
fiber *fiber_new(void (*run)(void *context), void *context);
/* The function must have returned, or never have been resumed. NULL is accepted. */
void fiber_free(fiber *old);
void fiber_resume(fiber *next); /* call it outside of fibers */
void fiber_yield(void);         /* call it inside a fiber */
bool fiber_is_over(const fiber *one);
fiber *fiber_current(void); /* NULL: outside of fibers */

#endif
