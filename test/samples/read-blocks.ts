/** The fenced blocks of the documentation that are samples: curl (also by the name `json`, which pages define) and Node in a shell, TypeScript, JavaScript and GraphQL. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Block = {
  /** Page and heading, as a link to it would be, and a number if there are several under the heading: `docs/mail.md#mail-2`. */
  name: string;
  page: string;
  line: number;
  kind: 'shell' | 'program' | 'graphql';
  text: string;
};

/** A block in a list is indented as the list is. */
const FENCED = /^( *)```(\w*).*\n([\s\S]*?)^\1```$/gm;
const root = join(import.meta.dirname, '../..');

export function readPages(): string[] {
  return [
    'README.md',
    'docs/*.md',
    'docs/operations/*.md',
    'docs/shops/*.md',
    'packages/*/README.md',
    'examples/*/README.md',
  ].flatMap((pattern) => globSync(pattern, { cwd: root }).sort());
}

export function readBlocks(page: string): Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  const counts = new Map<string, number>();
  return [...text.matchAll(FENCED)].flatMap(({ 1: indent = '', 2: language = '', 3: indented = '', index }) => {
    const code = indented.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const kind = kindOf(language, code);
    if (!kind) return [];
    // A comment in an earlier block is no heading.
    const before = text.slice(0, index).replaceAll(FENCED, '');
    const heading = before.match(/^#+ .*$/gm)?.at(-1) ?? '';
    const place = `${page}#${slugOf(heading)}`;
    const count = (counts.get(place) ?? 0) + 1;
    counts.set(place, count);
    const line = text.slice(0, index).split('\n').length;
    return [{ name: count === 1 ? place : `${place}-${count}`, page, line, kind, text: code }];
  });
}

/** Commands of operators (npm, systemctl, psql) are not samples of the API. */
function kindOf(language: string, code: string): Block['kind'] | undefined {
  if (['ts', 'tsx', 'js', 'mjs'].includes(language)) return 'program';
  if (language === 'graphql') return 'graphql';
  const isShell = ['sh', 'bash', 'shell'].includes(language);
  return isShell && /\bcurl\b|\bjson \$|\bnode (-|docs\/|examples\/)|\bnpm (ci|start)\b/.test(code)
    ? 'shell'
    : undefined;
}

function slugOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}
