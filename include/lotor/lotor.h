/* lotor.h - Lotor, a private bandit engine. The public API, simplest things first:
 *
 *   status.h     what calls return and how they say why
 *   ratio.h      epsilon and delta as exact fractions
 *   counter.h    private counting in four calls: new, add, value, free
 *   stopping.h   private stopping rules
 *   guarantee.h  a privacy promise as a value, as text and as JSON
 *   account.h    what promises add up to
 *   policy.h     private bandits: choose, observe, expire
 */
#ifndef LOTOR_H
#define LOTOR_H

#include <lotor/account.h>
#include <lotor/counter.h>
#include <lotor/guarantee.h>
#include <lotor/policy.h>
#include <lotor/ratio.h>
#include <lotor/status.h>
#include <lotor/stopping.h>

#endif
