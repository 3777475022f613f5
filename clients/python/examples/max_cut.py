"""Your own oracle: two teams whose games are worth watching (MAX-CUT), learnt from private opinions.

    python max_cut.py max_cut.png
"""

import itertools
import sys

import lotor
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# The arms are the pairs of ten players. A split into two teams shows the pairs that it separates. Any two players may
# meet, so before any feedback all splits into halves look equally good.
players = 10
pairs = np.array(list(itertools.combinations(range(players), 2)))
people = np.random.default_rng(2)
rivals = np.arange(players) % 4 < 2  # games between these two teams are good; unknown to the policy
good = rivals[pairs[:, 0]] != rivals[pairs[:, 1]]
liked = np.where(good, people.uniform(0.5, 0.9, len(pairs)), people.uniform(0.1, 0.5, len(pairs)))
starts = people.random((40, players)) < 0.5  # always the same splits, because an oracle must be pure


def cut_of(teams):
    return np.flatnonzero(teams[pairs[:, 0]] != teams[pairs[:, 1]])


def find_cut(indices):
    """The best cut is hard to find. Moving single players as long as that helps finds at least half of it."""
    weights = np.zeros((players, players))
    weights[pairs[:, 0], pairs[:, 1]] = np.clip(indices, 0, 1e6)  # indices may be infinite, or below 0
    weights += weights.T
    found = []
    for start in starts:
        teams = start.copy()
        while True:
            same = teams[:, None] == teams[None, :]
            gains = np.where(same, weights, -weights).sum(axis=1)
            if gains.max() <= 1e-9:
                break
            teams[gains.argmax()] ^= True
        found.append(cut_of(teams))
    return max(found, key=lambda cut: weights[pairs[cut, 0], pairs[cut, 1]].sum())


# With 10 players all 512 cuts can be compared, to see what is lost.
splits = (np.arange(2 ** (players - 1))[:, None] >> np.arange(players)) & 1
best = max(liked[cut_of(split)].sum() for split in splits)

rounds = 30_000
oracle = lotor.Oracle(find_cut, most=len(pairs), alpha=0.5)
policy = lotor.Policy("batch-klucb", arms=len(pairs), structure=oracle, epsilon=1)
lost = np.zeros(rounds)
for person in range(rounds):
    cut = policy.choose()
    lost[person] = best - liked[cut.arms].sum()
    policy.learn(cut, people.random(len(cut.asked)) < liked[cut.asked])
print(policy.guarantee)
early, late = lost[: rounds // 10].mean(), lost[rounds // 2 :].mean()
print(f"lost per person: {early:.3f} in the first tenth, {late:.3f} in the second half")
assert late < early / 4, "the policy has learnt"

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot(np.arange(1, rounds + 1), np.cumsum(lost), label="batch-klucb, epsilon 1")
axes.plot([1, rounds], [0, early * rounds], "--", color="0.6", label="as in the first tenth")
axes.set(title="Two teams: what is lost against the best split", xlabel="people", ylabel="regret")
axes.legend()
figure.savefig(sys.argv[1], dpi=120)
