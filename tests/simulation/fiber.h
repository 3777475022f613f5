/* fiber.h - functions that can stop in the middle and go on later, all in one thread.
 *
 * The scheduler resumes a fiber; the fiber runs until it yields or its function returns. */
#ifndef LOTOR_SIMULATION_FIBER_H
#define LOTOR_SIMULATION_FIBER_H

#include <stdbool.h>

typedef struct fiber fiber;

/* Ends the program if there is no memory. */
fiber *fiber_new(void (*run)(void *context), void *context);
/* The function must have returned, or have never been resumed. NULL is accepted. */
void fiber_free(fiber *old);
void fiber_resume(fiber *next); /* from outside all fibers */
void fiber_yield(void);         /* from inside one */
bool fiber_is_over(const fiber *one);
fiber *fiber_current(void); /* NULL: outside all fibers */

#endif
