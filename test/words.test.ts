/**
 * The language of the schema's descriptions, which are the manual of the API, of comments and of the documentation: words and shapes that CONTRIBUTING.md asks writers
 * to avoid.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..');
const schema = buildSchema(readFileSync(join(root, 'schema', 'schema.graphql'), 'utf8'));

const avoided: { shape: RegExp; instead: string; inComments?: boolean }[] = [
  { shape: /\b(told|tells?|telling)\b/i, instead: 'return, report, send, show', inComments: true },
  { shape: /\bwhom\b/i, instead: 'name the party' },
  { shape: /\b(bell|rung|rings?)\b/i, instead: 'notify, wake', inComments: true },
  { shape: /\b(last|first) first\b/i, instead: 'newest first, oldest first', inComments: true },
  { shape: /^(what|who|which|how|where|when|why)( it is)?\.$/i, instead: 'a noun: current status, the recipient' },
  { shape: /\btries (are|is) spent\b/i, instead: 'all retries failed', inComments: true },
  { shape: /\bwhen left out\b/i, instead: 'Defaults to …, or If omitted, …', inComments: true },
  { shape: /\b(comes?|came) to rest\b/i, instead: 'all pending work is completed', inComments: true },
  { shape: /^of (a|an|the|that|its|this)\b/i, instead: 'a noun first: hash of the transaction' },
  { shape: /\bones too\b/i, instead: 'including archived ones' },
  { shape: /; null\b/, instead: 'a sentence of its own: Null if …' },
  { shape: /; [^.;]+ by default\b/, instead: 'a sentence of its own: Defaults to …' },
  { shape: /: of (a|an|all|the)\b/, instead: 'a verb: it covers all apps' },
  { shape: /^(Its|Their) \w+\.$/, instead: 'name the object: name of the chain' },
  { shape: /(?<![`\w(:-])ids?\b/, instead: 'ID, IDs' },
];

it('descriptions avoid metaphors and fragments', () => {
  const found = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => descriptionsOf(type))
    .flatMap(({ place, text }) =>
      avoided.filter(({ shape }) => shape.test(text)).map(({ instead }) => `${place}: "${text}" (instead: ${instead})`),
    );
  expect(found).toEqual([]);
});

it('every type, field, argument and value has a description', () => {
  const missing = Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .filter(({ name }) => !['String', 'Int', 'Float', 'Boolean', 'ID'].includes(name))
    .flatMap((type) => descriptionsOf(type))
    .filter(({ text }) => text.trim() === '')
    .map(({ place }) => place);
  expect(missing).toEqual([]);
});

/** Comments are held to the words alone: "who" and "what" begin sentences in them. */
it('comments avoid metaphors', () => {
  const words = avoided.filter(({ inComments }) => inComments);
  const found = [
    'src',
    'prisma',
    'indexer',
    'web/src',
    'packages/sdk',
    'packages/cli',
    'packages/checkout',
    'packages/vendure',
    'packages/x402',
    'bench',
    'test/browser/setup',
    'test/chaos',
    'test/fuzz',
    'test/setup',
    'test/soak',
  ]
    .flatMap(sourcesUnder)
    .flatMap((file) =>
      commentsIn(readFileSync(join(root, file), 'utf8')).flatMap((comment) =>
        words
          .filter(({ shape }) => shape.test(comment))
          .map(({ instead }) => `${file}: "${comment}" (instead: ${instead})`),
      ),
    );
  expect(found).toEqual([]);
});

it('the documentation avoids metaphors', () => {
  const words = avoided.filter(({ inComments }) => inComments);
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'packages/sdk/README.md',
    'packages/cli/README.md',
    'packages/checkout/README.md',
    'packages/vendure/README.md',
    'docs/shops/vendure.md',
    'packages/x402/README.md',
    ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`),
  ];
  const found = pages
    .filter((file) => file.endsWith('.md'))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .replace(/`[^`]*`|\]\([^)]*\)/g, '')
        .split('\n')
        .flatMap((line) =>
          words
            .filter(({ shape }) => shape.test(line))
            .map(({ instead }) => `${file}: "${line}" (instead: ${instead})`),
        ),
    );
  expect(found).toEqual([]);
});

it('finds comments, and ignores words in code or quotations', () => {
  const text = '/** One\n * ring. */\nconst tell = `bell`; // not at the start\n  // Two `tell`.\n';
  expect(commentsIn(text)).toEqual(['/** One ring. */', '// Two .']);
});

function sourcesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((file) => !/(^|\/)(node_modules|generated|dist|\.ponder)\//.test(file));
}

/** Comments that begin a line, each in one line and without what is quoted in backticks. */
function commentsIn(text: string): string[] {
  const found = text.matchAll(/^[ \t]*(\/\*\*[\s\S]*?\*\/|\/\/[^\n]*)/gm);
  return [...found].map(([, comment = '']) => comment.replace(/\s*\n\s*(\* ?)?/g, ' ').replace(/`[^`]*`/g, ''));
}

type Described = { place: string; text: string };

function descriptionsOf(type: GraphQLNamedType): Described[] {
  const own = [{ place: type.name, text: type.description ?? '' }];
  if (isEnumType(type)) return [...own, ...type.getValues().map((value) => described(type.name, value))];
  if (isInputObjectType(type)) {
    return [...own, ...Object.values(type.getFields()).map((field) => described(type.name, field))];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return own;
  const fields = Object.values(type.getFields()).flatMap((field) => [
    described(type.name, field),
    ...field.args.map((argument) => described(`${type.name}.${field.name}`, argument)),
  ]);
  return [...own, ...fields];
}

function described(parent: string, part: { name: string; description?: string | null | undefined }): Described {
  return { place: `${parent}.${part.name}`, text: part.description ?? '' };
}
