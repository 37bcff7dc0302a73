import { openEvmNodes } from '../../src/chains/evm/nodes.ts';
import { loadRegistry } from '../../src/chains/registry.ts';
import type { RpcSettings } from '../../src/config/config.ts';
import { operate } from '../../src/operations/operate.ts';
import type { OperationsWorld } from '../../src/operations/operations-world.ts';

/** Runs one command like `npm run ops`, with the chains that `rpc` lists. */
export async function runOperation(
  world: Pick<OperationsWorld, 'database' | 'clock'>,
  args: readonly string[],
  rpc: readonly RpcSettings[] = [],
): Promise<{ code: number; printed: string; complained: string }> {
  const registry = loadRegistry({ rpc });
  const output = { printed: '', complained: '' };
  const code = await operate(
    {
      ...world,
      registry,
      nodes: openEvmNodes({ registry, rpc }),
      config: { rpc },
      keys: [],
      print: (text) => {
        output.printed += text;
      },
      complain: (text) => {
        output.complained += text;
      },
    },
    args,
  );
  return { code, ...output };
}
