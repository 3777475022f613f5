// metadata.js - own data of a campaign, as lines of "name: value".

export const metadataText = (metadata) => Object.entries(metadata ?? {}).map(([name, value]) => `${name}: ${value}`).join('\n');

const readValue = (text) => (text === 'true' ? true : text === 'false' ? false : /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text);

export function readMetadata(text) {
  return Object.fromEntries(text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => {
    const [, name, value] = line.match(/^([^:=]+)[:=](.*)$/) ?? [null, line, ''];
    return [name.trim(), readValue(value.trim())];
  }));
}
