import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** Files of contracts/ whose text replaces what is on disk, by their path in that folder. */
export type Patches = Record<string, string>;

const contracts = fileURLToPath(new URL('..', import.meta.url));
const modules = path.join(contracts, '..', 'node_modules');
const maximumSources = 200;

/** The npm package has no types. Loading it takes as long as compiling, so that it is loaded once. */
const solc: { compile(input: string): string } = createRequire(import.meta.url)('solc');

const Output = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .record(
      z.string(),
      z.record(z.string(), z.object({ evm: z.object({ deployedBytecode: z.object({ object: z.string() }) }) })),
    )
    .default({}),
});

/** By the intermediate language or not, and optimized for how many runs of each instruction; 0 for not at all. */
type Compiler = { viaIR: boolean; optimizerRuns: number };

/** The release's settings in foundry.toml; compiling the escrow so takes half a minute. */
export const releaseCompiler: Compiler = { viaIR: true, optimizerRuns: 2_000 };

/** The runtime code of the escrow, compiled in a second: without the optimizer. */
export function compileEscrow(patches: Patches): Promise<`0x${string}`> {
  return compileContract('PaymentEscrow', patches, { viaIR: false, optimizerRuns: 0 });
}

/**
 * The runtime code, as 0x hex, of a contract with some files' text replaced. Neither contract has immutables, so that this
 * code may be put at any address. Throws with the compiler's messages when the source does not compile.
 */
export function compileContract(
  name: 'PaymentEscrow' | 'PaymentBatch',
  patches: Patches,
  compiler: Compiler,
): Promise<`0x${string}`> {
  return compile({ file: `${name}.sol`, name }, patches, compiler);
}

/** The runtime code of a contract of the tests, compiled as the release is. */
export function compileTestContract(file: string, name: string): Promise<`0x${string}`> {
  return compile({ file: `test/${file}`, name }, {}, releaseCompiler);
}

async function compile(
  { file, name }: { file: string; name: string },
  patches: Patches,
  { viaIR, optimizerRuns }: Compiler,
): Promise<`0x${string}`> {
  const input = {
    language: 'Solidity',
    sources: await readSources(file, patches),
    settings: {
      evmVersion: 'prague',
      optimizer: { enabled: optimizerRuns > 0, runs: optimizerRuns },
      viaIR,
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      remappings: ['@openzeppelin/=node_modules/@openzeppelin/'],
      outputSelection: { [file]: { [name]: ['evm.deployedBytecode.object'] } },
    },
  };
  const output = Output.parse(JSON.parse(solc.compile(JSON.stringify(input))));
  const faults = output.errors.filter((fault) => fault.severity === 'error');
  if (faults.length > 0) throw new Error(faults.map((fault) => fault.formattedMessage).join('\n'));
  const code = output.contracts[file]?.[name]?.evm.deployedBytecode.object;
  if (code === undefined || code === '') throw new Error(`solc answered without the code of ${name}`);
  return `0x${code}`;
}

/** The file and everything that it imports, by the names that solc asks for. */
async function readSources(file: string, patches: Patches): Promise<Record<string, { content: string }>> {
  const sources: Record<string, { content: string }> = {};
  const queue = [file];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (sources[name] !== undefined) continue;
    if (Object.keys(sources).length >= maximumSources) throw new Error(`more than ${maximumSources} sources`);
    const inModules = name.startsWith('node_modules/');
    const place = inModules ? path.join(modules, name.slice('node_modules/'.length)) : path.join(contracts, name);
    const content = patches[name] ?? (await readFile(place, 'utf8'));
    sources[name] = { content };
    for (const match of content.matchAll(/^\s*import\b[^"';]*["']([^"']+)["'];/gm)) {
      const target = match[1] ?? '';
      if (target.startsWith('.')) queue.push(path.posix.join(path.posix.dirname(name), target));
      else queue.push(`node_modules/${target}`);
    }
  }
  return sources;
}
