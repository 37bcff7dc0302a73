/**
 * `node contracts/scripts/verify.ts [--always]` runs every check of the contracts: the comparison of the released code with its sources, the unit
 * tests and their coverage, the invariants, the proof of the kernel and its comparison with the released contract, all with fixed seeds. It
 * records a hash of everything that they depend on in `contracts/verified.json` after they have passed, and does not run them again while the
 * hash is the same, because they would give the same result. `--always` runs them in any case.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releasedFiles } from './released-files.ts';

const contracts = fileURLToPath(new URL('..', import.meta.url));
const root = join(contracts, '..');
const recordFile = join(contracts, 'verified.json');
/** Packages whose versions the results depend on. */
const packages = ['@foundry-rs/forge', '@openzeppelin/contracts', 'solc', 'z3-solver'];
/** What is not a source: build output, links to packages, addresses of deployments, and the record itself. */
const excluded = new Set(['node_modules', 'out', 'cache', 'deployments', 'verified.json']);
/** Sources outside the folder from which the results follow. */
const sources = [...Object.values(releasedFiles), 'src/escrow/deterministic-deployer.ts'];
// With new seeds in every run, nobody could repeat a failure. The scripts of `package.json` use new ones.
const seed = '2027';
const unitTests = ['test', '--match-path', 'test/*.t.sol', '--no-match-path', 'test/invariants/*'];
const runs = [
  ['build.ts', '--check'],
  ['forge.ts', ...unitTests],
  ['forge.ts', '--released', ...unitTests],
  ['coverage.ts'],
  ['invariants.ts', '--seed', seed],
  ['prove-kernel.ts'],
  ['compare-kernel.ts', '--sequences', '1000', '--seed', seed],
];

const hash = inputHash();
if (!process.argv.includes('--always') && recordedHash() === hash) {
  console.log(
    `The contract, its tests and its proof have not changed since they were verified (${hash.slice(0, 12)}).`,
  );
} else {
  process.exitCode = verify();
}

function verify(): number {
  for (const [script = '', ...args] of runs) {
    const { status } = spawnSync(process.execPath, [join(contracts, 'scripts', script), ...args], {
      stdio: 'inherit',
      env: { ...process.env, FOUNDRY_FUZZ_SEED: seed },
    });
    if (status !== 0) return status ?? 1;
  }
  if (recordedHash() !== hash) {
    writeFileSync(recordFile, `${JSON.stringify({ hash }, null, 2)}\n`);
    console.log(`Verified. Commit ${relative(root, recordFile)}.`);
  }
  return 0;
}

function inputHash(): string {
  const digest = createHash('sha256');
  for (const file of [...filesIn(contracts), ...sources.map((source) => join(root, source))]) {
    digest
      .update(`${relative(root, file).split(sep).join('/')}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  const versions: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
  for (const name of packages) digest.update(`${name} ${versions[name] ?? 'absent'}\0`);
  return digest.digest('hex');
}

/** All sources below a folder, in the order of their names. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !excluded.has(name))
    .sort((left, right) => (left.name < right.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? filesIn(join(folder, entry.name)) : [join(folder, entry.name)]));
}

function recordedHash(): string | undefined {
  if (!existsSync(recordFile)) return undefined;
  return JSON.parse(readFileSync(recordFile, 'utf8')).hash;
}
