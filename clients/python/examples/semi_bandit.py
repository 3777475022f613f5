"""A set that an oracle picks: the quickest way through a town, learnt from travellers whose devices randomize
their travel times.

    python semi_bandit.py semi_bandit.png
"""

import sys

import lotor
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

# A town of 4 x 4 crossings: streets go right and down, from the upper left to the lower right corner.
side = 4
right_ways = [(v, v + 1) for v in range(side * side) if v % side < side - 1]
down_ways = [(v, v + side) for v in range(side * (side - 1))]
streets = np.array(right_ways + down_ways)
people = np.random.default_rng(4)
quick = people.uniform(0.1, 0.9, len(streets))  # 1 - the time that a street takes; unknown to the policy

# Each traveller reports how quick one street of the way was, randomized on the traveller's device (the local
# model).
ways = lotor.Path(streets, source=0, sink=side * side - 1)
policy = lotor.Policy("rr-imed", structure=ways, epsilon=2)
used = np.zeros(len(streets), int)
for traveller in range(20_000):
    way = policy.choose()
    if traveller >= 10_000:
        used[way.arms] += 1
    policy.learn(way, people.random(len(way.asked)) < quick[way.asked])
print(policy.guarantee)

figure, axes = plt.subplots(figsize=(5.5, 5), layout="constrained")
for (start, end), time, travellers in zip(streets, 1 - quick, used):
    x, y = [start % side, end % side], [-(start // side), -(end // side)]
    axes.plot(x, y, color="0.85", linewidth=12, solid_capstyle="round", zorder=1)
    axes.plot(x, y, color="C0", linewidth=12 * travellers / 10_000, solid_capstyle="round", zorder=2)
    axes.text(np.mean(x), np.mean(y), f"{time:.2f}", ha="center", va="center", backgroundcolor="white", zorder=3)
axes.set(title="The last 10,000 of 20,000 travellers,\nand the time that each street takes")
axes.set_axis_off()
figure.savefig(sys.argv[1], dpi=120)
