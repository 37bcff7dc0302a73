import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { foundryBinary } from './foundry-binary.ts';

/** `node contracts/scripts/forge.ts <arguments>` runs forge in contracts/, with its output and its exit code. */
const { status } = spawnSync(foundryBinary('forge'), process.argv.slice(2), {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
