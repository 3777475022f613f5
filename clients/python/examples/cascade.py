"""A list that people read up to the first click: search results, in the local model, with an audit.

    python cascade.py cascade.png
"""

import sys

import lotor
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

clicked_by = np.array([0.25, 0.2, 0.2, 0.15, *[0.05] * 8])  # unknown to the policy
people = np.random.default_rng(1)

# A person reads three results from the top and clicks on the first that they like, or on none (0).
policy = lotor.Policy("rr-imed", arms=12, slots=3, cascade=True, epsilon=1)
for person in range(5_000):
    results = policy.choose()
    likes = people.random(3) < clicked_by[results.arms]
    policy.learn(results, click=int(likes.argmax()) + 1 if likes.any() else 0)
print(policy.guarantee)

local = ["cascade-ldp-gauss", "cascade-ldp-laplace", "cascade-ldp-rr", "rr-imed"]
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for algorithm in local:
    is_list = {"cascade": True} if algorithm == "rr-imed" else {}  # this algorithm can play other problems, too
    played = lotor.simulate(algorithm, means=clicked_by, slots=3, horizon=3e4, epsilon=1, runs=4, **is_list)
    print(played)
    left.plot(played.rounds, played.regret, label=algorithm)
left.set(xlabel="people", ylabel="clicks lost", title="Lost reward at epsilon 1")
left.legend()

# The audit's adversary sees the reports, and computes a lower bound of the true epsilon.
audits = [lotor.audit(algorithm, epsilon=1, trials=20_000, seed=1) for algorithm in local]
for found in audits:
    print(found)
right.barh(local, [found.found for found in audits], color=["C3" if found.violated else "C2" for found in audits])
right.axvline(1, color="black", linestyle="--", label="promised")
right.set(xlabel="epsilon is at least (audited)", title="Two of the four leak, as printed in their paper")
right.legend()
figure.savefig(sys.argv[1], dpi=120)
