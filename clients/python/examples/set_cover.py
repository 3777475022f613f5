"""Your own oracle: which clinics to open, so that every district has one and people wait as little as possible
(weighted set cover), learnt from private waiting times.

    python set_cover.py set_cover.png
"""

import sys

import lotor
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# The arms are 12 clinics, and a reward is 1 minus the waiting time. Each clinic covers 4 of 12 districts in a row.
clinics = districts = 12
covers = (np.arange(districts)[None, :] - np.arange(clinics)[:, None]) % districts < 4
people = np.random.default_rng(3)
waiting = people.uniform(0.1, 0.9, clinics)  # mean waiting times; unknown to the policy


def find_cover(indices):
    """The cheapest cover is hard to find. Greedy search costs at most 1 + 1/2 + 1/3 + 1/4 times as much."""
    costs = np.clip(1 - indices, 0, 1e6)  # indices may be infinite, or below 0
    missing = np.ones(districts, bool)
    chosen = []
    while missing.any():
        news = (covers & missing).sum(axis=1)
        chosen.append(np.argmin(np.where(news > 0, costs / np.maximum(news, 1), np.inf)))
        missing &= ~covers[chosen[-1]]
    return chosen


def value(means, arms):
    return clinics - (1 - means[arms]).sum()  # each clinic that stays closed counts 1


# A cover costs at most 3, that of every fourth clinic. So greedy search keeps this share of the value:
alpha = (clinics - 3 * 25 / 12) / (clinics - 3)

# Regret is relative to the cover that the same oracle finds when it knows the waiting times.
reference = waiting[find_cover(1 - waiting)].sum()

rounds = 30_000
oracle = lotor.Oracle(find_cover, most=clinics, value=value, alpha=alpha)
policy = lotor.Policy("batch-klucb", arms=clinics, structure=oracle, epsilon=1)
lost = np.zeros(rounds)
opened = np.zeros(clinics, int)
for person in range(rounds):
    cover = policy.choose()
    lost[person] = waiting[cover.arms].sum() - reference
    opened[cover.arms] += person >= rounds // 2
    policy.learn(cover, people.random(len(cover.asked)) >= waiting[cover.asked])
print(policy.guarantee)
early, late = lost[: rounds // 10].mean(), lost[rounds // 2 :].mean()
print(f"lost per person: {early:.3f} in the first tenth, {late:.3f} in the second half")
assert late < early / 4, "the policy has learnt"

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.plot(np.arange(1, rounds + 1), np.cumsum(lost), label="batch-klucb, epsilon 1")
left.plot([1, rounds], [0, early * rounds], "--", color="0.6", label="as in the first tenth")
left.set(title="Lost coverage against the known cover", xlabel="people", ylabel="regret")
left.legend()
right.bar(np.arange(clinics), opened / (rounds - rounds // 2), color="C0")
right.plot(np.arange(clinics), waiting, "o", color="C1", label="mean waiting time")
right.set(title="How often a clinic is open, second half", xlabel="clinic", xticks=np.arange(clinics))
right.legend()
figure.savefig(sys.argv[1], dpi=120)
