/* lab.h - policies with a seed, for simulations of your own. EXPERIMENTAL: this header may change in
 * every version, and lotor.h does not include it.
 *
 *     lotor_policy *policy;
 *     lotor_lab_policy_new(&params, 7, &why, &policy);
 *     lotor_policy_choose(policy, NULL, &why, &decision);
 *     ...
 *     lotor_policy_free(policy);
 *
 * The noise is fast and comes from the seed: anyone who knows the seed knows the noise, so the policy
 * PROTECTS NOBODY. Its guarantee says so, and is not private. Never give it feedback of real people.
 */
#ifndef LOTOR_EXPERIMENTAL_LAB_H
#define LOTOR_EXPERIMENTAL_LAB_H

#include <stddef.h>
#include <stdint.h>

#include <lotor/policy.h>
#include <lotor/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As lotor_policy_new, but the same seed gives the same choices for the same feedback. It also takes
 * algorithms that can only be simulated. The functions of lotor/policy.h use and free it. A forked
 * child may use it. */
LOTOR_API lotor_status lotor_lab_policy_new(const lotor_policy_params *params, uint64_t seed,
                                            lotor_message *why, lotor_policy **out);

/* Loads what lotor_policy_save saved of such a policy; `custom` as in lotor_policy_load. It makes the
 * same next choices, draws the same next noise, and is still a simulation. LOTOR_DAMAGED: the bytes are
 * not those of a policy with a seed. lotor_policy_load refuses the bytes of a policy with a seed. */
LOTOR_API lotor_status lotor_lab_policy_load(const unsigned char *bytes, size_t length,
                                             const lotor_policy_params *custom, lotor_message *why,
                                             lotor_policy **out);

#ifdef __cplusplus
}
#endif
#endif
