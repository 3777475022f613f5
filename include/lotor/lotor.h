/* lotor.h - Lotor, a private bandit engine. The public API, from simple to advanced:
 *
 *   status.h      return codes and error messages
 *   ratio.h       epsilon and delta as exact fractions
 *   counter.h     private counting in four calls: new, add, value, free
 *   stopping.h    private stopping rules
 *   guarantee.h   a privacy guarantee as a value, as text and as JSON
 *   account.h     composition of guarantees
 *   sampler.h     samples of exact noise
 *   algorithm.h   the catalog of algorithms
 *   policy.h      private bandits: choose, observe, expire
 *   randomizer.h  the device's part of the local model: from feedback to a report
 *   simulate.h    play a policy in a simulated world, and measure its regret
 *   watch.h       the course of one simulated campaign
 *   advise.h      find the algorithm that fits, by simulation
 *   audit.h       try to refute a privacy claim
 *   couple.h      check the proof of a privacy claim on random traces
 *   verify.h      compute the privacy loss of a mechanism exactly
 */
#ifndef LOTOR_H
#define LOTOR_H

#include <lotor/account.h>
#include <lotor/advise.h>
#include <lotor/algorithm.h>
#include <lotor/audit.h>
#include <lotor/counter.h>
#include <lotor/couple.h>
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
