/* fiber.c - fibers on their own stacks. See fiber.h. Below each stack is a page that can't be
 * accessed, so a stack that is too small ends the program instead of overwriting other memory. */
#include "simulation/fiber.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

enum { STACK_BYTES = 1 << 20, GUARD_BYTES = 4096 };

struct fiber {
    ucontext_t context;
    void (*run)(void *context);
    void *with;
    void *stack;
    bool is_over;
    void *fake; /* for AddressSanitizer */
};

static ucontext_t outside;
static fiber *running;
#ifdef HAS_ASAN
static void *outside_fake;
static const void *outside_stack;
static size_t outside_size;
#endif

static void switch_to_fiber(fiber *next)
{
    running = next;
#ifdef HAS_ASAN
    __sanitizer_start_switch_fiber(&outside_fake, (char *)next->stack + GUARD_BYTES, STACK_BYTES);
#endif
    swapcontext(&outside, &next->context);
#ifdef HAS_ASAN
    __sanitizer_finish_switch_fiber(outside_fake, NULL, NULL);
#endif
    running = NULL;
}

static void switch_outside(fiber *from)
{
#ifdef HAS_ASAN
    __sanitizer_start_switch_fiber(from->is_over ? NULL : &from->fake, outside_stack, outside_size);
#endif
    swapcontext(&from->context, &outside);
#ifdef HAS_ASAN
    __sanitizer_finish_switch_fiber(from->fake, &outside_stack, &outside_size);
#endif
}

static void begin(void)
{
#ifdef HAS_ASAN
    __sanitizer_finish_switch_fiber(NULL, &outside_stack, &outside_size);
#endif
    fiber *self = running;
    self->run(self->with);
    self->is_over = true;
    switch_outside(self);
    abort(); /* a finished fiber is never resumed */
}

fiber *fiber_new(void (*run)(void *context), void *context)
{
    fiber *made = calloc(1, sizeof *made);
    void *stack = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!made || stack == MAP_FAILED || mprotect(stack, GUARD_BYTES, PROT_NONE) ||
        getcontext(&made->context)) {
        fprintf(stderr, "simulation: no memory for a fiber\n");
        abort();
    }
    made->run = run;
    made->with = context;
    made->stack = stack;
    made->context.uc_stack.ss_sp = (char *)stack + GUARD_BYTES;
    made->context.uc_stack.ss_size = STACK_BYTES;
    made->context.uc_link = NULL;
    makecontext(&made->context, begin, 0);
    return made;
}

void fiber_free(fiber *old)
{
    if (old) {
        munmap(old->stack, GUARD_BYTES + STACK_BYTES);
        free(old);
    }
}

void fiber_resume(fiber *next)
{
    if (running || next->is_over) {
        abort();
    }
    switch_to_fiber(next);
}

void fiber_yield(void)
{
    switch_outside(running);
}

bool fiber_is_over(const fiber *one)
{
    return one->is_over;
}

fiber *fiber_current(void)
{
    return running;
}
