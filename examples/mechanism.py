#!/usr/bin/env python3
"""A program that lotor audit --command can audit: a sum with Laplace noise, and two ways to get it wrong.

    lotor audit --command "python3 mechanism.py" --epsilon 1                  # no violation found
    lotor audit --command "python3 mechanism.py half-noise" --epsilon 1       # violated
    lotor audit --command "python3 mechanism.py shared-noise" --epsilon 1     # violated

The audit writes lines "SEED INPUT" to standard input, and reads one line of numbers for each. INPUT is 0 or 1: the
two sums that differ in one person's answer. The noise is a whole number, like the sum. Noise in floating point
would reveal the sum by its low bits, and the audit would find that, too.
"""

import math
import random
import sys


def noise(rng: random.Random, scale: float) -> int:
    """Discrete Laplace noise: the difference of two geometric variables. One person moves the sum by 1, so
    epsilon is 1/scale."""
    p = 1 - math.exp(-1 / scale)
    geometric = [math.floor(math.log1p(-rng.random()) / math.log1p(-p)) for _ in range(2)]
    return geometric[0] - geometric[1]


def mechanism(total: int, rng: random.Random, bug: str) -> list[int]:
    if bug == "half-noise":
        return [total + noise(rng, 0.5)]
    if bug == "shared-noise":  # each number alone is private, but their difference has no noise
        shared = noise(rng, 2)
        return [total + shared, 20 + shared]
    return [total + noise(rng, 1)]


bug = sys.argv[1] if len(sys.argv) > 1 else ""
for line in sys.stdin:
    seed, value = line.split()
    print(*mechanism(int(value), random.Random(int(seed)), bug))
