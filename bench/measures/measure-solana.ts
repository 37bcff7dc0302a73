import { base58 } from '@scure/base';
import { Connection, Keypair, Transaction } from '@solana/web3.js';
import { z } from 'zod';
import { openGatewayClient } from '../../src/local/demo/gateway-client.ts';
import type { Bench } from '../bench.ts';
import { openLiveClient, untilCaptured } from '../load/follow-intent.ts';
import { percentile } from '../load/load.ts';

const LIMIT_MS = 60_000;
const LOOK_MS = 20;

const withId = z.object({ id: z.string() });
const preparedSchema = z.object({
  steps: z.tuple([z.object({ kind: z.literal('solanaTransaction'), transaction: z.string() })]),
});

/**
 * USDC payments on the local Solana, one at a time: from sending to the arrival of the state at a client, compared with the time until the
 * chain itself finalizes the payment, before which nothing is reported as done.
 */
export async function measureSolana({ installation, sizes, print }: Bench): Promise<string> {
  const { demo } = installation;
  const [payer] = demo.solana?.payers ?? [];
  const [token] = demo.solana?.tokens ?? [];
  if (!demo.solana || !payer || !token) throw new Error('The demo file names no Solana.');
  const { chainId, rpcUrl } = demo.solana;
  const gateway = openGatewayClient(demo, LIMIT_MS);
  const connection = new Connection(rpcUrl, 'confirmed');
  const keypair = Keypair.fromSecretKey(base58.decode(payer.secretKey));
  const client = openLiveClient(demo);
  const pushDelays: number[] = [];
  const finalized: number[] = [];
  try {
    for (let number = 0; number < sizes.payments; number += 1) {
      const body = { amount: '1.00', currency: 'USD' };
      const { id } = await gateway.call(withId, { method: 'POST', path: '/payments/intents', body });
      const opened = { method: 'POST', path: '/checkout-sessions', body: { paymentIntentId: id } } as const;
      const session = await gateway.call(withId, opened);
      const way = { chainId, tokenKey: token.key, walletAddress: payer.address, method: 'DIRECT' };
      const path = `/checkout-sessions/${session.id}/prepare`;
      const { steps } = await gateway.call(preparedSchema, { method: 'POST', path, body: way });
      const pushed = untilCaptured(client, id);
      const transaction = Transaction.from(Buffer.from(steps[0].transaction, 'base64'));
      transaction.partialSign(keypair);
      const sentAt = performance.now();
      const signature = await connection.sendRawTransaction(transaction.serialize());
      finalized.push((await untilFinalized(connection, signature)) - sentAt);
      pushDelays.push((await pushed) - sentAt);
    }
  } finally {
    await client.dispose();
  }
  const rows = [
    ['sent → finalized, by the chain', finalized],
    ['sent → CAPTURED at a graphql-ws client', pushDelays],
  ] as const;
  const printed = rows.map(
    ([name, spans]) => `| ${name} | ${percentile(spans, 50).toFixed(0)} | ${percentile(spans, 99).toFixed(0)} |`,
  );
  print(printed.join('\n'));
  return `| ${pushDelays.length} payments on the local Solana | p50 ms | p99 ms |\n|---|---:|---:|\n${printed.join('\n')}`;
}

async function untilFinalized(connection: Connection, signature: string): Promise<number> {
  const until = performance.now() + LIMIT_MS;
  for (;;) {
    const { value } = await connection.getSignatureStatuses([signature]);
    if (value[0]?.confirmationStatus === 'finalized') return performance.now();
    if (performance.now() > until) throw new Error(`${signature} was not finalized in time.`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
