"""One arm in a round: which of five headlines do people like? With privacy, and what privacy costs.

    python finite.py finite.png
"""

import sys

import lotor
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

liked_by = np.array([0.3, 0.5, 0.7, 0.4, 0.6])  # unknown to the policy
people = np.random.default_rng(1)

# In a product: choose a headline for each visitor, and learn from the visitor's feedback.
with lotor.Policy("lik-imed", arms=5, epsilon=1) as policy:
    shown = np.zeros(5, int)
    for visitor in range(10_000):
        decision = policy.choose()
        shown[decision.arm] += 1
        likes_it = people.random() < liked_by[decision.arm]
        policy.learn(decision, likes_it)
    print(policy.guarantee)
print("shown:", shown)

# In the lab: the regret against always showing the best headline, in 10 runs of a million visitors.
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
for algorithm in ("ucb", "dp-ucb", "dp-se", "lik-imed"):
    played = lotor.simulate(algorithm, means=liked_by, horizon=1e6, epsilon=1)
    print(played)
    error = 2 * played.standard_error
    (line,) = left.loglog(played.rounds, played.regret, label=algorithm)
    left.fill_between(played.rounds, played.regret - error, played.regret + error, alpha=0.3, color=line.get_color())
left.set(xlabel="visitors", ylabel="likes lost", title="The cost of privacy at epsilon 1")
left.legend()
right.bar(range(5), shown, color=["C2" if arm == liked_by.argmax() else "C7" for arm in range(5)])
right.set(xlabel="headline", ylabel="visitors who saw it", title="The first 10,000 visitors of lik-imed")
figure.savefig(sys.argv[1], dpi=120)
