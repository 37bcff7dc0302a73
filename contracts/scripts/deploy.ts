import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createPublicClient, createWalletClient, http } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import { batchRuntimeCodeHash } from '../../src/escrow/batch/batch-bytecode.ts';
import { deployBatch, deployEscrow, localChainIds } from '../../src/escrow/deploy-escrow.ts';
import { escrowRuntimeCodeHash } from '../../src/escrow/escrow-bytecode.ts';

/**
 * `npm run contracts:deploy -- --chain <id> --rpc <url> --key-env <NAME>`: deploys the escrow and the
 * batch contract or finds them deployed, checks their code, and records them in contracts/deployments/<id>.json
 * (local chains are not recorded). The key comes from the named variable and pays
 * for gas only.
 */

const { values } = parseArgs({
  options: { chain: { type: 'string' }, rpc: { type: 'string' }, 'key-env': { type: 'string' } },
});
const wanted = z
  .object({
    chain: z.coerce.number().int().positive(),
    rpc: z.url(),
    'key-env': z.string().min(1),
  })
  .parse(values);
const key = z
  .custom<`0x${string}`>(
    (value) => typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value),
    `${wanted['key-env']} must hold a private key: 0x and 64 hexadecimal digits`,
  )
  .parse(process.env[wanted['key-env']]);

const transport = http(wanted.rpc);
const publicClient = createPublicClient({ transport });
const walletClient = createWalletClient({ transport, account: privateKeyToAccount(key) });

const chainId = await publicClient.getChainId();
if (chainId !== wanted.chain) throw new Error(`The RPC node is on chain ${chainId}, not on ${wanted.chain}.`);

const address = await deployEscrow({ publicClient, walletClient });
process.stdout.write(`The escrow is at ${address} on chain ${chainId}.\n`);
const batchAddress = await deployBatch({ publicClient, walletClient });
process.stdout.write(`The batch contract is at ${batchAddress} on chain ${chainId}.\n`);

if (chainId < localChainIds.from || chainId > localChainIds.to) {
  const folder = fileURLToPath(new URL('../deployments', import.meta.url));
  await mkdir(folder, { recursive: true });
  const file = path.join(folder, `${chainId}.json`);
  const batch = { address: batchAddress, runtimeCodeHash: batchRuntimeCodeHash };
  const record = { chainId, address, runtimeCodeHash: escrowRuntimeCodeHash, batch };
  await writeFile(file, `${JSON.stringify(record, null, 2)}\n`);
  process.stdout.write(`Recorded in ${path.relative('.', file)}.\n`);
}
