"""Your own algorithm: how cautious should a private UCB be? It is compared with the library's, and audited.

    python own_rule.py own_rule.png
"""

import sys

import lotor
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

means = [0.6] + 9 * [0.5]  # unknown to the rule


def ucb(caution):
    """AdaP-UCB (Azize and Basu 2022) with a factor of your choice: the paper's proof needs more than 3."""

    def index(t, board):  # released numbers in, an index for each arm out
        sure = caution * np.log(t)
        return board.means + np.sqrt(0.5 * sure / board.counts) + sure / (board.epsilon * board.counts)

    return lotor.IndexRule(f"ucb-{caution:g}", statistic="episodes", index=index)


figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for algorithm in (ucb(0.25), ucb(1), ucb(3.1), "batch-klucb"):
    played = lotor.simulate(algorithm, means=means, horizon=1e6, epsilon=0.5, runs=20, seed=1)
    print(f"{played}, {played.rounds_per_second:,.0f} rounds per second")
    (line,) = axes.loglog(played.rounds, played.regret, label=played.algorithm)
    axes.fill_between(played.rounds, played.quantile(0.1), played.quantile(0.9), alpha=0.2, color=line.get_color())
axes.set(xlabel="rounds", ylabel="regret (mean, and 10% to 90% of the runs)", title="Ten arms, epsilon 0.5")
axes.legend()
figure.savefig(sys.argv[1], dpi=120)

# The rule sees released numbers alone. So it is as private as they are, whatever it computes.
print(lotor.Policy(ucb(1), arms=10, epsilon=0.5).guarantee)
print(lotor.couple(ucb(1)))
print(lotor.audit(ucb(1), epsilon=0.5, trials=20_000, seed=1))
