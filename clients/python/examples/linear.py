"""A choice of one action in a round: each visitor has ten different offers, each described by three numbers.

    python linear.py linear.png
"""

import sys

import lotor
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

hidden = np.array([0.8, -0.3, 0.4])  # the mean reward of an offer is its product with this; unknown to the policy
people = np.random.default_rng(1)
visitors, window = 10_000, 500


def offers() -> np.ndarray:
    """Ten offers of length 1: no action may be longer."""
    drawn = people.normal(size=(10, 3))
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


# A person's offers affect what that person sees, but do not show in what others see (joint
# privacy).
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for algorithm in ("linucb", "jdp-batch", "jdp-linucb"):
    with lotor.Policy(algorithm, arms=10, dimension=3, horizon=visitors, epsilon=1) as policy:
        lost = np.empty(visitors)
        for visitor in range(visitors):
            context = offers()
            decision = policy.choose(context)
            worth = context @ hidden
            reward = np.clip(worth[decision.arm] + people.uniform(-0.05, 0.05), -1, 1)
            policy.learn(decision, reward)
            lost[visitor] = worth.max() - worth[decision.arm]
        print(f"{algorithm}: lost {lost.sum():.0f} in {visitors:,} rounds")
        if algorithm == "jdp-batch":
            print(policy.guarantee)
    axes.plot(np.arange(window, visitors + 1, window), lost.reshape(-1, window).mean(axis=1), label=algorithm)
axes.set(xlabel="visitors", ylabel=f"lost per visitor, of the last {window}", ylim=0)
axes.set_title("Offers that fit the visitor, at epsilon 1")
axes.legend(title="linucb is not private")
figure.savefig(sys.argv[1], dpi=120)
