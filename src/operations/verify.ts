/** `npm run verify -- <intentId> | --all [--json]`: compares the ledger with on-chain state. */
import type { Database } from '../../prisma/client.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Registry } from '../chains/registry.ts';
import type { SolanaNodes } from '../chains/solana/open-solana-nodes.ts';
import { GatewayError } from '../errors.ts';
import { openLogSource } from '../facts/log-source.ts';
import { describeCredit } from '../payments/verification/verify-credits.ts';
import { type ChainVerification, verifyOpenPayments } from '../payments/verification/verify-open-payments.ts';
import { type Verification, verifyPayment } from '../payments/verification/verify-payment.ts';
import type { Clock } from '../platform/clock.ts';
import { isId } from '../platform/identifier.ts';

type World = {
  database: Database;
  nodes: EvmNodes;
  solanaNodes?: SolanaNodes | undefined;
  registry: Registry;
  clock: Clock;
  /** Prints one line. */
  print(line: string): void;
};

/** Returns the exit code: 0 for a match, 1 for a drift, 2 for invalid arguments or a GatewayError. */
export async function verify(world: World, { args }: { args: readonly string[] }): Promise<number> {
  const json = args.includes('--json');
  const [what, ...rest] = args.filter((argument) => argument !== '--json');
  if (what === undefined || rest.length > 0 || (what !== '--all' && !isId(what))) {
    world.print('Usage: npm run verify -- <intentId> | --all  [--json]');
    return 2;
  }
  try {
    return what === '--all' ? await verifyAll(world, json) : await verifyOne(world, what, json);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    world.print(error.message);
    return 2;
  }
}

async function verifyOne(world: World, intentId: string, json: boolean): Promise<number> {
  const logs = openLogSource(world);
  const verification = await verifyPayment({ ...world, logs }, { intentId });
  for (const line of json ? [JSON.stringify(verification)] : describe(verification)) world.print(line);
  return verification.verdict === 'MATCH' ? 0 : 1;
}

function describe({ paymentIntentId, status, verdict, payments, faults }: Verification): string[] {
  return [
    `${verdict}  ${paymentIntentId}  ${status}`,
    ...faults.map((fault) => `  ${fault}`),
    ...payments.flatMap((payment) => [
      `  ${payment.accepted ? 'accepted' : 'other   '}  ${payment.termsHash}  chain ${payment.chainId}  ` +
        `${payment.status}  left ${payment.left} ${payment.tokenKey}`,
      ...payment.faults.map((fault) => `    ${fault}`),
    ]),
  ];
}

async function verifyAll(world: World, json: boolean): Promise<number> {
  const chains = await verifyOpenPayments(world);
  const sound = chains.every(
    (chain) => chain.drifts.length + chain.credits.length === 0 && chain.tokens.every((token) => token.covered),
  );
  const lines = json ? [JSON.stringify({ verdict: sound ? 'MATCH' : 'DRIFT', chains })] : chains.flatMap(describeChain);
  for (const line of lines) world.print(line);
  if (!json) world.print(sound ? 'MATCH' : 'DRIFT');
  return sound ? 0 : 1;
}

function describeChain(verification: ChainVerification): string[] {
  const { chainId, block, behindBlocks, payments, drifts, tokens, credits } = verification;
  const behind = behindBlocks === '0' ? '' : ` (${behindBlocks} confirmed blocks are not applied yet)`;
  return [
    `Chain ${chainId}, block ${block}${behind}: ${payments} open payments, ${drifts.length} drifts`,
    ...drifts.map(
      (drift) => `  ${drift.paymentIntentId}  ${drift.termsHash}  books ${drift.booked}  contract ${drift.left}`,
    ),
    ...tokens.map(
      (token) =>
        `  ${token.tokenKey.padEnd(16)} books ${token.booked.padStart(24)}  escrow ${token.balance.padStart(24)}` +
        (token.covered ? '' : '  NOT COVERED'),
    ),
    ...credits.map((credit) => `  ${describeCredit(credit)}`),
  ];
}
