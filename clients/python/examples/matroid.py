"""A set in each round that is independent in a matroid: at most one product of each category on a page.

    python matroid.py matroid.png
"""

import sys

import lotor
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

categories = np.array([0, 0, 0, 1, 1, 1, 2, 2, 2])
bought_by = np.array([0.6, 0.4, 0.2, 0.5, 0.3, 0.1, 0.3, 0.2, 0.1])  # unknown to the policy
one_of_each = lotor.Partition(groups=categories, capacities=[1, 1, 1])
people = np.random.default_rng(1)

# Every product on the page has a reward: bought or not.
policy = lotor.Policy("lik-imed", structure=one_of_each, epsilon=1)
for visitor in range(10_000):
    page = policy.choose()
    policy.learn(page, people.random(len(page.asked)) < bought_by[page.asked])
print(policy.choose())
print(policy.guarantee)

# The same page for 100,000 visitors, four times, with simulated people and noise.
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for algorithm, style in (("omm", "--"), ("dpucb-mat", "-"), ("dpts-mat", "-"), ("lik-imed", "-")):
    played = lotor.simulate(algorithm, means=bought_by, structure=one_of_each, horizon=1e5, epsilon=1, runs=4)
    print(played)
    axes.loglog(played.rounds, played.regret, style, label=algorithm)
axes.set(xlabel="visitors", ylabel="purchases lost", title="One product of each category, at epsilon 1")
axes.legend(title="omm is not private")
figure.savefig(sys.argv[1], dpi=120)
