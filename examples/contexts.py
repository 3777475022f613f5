"""How many people does a choice with contexts need? Plays a simulated app in which people of the morning and of the
evening like different articles, and prints the share of people who clicked, from the first person on:
python3 contexts.py [RUNS]"""
import sys
import warnings

import lotor
import numpy as np

warnings.simplefilter("ignore", lotor.UnusedOptionWarning)  # linucb adds no noise, so it needs no epsilon
runs = int(sys.argv[1]) if len(sys.argv) > 1 else 8
likes = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2]])  # of people by time of the day, for sleep, focus and food
times, arms = likes.shape
rows = np.zeros((times, arms, times * arms))  # a number of its own for each pair of time and article
for time in range(times):
    for arm in range(arms):
        rows[time, arm, arm * times + time] = 1


def play(algorithm, people, dislike):
    """The share of people who clicked. A click counts as 1, no click as `dislike`."""
    def chance(actions):
        return actions @ likes.T.ravel()

    def reward(t, shown, rng, actions):
        return np.where(rng.random(len(shown)) < chance(actions)[shown], 1, dislike)

    world = lotor.World(reward=reward, means=lambda t, actions: dislike + (1 - dislike) * chance(actions), arms=arms,
                        context=lambda t, rng: rows[rng.integers(times)], dimension=times * arms, low=-1, high=1)
    played = lotor.simulate(algorithm, world=world, horizon=people, epsilon=1, runs=runs, seed=1)
    share = (played.rewards[:, -1] / people - dislike) / (1 - dislike)
    return f"{share.mean():.0%} ({share.min():.0%} in the worst run)"


for algorithm, dislike in (("jdp-bayes", -1), ("jdp-bayes", 0), ("jdp-batch", -1), ("linucb", -1)):
    for people in (1000, 3000, 10000):
        print(f"{algorithm:9}  no click is {dislike:2}  {people:5} people: {play(algorithm, people, dislike)}")
