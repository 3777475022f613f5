/* index_window.c - the K arms of largest index, where each answer is released at once.
 *
 * While only shown arms have news, they stay best as long as each one's index is above what the
 * others can reach by the end of a short window of rounds: sum_i + slack_i > bound * n_i, one
 * multiplication. `slack` is taken at the window's start and `bound` at its end, where root and
 * linear are least and most (neither ever falls). A lift changes with every observation: the least of
 * them is in the slack.
 */
#include "learn/index_parts.h"

static inline bool beats(const lotor_index_learner *learner, const lotor_moment *now, uint32_t one,
                         uint32_t other)
{
    const double index = learner->index[one], rival = learner->index[other];
    if (index != rival) {
        return index > rival;
    }
    return lotor_index_tie(learner, now, one) > lotor_index_tie(learner, now, other);
}

/* Puts an arm into a ranked list whose first `count` places are taken. */
static inline void rank_in(const lotor_index_learner *learner, const lotor_moment *now,
                           uint32_t *list, size_t count, uint32_t arm)
{
    size_t place = count;
    for (; place > 0 && beats(learner, now, arm, list[place - 1]); place--) {
        list[place] = list[place - 1];
    }
    list[place] = arm;
}

static inline void rank(const lotor_index_learner *learner, const lotor_moment *now, uint32_t *list,
                        size_t count)
{
    for (size_t i = 1; i < count; i++) {
        rank_in(learner, now, list, i, list[i]);
    }
}

/* Starts from the last ones: most of them are good still. */
double lotor_index_find_top(lotor_index_learner *learner, const lotor_moment *now)
{
    const size_t arms = learner->arms, last = learner->slots - 1;
    const double *index = learner->index;
    uint32_t *top = learner->top;
    bool *inside = learner->inside;
    double outside = -INFINITY;
    rank(learner, now, top, learner->slots);
    double lowest = index[top[last]];
    for (uint32_t arm = 0; arm < arms; arm++) {
        if (inside[arm]) {
            continue;
        }
        if (index[arm] < lowest || !beats(learner, now, arm, top[last])) {
            outside = index[arm] > outside ? index[arm] : outside;
            continue;
        }
        outside = lowest > outside ? lowest : outside;
        inside[top[last]] = false;
        inside[arm] = true;
        rank_in(learner, now, top, last, arm);
        lowest = index[top[last]];
    }
    return outside;
}

/* A window that held to its end makes the next one longer; one that broke, shorter. */
static void adapt_length(lotor_index_learner *learner, uint64_t t)
{
    uint64_t *length = &learner->window_length;
    if (learner->window.end == 0) {
        return; /* there was none */
    }
    if (t > learner->window.end) {
        *length = *length < UINT64_C(1) << 40 ? 2 * *length : *length;
    } else {
        *length = *length > 16 ? *length / 2 : 8;
    }
}

/* The largest index that an arm outside can have by round `end`: none grows faster than one with the
 * fewest observations. */
static double bound_of(const lotor_index_learner *learner, const lotor_moment *now, uint64_t end,
                       double outside)
{
    const lotor_widths last = lotor_index_widths(learner, end);
    double per_root = 0.0;
    for (size_t i = 0; i < learner->arms; i++) {
        per_root = learner->per_root[i] > per_root ? learner->per_root[i] : per_root;
    }
    const double bound = outside + (last.root - now->widths.root) * per_root +
                         (last.linear - now->widths.linear) * per_root * per_root;
    return bound + 1e-9 * learner->width + 1e-12 * fabs(bound); /* more than any rounding here */
}

/* Opens a window in which the top arms may stay best: see above. */
static void open_window(lotor_index_learner *learner, const lotor_moment *now, double outside)
{
    adapt_length(learner, now->t);
    learner->window.end = 0;
    uint64_t count = 0;
    for (size_t i = 0; i < learner->slots; i++) {
        const uint32_t arm = learner->picked[i];
        const uint64_t n = lotor_board_at(now->board, 0, arm)->count;
        if (n == 0) {
            return;
        }
        count += n;
        learner->window_arms[i] = arm;
        learner->window_slack[i] = now->widths.root * (double)n * learner->per_root[arm] +
                                   now->widths.linear + learner->lift[1];
    }
    learner->window.end = now->t + learner->window_length;
    learner->window.bound = bound_of(learner, now, learner->window.end, outside);
    learner->posts = lotor_board_posts(now->board);
    learner->count = count;
}

void lotor_index_pick_top(lotor_index_learner *learner, const lotor_moment *now)
{
    const double outside = lotor_index_find_top(learner, now);
    for (size_t i = 0; i < learner->slots; i++) {
        learner->picked[i] = learner->top[i];
    }
    if (!learner->setup.ranked) {
        lotor_index_sort_set(learner->picked, learner->slots);
    }
    if (learner->has_window) {
        open_window(learner, now, outside);
    }
}

const lotor_index_window *lotor_index_window_of(const lotor_index_learner *learner)
{
    return &learner->window;
}

bool lotor_index_window_holds(const lotor_index_learner *learner, const lotor_board *board,
                              uint64_t t)
{
    if (!lotor_index_stays(&learner->window, board, t)) {
        return false;
    }
    /* With a post per observation, posts beyond the arms' own counts are other arms' news. */
    uint64_t count = 0;
    for (size_t i = 0; i < learner->slots; i++) {
        count += lotor_board_at(board, 0, learner->window_arms[i])->count;
    }
    return lotor_board_posts(board) - learner->posts == count - learner->count;
}

void lotor_index_rank_again(lotor_index_learner *learner, const lotor_board *board,
                            const uint64_t *shown, uint64_t t, uint64_t seed)
{
    const lotor_moment now = {board, shown, t, seed, lotor_index_widths(learner, t)};
    for (size_t i = 0; i < learner->slots; i++) {
        const uint32_t arm = learner->picked[i];
        lotor_index_keep(learner, board, arm);
        learner->index[arm] = lotor_index_of(learner, arm, now.widths);
    }
    rank(learner, &now, learner->picked, learner->slots);
}
