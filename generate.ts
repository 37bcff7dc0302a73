/**
 * Generates files from their sources, step by step. `node generate.ts` runs the steps whose inputs have changed, `--force` runs all of them, and
 * `--check` fails if a generated file in the repository is out of date. npm runs this after an install, before a start and before the
 * tests. It imports only Node's modules, because it runs before anything is built. Where development dependencies are left out, as
 * in production, it requires that everything was generated elsewhere; `--development` requires the dependencies.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

type Step = {
  name: string;
  /** Arguments to Node. */
  command: string[];
  environment?: Record<string, string>;
  /** Paths with wildcards: the step is stale when one of these files changes. */
  inputs: string[];
  /** Files that must exist and be as the step left them. */
  outputs: string[];
  /** Which of the outputs are committed, and so compared by `--check`. */
  committed?: string[];
  /** Development dependencies that the step runs; a production install lacks them. */
  tools?: string[];
  /** A running part does not need the outputs: people or a later step read them. */
  isIntermediate?: boolean;
};

const steps: Step[] = [
  {
    name: 'prisma',
    command: ['node_modules/prisma/build/index.js', 'generate'],
    // Generating needs no schema engine, yet Prisma would fetch one. A program that fails: were it ever run in earnest,
    // that must be seen.
    environment: {
      PRISMA_SCHEMA_ENGINE_BINARY: '/bin/false',
      CHECKPOINT_DISABLE: '1',
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
    },
    inputs: ['prisma/*.prisma', 'prisma.config.ts', 'package-lock.json'],
    outputs: ['generated/prisma/client.ts', 'generated/pothos.ts'],
    tools: ['prisma'],
  },
  {
    name: 'schema',
    command: ['src/gateway/print-schema.ts'],
    inputs: ['src/**/*.ts', 'generated/pothos.ts', 'package-lock.json'],
    outputs: ['schema/schema.graphql', 'schema/rest/fragments/derived.graphql'],
    committed: ['schema/schema.graphql', 'schema/rest/fragments/derived.graphql'],
  },
  {
    name: 'configuration',
    command: ['src/config/print-configuration.ts'],
    inputs: ['src/config/*.ts', 'package-lock.json'],
    outputs: ['docs/configuration.md'],
    committed: ['docs/configuration.md'],
    isIntermediate: true,
  },
  {
    name: 'events',
    command: ['src/api/events/print-event-schemas.ts'],
    inputs: ['src/**/*.ts', 'generated/pothos.ts', 'package-lock.json'],
    outputs: ['schema/events.json'],
    committed: ['schema/events.json'],
  },
  {
    name: 'mesh',
    // Mesh would compile its index with a whole type check; the next step only strips it, in a third of the time.
    command: ['node_modules/@graphql-mesh/cli/cjs/bin.js', 'build', '--dir', 'schema', '--fileType', 'ts'],
    inputs: ['schema/schema.graphql', 'schema/rest/**', 'schema/.meshrc.yaml', 'schema/core.mjs', 'package-lock.json'],
    outputs: ['schema/.mesh/index.ts'],
    tools: ['@graphql-mesh/cli'],
    isIntermediate: true,
  },
  {
    name: 'rest',
    command: ['src/api/rest/build.ts'],
    // Limits of fields and who may call are in the sources, not in the printed schema.
    inputs: ['schema/.mesh/index.ts', 'src/**/*.ts', 'package-lock.json'],
    outputs: [
      'generated/rest.ts',
      'generated/payments-api.ts',
      'schema/openapi/payments.json',
      'schema/openapi/card.json',
    ],
    committed: ['schema/openapi/payments.json', 'schema/openapi/card.json'],
    tools: ['openapi-typescript', 'typescript'],
  },
  {
    name: 'sdk',
    command: ['packages/sdk/generate/main.ts'],
    inputs: ['schema/openapi/payments.json', 'packages/sdk/generate/*.ts', 'src/errors.ts'],
    outputs: [
      'packages/sdk/src/generated/types.ts',
      'packages/sdk/src/generated/resources.ts',
      'packages/sdk/src/generated/examples.ts',
      'packages/sdk/reference.md',
    ],
    committed: ['packages/sdk/reference.md'],
    isIntermediate: true,
  },
  {
    name: 'packages',
    command: ['packages/build.ts', 'sdk', 'cli', 'checkout'],
    inputs: [
      'packages/{sdk,cli,checkout}/{package,tsconfig}.json',
      'packages/{sdk,cli,checkout}/src/**/*.ts',
      'packages/{build.ts,tsconfig.json}',
      'package-lock.json',
    ],
    outputs: [
      'packages/sdk/dist/index.js',
      'packages/sdk/dist/receiver/index.js',
      'packages/cli/dist/main.js',
      'packages/checkout/dist/index.js',
    ],
    tools: ['typescript7'],
    // For the examples and for the samples of the documentation.
    isIntermediate: true,
  },
  {
    name: 'documents',
    command: ['web/print-documents.ts'],
    inputs: ['schema/schema.graphql', 'web/src/**/*.graphql', 'web/print-documents.ts', 'package-lock.json'],
    outputs: ['generated/web/documents.ts', 'generated/web/documents.json'],
    tools: [
      '@graphql-codegen/core',
      '@graphql-codegen/typed-document-node',
      '@graphql-codegen/typescript',
      '@graphql-codegen/typescript-operations',
    ],
  },
  {
    name: 'web',
    command: ['web/build.ts'],
    environment: { NODE_ENV: 'production' },
    // The pages share the contract's words and types with the program.
    inputs: [
      'web/**',
      'src/escrow/*.ts',
      'src/catalog/tax.ts',
      'src/api/pages/*.ts',
      'generated/web/documents.ts',
      'package-lock.json',
    ],
    outputs: ['generated/web/assets/manifest.json', 'generated/web/sizes.json', 'generated/web/loading.json'],
    tools: ['@vitejs/plugin-react', 'react', 'vite'],
  },
  {
    name: 'site',
    command: ['docs/site/build.ts'],
    environment: { NODE_ENV: 'production' },
    inputs: [
      'docs/**',
      'packages/*/*.md',
      'CONTRIBUTING.md',
      'SECURITY.md',
      'CHANGELOG.md',
      'schema/schema.graphql',
      'schema/openapi/payments.json',
      'package-lock.json',
    ],
    outputs: ['generated/docs/index.html', 'generated/docs/scripts.json'],
    tools: ['@viz-js/viz', 'vitepress'],
    // An installation without it serves the page of the API only.
    isIntermediate: true,
  },
];

const root = import.meta.dirname;
const stampFolder = join(root, '.stamps');
const lockFile = join(stampFolder, 'lock');
const LOCK_LIMIT_MS = 10 * 60_000;

const missingTools = steps.flatMap(({ tools = [] }) => tools).filter((name) => !isInstalled(name));
if (missingTools.length > 0) {
  process.exitCode = process.argv.length > 2 ? refuseWithoutTools() : requireGenerated();
} else {
  mkdirSync(stampFolder, { recursive: true });
  await takeLock();
  try {
    process.exitCode = process.argv.includes('--check') ? check() : generate(process.argv.includes('--force'));
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function isInstalled(name: string): boolean {
  return existsSync(join(root, 'node_modules', name, 'package.json'));
}

function refuseWithoutTools(): number {
  console.error(
    `This needs development dependencies, and these are not installed: ${missingTools.join(', ')}. Run "npm ci --include=dev".`,
  );
  return 1;
}

/** A production install runs what was generated elsewhere, if all of it is there and of these sources. */
function requireGenerated(): number {
  const needed = steps.filter((step) => !step.isIntermediate);
  const absent = needed.flatMap(({ outputs }) => outputs.filter((file) => !existsSync(join(root, file))));
  // Without a stamp nobody knows which sources they are of: they are taken as they are.
  const stale = needed.filter((step) => existsSync(join(stampFolder, step.name)) && !isFresh(step));
  if (absent.length === 0 && stale.length === 0) return 0;
  if (absent.length > 0) console.error(`These generated files are missing: ${absent.join(', ')}.`);
  else console.error(`These steps were run on other sources: ${stale.map(({ name }) => name).join(', ')}.`);
  console.error(
    `They cannot be generated here, because development dependencies are left out (${missingTools.join(', ')}). Either run
"npm ci --include=dev" and then "npm prune --omit=dev", or copy the folder "generated" of a build of the same sources to
this one before the install.`,
  );
  return 1;
}

function generate(force: boolean): number {
  for (const step of steps) {
    if (!force && isFresh(step)) continue;
    const startedAt = Date.now();
    if (!run(step)) return 1;
    console.log(`generated ${step.name} in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  }
  return 0;
}

/**
 * Steps whose inputs have changed are run, and their files compared and restored. The other steps would generate the same files again. In a fresh
 * clone, the install has already overwritten the committed files, so if `CI` is set, they are compared with the last commit.
 */
function check(): number {
  const drifted = process.env.CI ? changedSinceCommit() : [];
  for (const step of steps) {
    if (isFresh(step)) continue;
    const committed = step.committed ?? [];
    const before = committed.map((file) => readOrEmpty(file));
    const ran = run(step);
    committed.forEach((file, index) => {
      const old = before[index] ?? '';
      if (ran && readOrEmpty(file) === old) return;
      drifted.push(file);
      writeFileSync(join(root, file), old);
      rmSync(join(stampFolder, step.name), { force: true });
    });
    if (!ran) return 1;
  }
  for (const file of drifted) console.error(`${file} is out of date. Run "npm run generate" and commit the result.`);
  return drifted.length === 0 ? 0 : 1;
}

/** The generated files that an install has changed in a fresh clone. */
function changedSinceCommit(): string[] {
  const committed = steps.flatMap(({ committed = [] }) => committed);
  const { status, stdout } = spawnSync('git', ['diff', '--name-only', 'HEAD', '--', ...committed], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status === 0) return stdout.split('\n').filter(Boolean);
  console.log('There is no repository with which generated files could be compared.');
  return [];
}

function run(step: Step): boolean {
  const inputs = hashOf(step.inputs);
  const ended = spawnSync(process.execPath, step.command, {
    cwd: root,
    env: { ...process.env, ...step.environment },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const missing = step.outputs.filter((file) => !existsSync(join(root, file)));
  if (ended.status === 0 && missing.length === 0) {
    // The inputs as they were before: a change made while the step ran leaves it stale.
    writeFileSync(join(stampFolder, step.name), stampOf(step, inputs));
    return true;
  }
  console.error(`${ended.stdout ?? ''}${ended.stderr ?? ''}`);
  console.error(
    `Generating ${step.name} failed: node ${step.command.join(' ')} ended with ${ended.status ?? ended.error}`,
  );
  if (missing.length > 0) console.error(`It left no ${missing.join(', ')}.`);
  return false;
}

function isFresh(step: Step): boolean {
  const stamp = join(stampFolder, step.name);
  if (!existsSync(stamp) || step.outputs.some((file) => !existsSync(join(root, file)))) return false;
  return readFileSync(stamp, 'utf8') === stampOf(step, hashOf(step.inputs));
}

function stampOf(step: Step, inputs: string): string {
  return `${hashOf([], JSON.stringify(step))}\n${inputs}\n${hashOf(step.outputs)}\n`;
}

function hashOf(paths: string[], text = ''): string {
  const hash = createHash('sha256').update(text);
  for (const path of paths) {
    for (const file of filesOf(path))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update('\0');
  }
  return hash.digest('hex');
}

function filesOf(pattern: string): string[] {
  return globSync(pattern, { cwd: root })
    .filter((file) => statSync(join(root, file)).isFile())
    .sort();
}

function readOrEmpty(file: string): string {
  const full = join(root, file);
  return existsSync(full) ? readFileSync(full, 'utf8') : '';
}

/** Two shells may start at once: the second waits, and then finds everything fresh. */
async function takeLock(): Promise<void> {
  const deadline = Date.now() + LOCK_LIMIT_MS;
  while (Date.now() < deadline) {
    try {
      writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return;
    } catch {
      const owner = Number(readOrEmpty('.stamps/lock'));
      if (owner > 0 && !isAlive(owner)) rmSync(lockFile, { force: true });
      await delay(100);
    }
  }
  throw new Error(`Another generation holds ${lockFile} for too long.`);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
