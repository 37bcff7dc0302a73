/**
 * `npm run image`: executes the Containerfile's steps on a clean clone of what is committed, without a container engine,
 * prints how large the image's folders are, fails when they are over the limit or hold what only building needs, and
 * starts API, worker and indexer from them. IMAGE_FOLDER keeps what was built; without it, it is removed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildingTools } from './building-tools.ts';
import { bytesBelow, executeSteps, readSteps } from './containerfile.ts';
import { tryParts } from './running-parts.ts';

/** The limit for the program's folder and Node, without the base image's system. */
const LIMIT_MB = 700;
const LARGEST = 12;
const root = join(import.meta.dirname, '../../..');
const kept = process.env.IMAGE_FOLDER;
const folder = kept ?? mkdtempSync(join(tmpdir(), 'sluice-image-'));
const megabytes = (bytes: number) => Math.round(bytes / 1e6);

try {
  const context = join(folder, 'context');
  mkdirSync(folder, { recursive: true });
  // Postgres does not run as root and must be able to traverse the folder.
  chmodSync(folder, 0o755);
  execFileSync('git', ['clone', '--quiet', root, context], { stdio: 'inherit' });
  const steps = readSteps(readFileSync(join(context, 'docs/operations/containers/Containerfile'), 'utf8'));
  const image = executeSteps(steps, { context, folder: join(folder, 'stages') });
  const program = join(image.root, image.workdir);
  const faults = [...listSizes(program), ...listTools(program)];
  const seen = await tryParts(
    { folder: program, environment: image.environment, entrypoint: image.entrypoint },
    folder,
  );
  for (const line of seen) console.log(line);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
} catch (error) {
  // Printed now, because removing the build takes a while.
  console.error(error);
  process.exitCode = 1;
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true });
}

function listSizes(program: string): string[] {
  const modules = join(program, 'node_modules');
  const packages = readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
  );
  const sized = packages
    .filter((name) => !name.startsWith('.') && statSync(join(modules, name)).isDirectory())
    .map((name) => ({ name, bytes: bytesBelow(join(modules, name)) }))
    .sort((left, right) => right.bytes - left.bytes);
  for (const { name, bytes } of sized.slice(0, LARGEST)) console.log(`${megabytes(bytes)} MB  ${name}`);
  const [programBytes, node] = [bytesBelow(program), statSync(process.execPath).size];
  console.log(`${sized.length} packages: ${megabytes(bytesBelow(modules))} MB`);
  console.log(
    `Program: ${megabytes(programBytes)} MB; Node: ${megabytes(node)} MB; together ${megabytes(programBytes + node)} MB`,
  );
  return megabytes(programBytes + node) > LIMIT_MB ? [`The image is larger than ${LIMIT_MB} MB.`] : [];
}

function listTools(program: string): string[] {
  const found = buildingTools.flatMap((pattern) =>
    globSync(`**/node_modules/${pattern}/package.json`, { cwd: program }),
  );
  return found.map((file) => `The image holds what only building or testing needs: ${file}`);
}
