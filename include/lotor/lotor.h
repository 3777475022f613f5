/* lotor.h - Lotor, a private bandit engine. The public API, simplest things first:
 *
 *   status.h      what calls return and how they say why
 *   ratio.h       epsilon and delta as exact fractions
 *   counter.h     private counting in four calls: new, add, value, free
 *   stopping.h    private stopping rules
 *   guarantee.h   a privacy promise as a value, as text and as JSON
 *   account.h     what promises add up to
 *   sampler.h     exact noise, drawn on its own
 *   algorithm.h   what there is to choose from
 *   policy.h      private bandits: choose, observe, expire
 *   randomizer.h  a person's side of the local model: from an answer to a report
 *   simulate.h    play a policy in a world, and measure its regret
 *   watch.h       look at a simulated campaign while it learns
 *   advise.h      find the algorithm that fits, by simulation
 *   audit.h       try to break a privacy claim
 *   verify.h      compute the privacy loss of a mechanism exactly
 */
#ifndef LOTOR_H
#define LOTOR_H

#include <lotor/account.h>
#include <lotor/advise.h>
#include <lotor/algorithm.h>
#include <lotor/audit.h>
#include <lotor/counter.h>
#include <lotor/guarantee.h>
#include <lotor/policy.h>
#include <lotor/randomizer.h>
#include <lotor/ratio.h>
#include <lotor/sampler.h>
#include <lotor/simulate.h>
#include <lotor/status.h>
#include <lotor/stopping.h>
#include <lotor/verify.h>
#include <lotor/watch.h>

#endif
