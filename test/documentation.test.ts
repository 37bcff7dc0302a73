/** The links between the pages of the documentation: each linked file and heading exists. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...globSync('docs/**/*.md', { cwd: root }),
  ...globSync('packages/*/*.md', { cwd: root }),
];

it.each(pages)('%s has no dead links', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const dead = links.filter((link) => !/^(https?|mailto):/.test(link)).filter((link) => !leadsSomewhere(page, link));
  expect(dead).toEqual([]);
});

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || !target.endsWith('.md') || anchorsOf(target).has(anchor);
}

/** The anchors of headings, as Markdown renderers name them, and of HTML elements. */
function anchorsOf(page: string): Set<string> {
  const text = read(page);
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
  return new Set([...headings, ...[...text.matchAll(/id="([^"]+)"/g)].map(([, id = '']) => id)]);
}

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}
