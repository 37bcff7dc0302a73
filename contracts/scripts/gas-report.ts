import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { size } from 'viem';
import { batchCreationCode } from '../../src/escrow/batch/batch-bytecode.ts';
import { escrowCreationCode } from '../../src/escrow/escrow-bytecode.ts';
import { releasedBatchCode, releasedEscrowCode } from './released-code.ts';

/** The tables of docs/gas.md. */

export type Row = { operation: string; gas: bigint; target?: bigint };

/** What a chain lets a contract's code have (EIP-170). */
const MOST_BYTES = 24_576;

/** base/commerce-payments v1.0.0, measured on the same chain with the same token, amount and fee. */
const theirs = {
  preApprove: 55_338n,
  authorizePreApproved: 85_566n,
  authorizeReceive: 121_406n,
  capture: 66_154n,
  refund: 70_408n,
  void: 54_217n,
  reclaim: 54_285n,
};

function number(value: bigint | number): string {
  return value.toLocaleString('en-US');
}

function operations(rows: readonly Row[]): string {
  const lines = rows.map(({ operation, gas, target }) => {
    const met = target === undefined ? '' : gas <= target ? 'met' : `missed by ${number(gas - target)}`;
    return `| ${operation} | ${number(gas)} | ${target === undefined ? '' : `≤ ${number(target)}`} | ${met} |`;
  });
  return ['| operation | gas | target | |', '|---|---:|---:|---|', ...lines].join('\n');
}

/** Like with like: what takes a payment equally far. */
function comparison(rows: readonly Row[]): string {
  const ours = (...names: string[]) =>
    names.reduce((sum, name) => {
      const row = rows.find(({ operation }) => operation === name);
      if (row === undefined) throw new Error(`${name} was not measured.`);
      return sum + row.gas;
    }, 0n);
  const hold = { direct: 'authorize (DIRECT, hold)', receive: 'authorizeWithReceive (ERC-3009, hold)' };
  const settle = 'settle (with a fee)';
  const lines: [string, bigint, bigint | undefined][] = [
    ['hold by ERC-3009', ours(hold.receive), theirs.authorizeReceive],
    ['hold out of an allowance', ours(hold.direct), theirs.preApprove + theirs.authorizePreApproved],
    ['capture of all', ours('capture (all)'), theirs.capture],
    ['settle after the timelock', ours(settle), undefined],
    [
      '**hold by ERC-3009, capture, settle**',
      ours(hold.receive, 'capture (all)', settle),
      theirs.authorizeReceive + theirs.capture,
    ],
    [
      '**hold out of an allowance, capture, settle**',
      ours(hold.direct, 'capture (all)', settle),
      theirs.preApprove + theirs.authorizePreApproved + theirs.capture,
    ],
    ['refund of all', ours('refund (all)'), theirs.refund],
    ['void', ours('void'), theirs.void],
    ['reclaim', ours('reclaim'), theirs.reclaim],
  ];
  const cells = lines.map(([name, gas, reference]) => {
    const difference = reference === undefined ? '' : `${gas > reference ? '+' : ''}${number(gas - reference)}`;
    return `| ${name} | ${number(gas)} | ${reference === undefined ? 'none' : number(reference)} | ${difference} |`;
  });
  return ['| a payment of a token | Sluice | commerce-payments | difference |', '|---|---:|---:|---:|', ...cells].join(
    '\n',
  );
}

function sizes(): string {
  const contracts = [
    { name: 'PaymentEscrow', creation: size(escrowCreationCode), runtime: size(releasedEscrowCode()) },
    { name: 'PaymentBatch', creation: size(batchCreationCode), runtime: size(releasedBatchCode()) },
  ];
  const lines = contracts.map(
    ({ name, creation, runtime }) =>
      `| ${name} | ${number(creation)} | ${number(runtime)} | ${number(MOST_BYTES - runtime)} |`,
  );
  return [
    `| contract | creation code (bytes) | runtime code (bytes) | below the limit of ${number(MOST_BYTES)} |`,
    '|---|---:|---:|---:|',
    ...lines,
  ].join('\n');
}

/** Writes the tables between their marks; with `check` it writes nothing and throws if one has changed. */
export async function report(rows: readonly Row[], { check }: { check: boolean }): Promise<void> {
  const file = fileURLToPath(new URL('../../docs/gas.md', import.meta.url));
  const current = await readFile(file, 'utf8');
  let next = current;
  for (const [name, table] of [
    ['operations', operations(rows)],
    ['comparison', comparison(rows)],
    ['sizes', sizes()],
  ] as const) {
    process.stdout.write(`${table}\n\n`);
    const [before, rest] = halves(next, `<!-- ${name} -->`);
    const [, after] = halves(rest, '<!-- end -->');
    next = `${before}<!-- ${name} -->\n${table}\n<!-- end -->${after}`;
  }
  if (!check) await writeFile(file, next);
  else if (next !== current) throw new Error('docs/gas.md differs: run node contracts/scripts/gas.ts');
}

function halves(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  if (at < 0) throw new Error(`docs/gas.md lacks ${mark}.`);
  return [text.slice(0, at), text.slice(at + mark.length)];
}
