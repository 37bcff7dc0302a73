/**
 * Builds the documentation as a static site in `generated/docs`, which the API serves at `/docs` and any web server can serve alone. The
 * pages are the Markdown files of the repository and references that are printed from the published descriptions of the API.
 */
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vitepress';
import { openDiagrams } from './diagrams.ts';
import { printGraphqlReference } from './graphql-reference.ts';
import { chapters } from './navigation.ts';
import { printRestReference, type ReferencePage } from './rest-reference.ts';

const root = join(import.meta.dirname, '../..');
/** The folder that VitePress reads. It lies in the checkout, so that its packages are found. */
const source = join(root, 'generated/docs-source');
const target = join(root, 'generated/docs');
const COMPRESSED = /\.(html|js|css|svg|json)$/;

const decisions = globSync('docs/decisions/*.md', { cwd: root }).sort();
const listed = [
  ...chapters.flatMap(({ pages }) => pages.map(([, path]) => path)),
  ...decisions,
  'packages/sdk/reference.md',
];

requireAllListed();
rmSync(source, { recursive: true, force: true });
rmSync(target, { recursive: true, force: true });
const rest = printRestReference(JSON.parse(read('schema/openapi/payments.json')));
const graphql = printGraphqlReference(read('schema/schema.graphql'));
await writeSources();
const folder = join(source, '.vitepress');
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, 'navigation.json'), JSON.stringify(sidebar()));
cpSync(join(import.meta.dirname, 'config.ts'), join(folder, 'config.ts'));
cpSync(join(import.meta.dirname, 'theme'), join(folder, 'theme'), { recursive: true });
// VitePress would read the target of our own settings, which its compiler does not know.
writeFileSync(join(source, 'tsconfig.json'), '{}');
await build(source, { outDir: target });
finish();
rmSync(source, { recursive: true, force: true });

/** Throws if a page of the documentation is missing in the sidebar, where nobody would find it. */
function requireAllListed(): void {
  const pages = globSync(['docs/*.md', 'docs/operations/*.md'], { cwd: root });
  const missing = pages.filter((page) => !listed.includes(page));
  if (missing.length > 0) throw new Error(`docs/site/navigation.ts does not list ${missing.join(', ')}.`);
}

async function writeSources(): Promise<void> {
  const diagrams = await openDiagrams();
  for (const path of listed) write(sitePath(path), diagrams.drawAll(withSiteLinks(path, read(path))));
  for (const page of [...rest, ...graphql]) write(page.path, page.text);
  write('decisions.md', listOfDecisions());
  write('index.md', readFileSync(join(import.meta.dirname, 'index.md'), 'utf8'));
  cpSync(join(root, 'docs/pictures'), join(source, 'pictures'), { recursive: true });
}

/** `docs/operations/growth.md` is `operations/growth.md` of the site, and `packages/sdk/README.md` is `packages/sdk.md`. */
function sitePath(path: string): string {
  return path.replace(/^docs\//, '').replace(/\/README\.md$/, '.md');
}

/** Links to other files of the repository, such as sources, become text: the site does not contain them. */
function withSiteLinks(page: string, text: string): string {
  return text.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (match, image: string, label: string, link: string) => {
    if (/^(https?:|mailto:|#)/.test(link)) return match;
    const [path = '', anchor] = link.split('#');
    const file = normalize(join(dirname(page), path));
    const isPicture = file.startsWith('docs/pictures/');
    const found =
      file === 'docs/decisions' ? 'decisions.md' : listed.includes(file) || isPicture ? sitePath(file) : undefined;
    if (found === undefined) return `${label} (\`${file}\`)`;
    const to = relative(dirname(sitePath(page)), found);
    return `${image}[${label}](${to.startsWith('.') ? to : `./${to}`}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}

function listOfDecisions(): string {
  const lines = decisions.map((path) => `- [${titleOf(path)}](./${sitePath(path)})`);
  return `# Decisions\n\nThe decisions behind Sluice, with their context and the alternatives.\n\n${lines.join('\n')}\n`;
}

function titleOf(path: string): string {
  return /^# (.*)$/m.exec(read(path))?.[1] ?? path;
}

function sidebar() {
  const item = (text: string, path: string) => ({ text, link: `/${path.replace(/\.md$/, '')}` });
  const reference = (text: string, pages: readonly ReferencePage[]) => ({
    text,
    collapsed: true,
    items: pages.map(({ title, path }) => item(title, path)),
  });
  const own = chapters.map(({ title, pages }) => ({
    text: title,
    collapsed: false,
    items: pages.map(([text, path]) => item(text, sitePath(path))),
  }));
  const references = [
    reference('REST reference', rest),
    reference('GraphQL reference', graphql),
    { text: 'SDK reference', link: '/packages/sdk/reference' },
    { text: 'Decisions', link: '/decisions' },
  ];
  return [...own.slice(0, 3), ...references.slice(0, 3), ...own.slice(3), ...references.slice(3)];
}

/** Compresses the files, and records the inline scripts of the pages, which the policy of the page names by their hashes. */
function finish(): void {
  const scripts = new Set<string>();
  for (const name of globSync('**/*.*', { cwd: target })) {
    const file = join(target, name);
    if (!COMPRESSED.test(name)) continue;
    const text = readFileSync(file);
    if (name.endsWith('.html')) {
      for (const [, script = ''] of text
        .toString('utf8')
        .matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)) {
        scripts.add(`'sha256-${createHash('sha256').update(script).digest('base64')}'`);
      }
    }
    writeFileSync(`${file}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }));
    writeFileSync(`${file}.gz`, gzipSync(text));
  }
  writeFileSync(join(target, 'scripts.json'), JSON.stringify([...scripts].sort()));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function write(path: string, text: string): void {
  const file = join(source, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
