import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { foundryBinary } from './foundry-binary.ts';
import { releasedBatchCode, releasedEscrowCode } from './released-code.ts';

/**
 * `node contracts/scripts/forge.ts [--released] <arguments>` runs forge in contracts/, with its output and its exit code.
 * With `--released` the tests run against the committed code of the contracts, and not what forge compiles for them.
 */
const released = process.argv[2] === '--released';
const { status } = spawnSync(foundryBinary('forge'), process.argv.slice(released ? 3 : 2), {
  cwd: fileURLToPath(new URL('..', import.meta.url)),
  stdio: 'inherit',
  env: released
    ? {
        ...process.env,
        ESCROW_RUNTIME_CODE: releasedEscrowCode(),
        BATCH_RUNTIME_CODE: releasedBatchCode(),
      }
    : process.env,
});
process.exitCode = status ?? 1;
