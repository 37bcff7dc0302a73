/** Runs the samples of a page one after the other in one shell, as a reader would who copies each into a terminal. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Block } from './read-blocks.ts';
import { sampleRules } from './sample-rules.ts';
import type { Workplace } from './workplace.ts';

const MARK = '::sample ';

/**
 * A response with an error status ends the shell, and so does a failing command. Variables are exported, so that programs and GraphQL documents of
 * the page see them too.
 */
const prelude = `set -euo pipefail -o allexport
curl() { command curl --silent --show-error --fail-with-body --max-time 60 "$@"; }
BASE=http://localhost:4000
KEY=$(node -p 'require("./.local/demo.json").secretKey')
APP=$(node -p 'require("./.local/demo.json").appId')
data() { node -p 'JSON.parse(require("fs").readFileSync(0, "utf8")).data'"$1"; }
json() { curl -H "x-api-key: $KEY" -H 'content-type: application/json' "$@"; }
`;

export async function runPage(workplace: Workplace, blocks: Block[]): Promise<void> {
  const script = blocks.map((block, index) => scriptOf(workplace, block, index)).join('\n');
  if (script.trim() === '') return;
  workplace.write('page.sh', workplace.addressed(`${prelude}${script}`));
  const shell = workplace.run('bash', ['page.sh']);
  const code = await shell.ended;
  const output = shell.output();
  await shell.stop();
  rmSync(join(workplace.folder, 'page.sh'));
  const last = output
    .split('\n')
    .findLast((line) => line.startsWith(MARK))
    ?.slice(MARK.length);
  if (code !== 0) throw new Error(`${last} failed with ${code}:\n${tail(output)}`);
  // GraphQL reports errors with status 200.
  const faulty = output.split(MARK).find((part) => /^\{"(data":null,")?errors":\[|"errors":\[\{"message"/m.test(part));
  if (faulty !== undefined) throw new Error(`A response contains errors: ${tail(faulty)}`);
}

function scriptOf(workplace: Workplace, block: Block, index: number): string {
  const rule = sampleRules[block.name] ?? {};
  if ('exempt' in rule) return '';
  const lines = [`echo '${MARK}${block.name} (line ${block.line})'`, rule.given ?? ''];
  const text = (rule.replace ?? []).reduce((all, [from, to]) => {
    if (!all.includes(from)) throw new Error(`${block.name} does not contain ${from}.`);
    return all.replaceAll(from, to);
  }, block.text);
  if (block.kind === 'shell') {
    lines.push(rule.isServer ? `{ ${text.trimEnd()}\n} &` : text);
  } else if (block.kind === 'program') {
    const file = `sample-${index}.${rule.extension ?? 'mjs'}`;
    workplace.write(file, workplace.addressed(`${rule.before ?? ''}${text}`));
    lines.push(`node ${file} ${rule.args ?? ''}`);
  } else {
    const query = JSON.stringify({ query: text, variables: rule.variables ?? {} });
    workplace.write(`sample-${index}.json`, query);
    lines.push(`json "$BASE/graphql" -d @sample-${index}.json`);
  }
  if (rule.after !== undefined) lines.push(rule.after);
  return lines.join('\n');
}

function tail(text: string): string {
  return text.slice(-3000);
}
