import { spawnSync } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { getCreate2Address, type Hex, keccak256, stringToHex } from 'viem';
import { z } from 'zod';
import { deterministicDeployer } from '../../src/escrow/deterministic-deployer.ts';
import { foundryBinary } from './foundry-binary.ts';
import { releasedFiles } from './released-files.ts';

/**
 * Compiles the escrow, the batch contract and the test tokens and writes what TypeScript needs of them: ABI, creation
 * code, runtime code hash and CREATE2 address. The results are committed, so that forge is needed only here and in tests.
 *
 * `node contracts/scripts/build.ts` writes; with `--check` it writes nothing and fails if a file differs.
 */

const contracts = fileURLToPath(new URL('..', import.meta.url));
const root = path.join(contracts, '..');

/** Never changed once the contract is deployed anywhere public: it is half of its address. */
const salts = {
  escrow: keccak256(stringToHex('Sluice PaymentEscrow 2')),
  batch: keccak256(stringToHex('Sluice PaymentBatch 1')),
};

const artifactSchema = z.object({
  abi: z.array(z.record(z.string(), z.unknown())),
  bytecode: z.object({ object: z.string().regex(/^0x[0-9a-f]+$/) }),
  deployedBytecode: z.object({
    object: z.string().regex(/^0x[0-9a-f]+$/),
    immutableReferences: z.record(z.string(), z.unknown()).default({}),
  }),
});
type Artifact = z.infer<typeof artifactSchema>;

const written = 'Written by contracts/scripts/build.ts: change the contract and run it again.';

/** A cold build of its own: sources compiled beside these (tests) must not change a byte. */
async function compile(source: string): Promise<Artifact> {
  const name = path.basename(source, '.sol');
  const out = path.join('out', `release-${name}`);
  const cache = path.join('cache', `release-${name}`);
  await rm(path.join(contracts, out), { recursive: true, force: true });
  const forge = spawnSync(foundryBinary('forge'), ['build', source, '--force', '--out', out, '--cache-path', cache], {
    cwd: contracts,
    encoding: 'utf8',
    env: { ...process.env, FOUNDRY_PROFILE: 'release' },
  });
  if (forge.status !== 0) throw new Error(`forge build ${source} failed:\n${forge.stdout}\n${forge.stderr}`);
  const artifact = await readFile(path.join(contracts, out, `${name}.sol`, `${name}.json`), 'utf8');
  return artifactSchema.parse(JSON.parse(artifact));
}

function abiSource(name: string, artifact: Artifact): string {
  const lines = artifact.abi.map((entry) => `  ${JSON.stringify(entry)},`);
  return `export const ${name} = [\n${lines.join('\n')}\n] as const;\n`;
}

function bytecodeSource(name: keyof typeof salts, artifact: Artifact): string {
  if (Object.keys(artifact.deployedBytecode.immutableReferences).length > 0) {
    throw new Error(`The ${name} contract has immutables: its runtime code would differ from chain to chain.`);
  }
  const salt = salts[name];
  const title = { escrow: 'escrow', batch: 'batch contract' }[name];
  const creationCode = artifact.bytecode.object as Hex;
  const runtimeCode = artifact.deployedBytecode.object as Hex;
  const address = getCreate2Address({ from: deterministicDeployer.address, salt, bytecode: creationCode });
  return [
    `/** ${written} */`,
    '',
    '/** CREATE2 salt of the deployment through the deterministic deployer. */',
    `export const ${name}Salt = '${salt}' as const;`,
    '',
    `/** The ${title}’s address on every chain. */`,
    `export const ${name}Address = '${address}' as const;`,
    '',
    '/** keccak256 of the runtime code, the same on every chain. */',
    `export const ${name}RuntimeCodeHash = '${keccak256(runtimeCode)}' as const;`,
    '',
    `export const ${name}CreationCode =\n  '${creationCode}' as const;`,
    '',
  ].join('\n');
}

function tokensSource({ usdc, usdt, dai }: { usdc: Artifact; usdt: Artifact; dai: Artifact }): string {
  return [
    `/** ${written} Coins for local chains only: anybody mints. */\n`,
    abiSource('usdcTokenAbi', usdc),
    `export const usdcTokenCreationCode =\n  '${usdc.bytecode.object}' as const;\n`,
    abiSource('usdtTokenAbi', usdt),
    `export const usdtTokenCreationCode =\n  '${usdt.bytecode.object}' as const;\n`,
    `export const daiTokenCreationCode =\n  '${dai.bytecode.object}' as const;\n`,
  ].join('\n');
}

/** The escrow's own build has it: its creation code is part of the escrow's runtime code, and so of every deposit address. */
async function boxSource(escrow: Artifact): Promise<string> {
  const file = path.join(contracts, 'out', 'release-PaymentEscrow', 'DepositBox.sol', 'DepositBox.json');
  const code = artifactSchema.parse(JSON.parse(await readFile(file, 'utf8'))).bytecode.object as Hex;
  if (!escrow.deployedBytecode.object.includes(code.slice(2))) {
    throw new Error('The escrow contains another DepositBox than the one that was compiled with it.');
  }
  return [
    `/** ${written} */`,
    '',
    '/** keccak256 of the creation code of `DepositBox`, from which deposit addresses are derived. */',
    `export const depositBoxCodeHash = '${keccak256(code)}' as const;`,
    '',
  ].join('\n');
}

const escrow = await compile('PaymentEscrow.sol');
const batch = await compile('PaymentBatch.sol');
const usdc = await compile('tokens/UsdcToken.sol');
const usdt = await compile('tokens/UsdtToken.sol');
const dai = await compile('tokens/DaiToken.sol');

const files: [string, string][] = [
  [releasedFiles.escrowAbi, `/** ${written} */\n${abiSource('escrowAbi', escrow)}`],
  [releasedFiles.escrow, bytecodeSource('escrow', escrow)],
  [releasedFiles.box, await boxSource(escrow)],
  [releasedFiles.batchAbi, `/** ${written} */\n${abiSource('batchAbi', batch)}`],
  [releasedFiles.batch, bytecodeSource('batch', batch)],
  [releasedFiles.tokens, tokensSource({ usdc, usdt, dai })],
];
const check = process.argv.includes('--check');
for (const [file, text] of files) {
  const current = await readFile(path.join(root, file), 'utf8').catch(() => '');
  if (current === text) continue;
  if (check) {
    process.stderr.write(`${file} differs from the contract: run node contracts/scripts/build.ts\n`);
    process.exitCode = 1;
  } else {
    await writeFile(path.join(root, file), text);
    process.stdout.write(`wrote ${file}\n`);
  }
}
