"""Makes a campaign with clicks that measures its lift, drives 50,000 simulated people, and prints the lift:
python3 lift.py URL ADMIN_KEY [SEED [NAME]]"""
import sys
import time

import lotor
import numpy as np

url, key = sys.argv[1:3]
seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
name = sys.argv[4] if len(sys.argv) > 4 else f"articles-{seed}"
random = np.random.default_rng(seed)
likes = {f"article-{i}": 0.05 + 0.02 * i for i in range(12)}  # nobody knows these but the people
people, visit = 50_000, 500
earned = {"measure": [], "control": []}  # the true chances of a click, of the rounds that measure

with lotor.Client(url, key) as client:
    # early_release: simulated people answer at once, so the script need not wait a minute for each visit. In a product leave it
    # out: with it, the times of releases reveal who gave feedback, and when.
    client.create_campaign(name, arms=list(likes), slots=3, epsilon=1, feedback="clicks", wait_seconds=60,
                           early_release=True, evaluation={"share": 0.1, "control": "uniform"})
    for _ in range(people // visit):
        feedback = []
        for ranking in client.rank_batch(name, visit):
            clicked = [arm for arm in ranking.arms if random.random() < likes[arm]]
            feedback.append(ranking.feedback(click=clicked[0] if clicked else None))
            if ranking.role in earned:
                earned[ranking.role].append(1 - np.prod([1 - likes[arm] for arm in ranking.arms]))
        client.rewards(feedback)
    while client.campaign(name)["final"] < people:
        time.sleep(0.1)
    lift = client.campaign(name)["lift"]

policy, control, gain = lift["policy"], lift["control"], lift["absolute"]
true = np.mean(earned["measure"]) - np.mean(earned["control"])
print(f"clicks: {policy['mean']:.1%} with Lotor, {control['mean']:.1%} with articles at random")
print(f"lift:   {gain['mean']:+.1%}, 95% interval {gain['interval']['low']:+.1%} to {gain['interval']['high']:+.1%}; "
      f"decided: {lift['decided']}")
print(f"truth:  {true:+.1%}, {'inside' if gain['interval']['low'] <= true <= gain['interval']['high'] else 'OUTSIDE'} the interval")
