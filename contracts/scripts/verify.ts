/**
 * `node contracts/scripts/verify.ts [--always]` runs the invariants, the proof of the kernel and its comparison with the released contract, all
 * with fixed seeds. It records a hash of everything that they depend on in `contracts/verified.json` after they have passed, and does not run
 * them again while the hash is the same, because they would give the same result. `--always` runs them in any case.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { releasedEscrowCode } from './released-code.ts';

const contracts = fileURLToPath(new URL('..', import.meta.url));
const root = join(contracts, '..');
const recordFile = join(contracts, 'verified.json');
/** Packages whose versions the results depend on. */
const packages = ['@foundry-rs/forge', '@openzeppelin/contracts', 'solc', 'z3-solver'];
/** What is not a source: build output, links to packages, addresses of deployments, and the record itself. */
const excluded = new Set(['node_modules', 'out', 'cache', 'deployments', 'verified.json']);
// With new seeds in every run, nobody could repeat a failure. `contracts:invariants` and `contracts:compare` use new ones.
const runs = [
  ['invariants.ts', '--seed', '2027'],
  ['prove-kernel.ts'],
  ['compare-kernel.ts', '--sequences', '1000', '--seed', '2027'],
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
    const { status } = spawnSync(process.execPath, [join(contracts, 'scripts', script), ...args], { stdio: 'inherit' });
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
  for (const file of filesIn(contracts)) {
    digest
      .update(`${relative(contracts, file).split(sep).join('/')}\0`)
      .update(readFileSync(file))
      .update('\0');
  }
  const versions: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
  for (const name of packages) digest.update(`${name} ${versions[name] ?? 'absent'}\0`);
  return digest.update(releasedEscrowCode()).digest('hex');
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
