import { expect } from 'vitest';
import { operate } from '../../../src/operations/operate.ts';
import type { OperationsWorld } from '../../../src/operations/operations-world.ts';

export type StuckRow = Record<
  'waitsFor' | 'cause' | 'of' | 'id' | 'appId' | 'amount' | 'unit' | 'since' | 'why' | 'do',
  string
> & { chainId: number };

/** Runs an operator command with a ground's database and chains. */
export async function runAt(
  world: Pick<OperationsWorld, 'database' | 'clock' | 'registry' | 'nodes'>,
  ...args: string[]
): Promise<{ code: number; printed: string; complained: string }> {
  const output = { printed: '', complained: '' };
  const code = await operate(
    {
      ...world,
      config: { rpc: [] },
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

/** The rows of `payments stuck`. */
export async function stuckAt(world: Parameters<typeof runAt>[0], ...args: string[]): Promise<StuckRow[]> {
  const answer = await runAt(world, 'payments', 'stuck', ...args, '--json');
  expect(answer).toMatchObject({ code: 0, complained: '' });
  const rows: StuckRow[] = JSON.parse(answer.printed);
  // Every row has a reason and instructions of one sentence each.
  for (const row of rows) {
    expect(row.why).toMatch(/\S/);
    expect(row.do).toMatch(/^[A-Z][^\n]*[^\s]$/);
    expect(Number.isNaN(Date.parse(row.since))).toBe(false);
  }
  return rows;
}
