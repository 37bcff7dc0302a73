/** Unmodified clients of `@x402/fetch` that buy calls. Some headers are sent twice, at once or later, to any server. */

import { setTimeout as delay } from 'node:timers/promises';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { privateKeyToAccount } from 'viem/accounts';
import { seeded } from '../../setup/database/seeded.ts';
import { type PaidHeader, present, readHeader, untilFinal } from './paid-header.ts';
import type { Payer } from './payers.ts';
import type { ResourceServers } from './resource-servers.ts';

export type Buying = {
  headers: readonly PaidHeader[];
  /** The number of calls that were served to the client that made them. */
  served(): number;
  /** For each served call, the milliseconds from the first request to the response. */
  durations: readonly number[];
  /** Final responses other than 402 to a call without a payment, and clients that gave up. */
  failures: ReadonlyMap<string, number>;
  /** The number of pending requests. */
  inFlight(): number;
  /** Resolves when the requested number of calls was made, `goOn` returns false, and every request has a response. */
  done: Promise<void>;
};

const OFTEN_SENT_AT_ONCE = 0.1;
const OFTEN_SENT_LATER = 0.1;
const LATER_MS = 10_000;
/** The number of headers that a client signs for one call before it gives up. */
const SIGNATURES_LIMIT = 3;

export function buyCalls(
  world: { payers: readonly Payer[]; servers: ResourceServers; seed: number; isOver: () => boolean },
  { calls, goOn }: { calls: number; goOn: () => boolean },
): Buying {
  const { payers, servers, seed, isOver } = world;
  const headers: PaidHeader[] = [];
  const durations: number[] = [];
  const failures = new Map<string, number>();
  const later: Promise<void>[] = [];
  let begun = 0;
  let served = 0;
  let inFlight = 0;
  const note = (reason: string) => failures.set(reason, (failures.get(reason) ?? 0) + 1);
  const counted = async <Result>(work: Promise<Result>): Promise<Result> => {
    inFlight += 1;
    return await work.finally(() => (inFlight -= 1));
  };

  const lane = async ({ privateKey }: Payer, index: number) => {
    const chance = seeded(seed * 1_000 + index);
    const anyOf = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item;
    // The spend controls do not support test tokens. Everything else is as the package exports it.
    const client = new x402Client()
      .register('eip155:*', new ExactEvmScheme(privateKeyToAccount(privateKey)))
      .setSpendControls({ allowedAssets: true });
    const buyOnce = async (): Promise<boolean> => {
      const [origin, other, route] = [anyOf(servers.origins), anyOf(servers.origins), anyOf(servers.routes)];
      const sort = chance();
      const copies: Promise<unknown>[] = [];
      let signed: PaidHeader | undefined;
      const send = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
        const value = new Request(input, init).headers.get('payment-signature');
        if (value === null) return await untilFinal(`${origin}${route}`, { repeated: new Map(), isOver });
        signed = readHeader(value, route);
        headers.push(signed);
        if (sort < OFTEN_SENT_AT_ONCE) copies.push(counted(present(signed, { origin: other, isOver })));
        return await present(signed, { origin, isOver });
      };
      const response = await counted(wrapFetchWithPayment(send as typeof fetch, client)(`${origin}${route}`));
      await Promise.all(copies);
      if (signed === undefined) note(`status ${response.status} without a payment`);
      else if (1 - sort < OFTEN_SENT_LATER)
        later.push(sendLater(signed, { origin: other, afterMs: chance() * LATER_MS }));
      return signed !== undefined && signed.served > 0;
    };
    while (!isOver() && (begun < calls || goOn())) {
      begun += 1;
      const since = performance.now();
      for (let signatures = 1; !isOver(); signatures += 1) {
        const isServed = await buyOnce().catch((error: unknown) => {
          note(error instanceof Error ? error.message : String(error));
          return false;
        });
        if (isServed) {
          served += 1;
          durations.push(performance.now() - since);
          break;
        }
        if (signatures === SIGNATURES_LIMIT) {
          note(`not served after ${SIGNATURES_LIMIT} payments`);
          break;
        }
        await delay(500);
      }
    }
  };

  const sendLater = async (header: PaidHeader, { origin, afterMs }: { origin: string; afterMs: number }) => {
    await delay(afterMs);
    if (!isOver()) await counted(present(header, { origin, isOver }));
  };

  const run = async () => {
    await Promise.all(payers.map(lane));
    await Promise.all(later);
  };
  return { headers, served: () => served, durations, failures, inFlight: () => inFlight, done: run() };
}
