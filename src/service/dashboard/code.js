// code.js - the code that asks this campaign what to show, and sends feedback: curl, Python, JavaScript.

import { h, copy } from './dom.js';
import { openDialog } from './dialog.js';
import { segments } from './form.js';

const needsUser = (campaign) => campaign.rounds_per_user !== null || campaign.budget || campaign.sticky_seconds;

function partsOf(campaign) {
  const [low, high] = campaign.reward_range;
  const local = campaign.guarantee.model === 'local';
  const context = campaign.dimension === null ? null : Object.fromEntries(campaign.arms.filter((arm) => !arm.removed).map((arm, i) => [arm.id, Array.from({ length: campaign.dimension }, (none, place) => (place === i ? 1 : 0))]));
  const clicks = campaign.feedback === 'clicks';
  const rewards = [high, ...Array(campaign.slots - 1).fill(low)].slice(0, 4);
  return { local, context, clicks, rewards, user: needsUser(campaign) };
}

function curl(campaign, url) {
  const { local, context, clicks, rewards, user } = partsOf(campaign);
  const asked = { ...(user ? { user: 'USER-ID' } : {}), ...(context ? { context } : {}) };
  const body = clicks ? `"{\\"click\\": \\"$ARM\\"}"` : `'${JSON.stringify({ rewards })}'`;
  const reward = local ? `# On the person's device: randomize the feedback, then send the report only.
lotor randomize --randomizer "$RANKING" ${clicks ? '--click 1' : `--rewards ${campaign.reward_range[1]}`} |
  curl -H "Authorization: Bearer $KEY" ${url}/v1/events/$EVENT/reward -d @-`
    : `${clicks ? `# Tell which arm was clicked: here, the first one of the list. Without a click, send {"click": null}.
ARM=$(echo "$RANKING" | sed 's/.*"arms": \\["\\([^"]*\\)".*/\\1/')` : '# Tell what came back.'}
curl -H "Authorization: Bearer $KEY" ${url}/v1/events/$EVENT/reward -d ${body}`;
  return `# Ask what to show.
RANKING=$(curl -s -H "Authorization: Bearer $KEY" ${url}/v1/campaigns/${campaign.name}/rank -d '${JSON.stringify(asked)}')
EVENT=$(echo "$RANKING" | sed 's/.*"event": "\\([^"]*\\)".*/\\1/')
echo "$RANKING"

${reward}
`;
}

function python(campaign, url) {
  const { local, context, clicks, rewards, user } = partsOf(campaign);
  const more = `${user ? ', user="USER-ID"' : ''}${context ? `, context=${JSON.stringify(context)}` : ''}`;
  const promise = local ? `, local=True, max_epsilon=${campaign.epsilon}, reward_range=(${campaign.reward_range.join(', ')})` : '';
  return `import os
import lotor

client = lotor.Client("${url}", os.environ["KEY"]${promise})

# Ask what to show.
ranking = client.rank("${campaign.name}"${more})
print(ranking.arms)

# Tell what came back.${local ? ' The feedback is randomized here, and only the report is sent.' : ''}
client.reward(ranking, ${clicks ? 'click=ranking.arms[0])  # or click=None' : `rewards=[${rewards.join(', ')}])`}
`;
}

function javascript(campaign, url) {
  const { local, context, clicks, rewards, user } = partsOf(campaign);
  const asked = user || context ? `, ${JSON.stringify({ ...(user ? { user: 'USER-ID' } : {}), ...(context ? { context } : {}) })}` : '';
  const promise = local ? `, local: true, maxEpsilon: ${campaign.epsilon}, range: ${JSON.stringify(campaign.reward_range)}` : '';
  return `import { Client } from "lotor-client";

const client = new Client({ url: "${url}", key: process.env.KEY${promise} });

// Ask what to show.
const decision = await client.rank("${campaign.name}"${asked});
console.log(decision.arms);

// Tell what came back.${local ? ' The feedback is randomized here, and only the report is sent.' : ''}
await client.reward(decision, ${clicks ? '{ click: decision.arms[0] }' : `{ rewards: ${JSON.stringify(rewards)} }`});
`;
}

const LANGUAGES = { curl: ['curl', curl], python: ['Python', python], js: ['JavaScript', javascript] };

export const codeFor = (language, campaign, url) => LANGUAGES[language][1](campaign, url);

export function openCode(campaign) {
  openDialog('Code for this campaign', (close) => {
    let language = 'curl';
    const text = h('pre', { class: 'code', tabindex: '0', 'aria-label': 'The code' });
    const set = (chosen) => {
      language = chosen;
      text.textContent = codeFor(language, campaign, location.origin);
    };
    set(language);
    const button = h('button', { type: 'button', onclick: () => copy(text.textContent, button) }, 'Copy');
    return [h('p', { class: 'soft' }, 'Your product’s server runs this with a key of the roles rank and reward, in the variable KEY. Never put a key into a page or an app.'),
      segments('Language', Object.entries(LANGUAGES).map(([value, [name]]) => [value, name]), 'curl', set), text,
      h('div', { class: 'buttons end' }, h('button', { type: 'button', class: 'second', onclick: close }, 'Close'), button)];
  });
}
