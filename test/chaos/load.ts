/** The mixed load of a run: the payers, the merchants, the subscribers, and how all pending work is completed at the end. */
import { setTimeout as delay } from 'node:timers/promises';
import { type Address, getAddress, keccak256, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Demo } from '../../src/local/demo-file.ts';
import { localAccounts } from '../../src/local/local-accounts.ts';
import { furnishChain } from '../../src/local/set-up/furnish-chain.ts';
import { seeded } from '../setup/database/seeded.ts';
import { freePort } from '../setup/free-port.ts';
import { countBy, type Evidence, isFinal, missingOf, readIntents } from './evaluate-run.ts';
import { followEvents } from './live-feed.ts';
import type { Ground } from './open-ground.ts';
import { type Holdings, readHoldings } from './read-chain.ts';
import { openReceivers, readEvents, receiverKinds } from './receivers.ts';
import { openShops, type Shop } from './shops.ts';
import { planStory, runStory, type Story } from './stories.ts';
import { subscribe } from './subscriber.ts';
import { openWallet, type Wallet } from './wallet.ts';

export type Load = {
  shops: readonly Shop[];
  /** A shop and a dedicated wallet on the chain, for measuring recovery. */
  probe(chainId: number): { shop: Shop; wallet: Wallet };
  /** Starts no new stories, and waits until all pending ones have ended. Returns what did not end within the limit. */
  end(request: { limitMs: number }): Promise<string[]>;
  evidence(): Evidence;
  facts(): string[];
  close(): void;
};

const WALLETS_PER_CHAIN = 2;
/** Blocks after which a local chain is final. */
const FINAL_BLOCKS = 20;
const LOOK_EVERY_MS = 2_000;

type Payers = { lanes: Wallet[]; probes: Map<number, Wallet>; subscriber: Wallet; addresses: Address[] };

export async function openLoad(
  ground: Ground,
  { seed, print }: { seed: number; print: (line: string) => void },
): Promise<Load> {
  const payers = await openPayers(ground.demo, seed);
  const payout = privateKeyToAccount(keyOf(seed, 'payout')).address;
  const known = await openShops(ground, payout);
  const { shops, answers } = known;
  const receivers = await openReceivers(shops, { port: await freePort() });
  const feeds = new Map(shops.map((shop) => [shop.appId, followEvents(ground.demo, shop)]));
  const before = await holdingsOf(ground.demo, [...payers.addresses, payout]);
  const stories: Story[] = [];
  const rests: Promise<void>[] = [];
  let ending = false;
  let paidPeriods = 0;
  const [first] = shops;
  if (!first) throw new Error('There is no shop.');
  const subscriber = await subscribe(first, payers.subscriber);
  print('A subscription by the minute is active; the load begins.');

  const lane = async (wallet: Wallet, index: number) => {
    const chance = seeded(seed * 1_000 + index);
    while (!ending) {
      const plan = planStory(chance, shops);
      const story: Story = { plan, chainId: wallet.chainId, startedAt: new Date() };
      stories.push(story);
      const { rest } = await runStory(known, { plan, wallet, story });
      rests.push(
        rest.then(() => {
          story.isOver = true;
        }),
      );
      await delay(plan.pauseMs);
    }
  };
  const lanes = payers.lanes.map(lane);
  const evidence = (): Evidence => ({ ground, shops, stories, receivers, feeds, payers: payers.addresses, before });
  return {
    shops,
    probe(chainId) {
      const wallet = payers.probes.get(chainId);
      if (!wallet) throw new Error(`There is no wallet on chain ${chainId}.`);
      return { shop: first, wallet };
    },
    async end({ limitMs }) {
      ending = true;
      const over = Promise.all(lanes).then(() => Promise.all(rests));
      await Promise.race([over, delay(limitMs, undefined, { ref: false })]);
      const open = stories.filter((story) => !story.isOver).map(({ plan, intentId }) => `${plan.kind} of ${intentId}`);
      const reasons = open.length === 0 ? [] : [`These stories did not end: ${open.join(', ')}.`];
      paidPeriods = await subscriber.end();
      return [...reasons, ...(await comeToRest(evidence(), { arbiter: known.arbiter, limitMs }))];
    },
    evidence,
    facts: () => [
      `Stories: ${countBy(stories, ({ plan }) => plan.kind)}.`,
      `Stories that ended early: ${
        countBy(
          stories.filter((one) => one.refusal !== undefined),
          (one) => one.refusal ?? '',
        ) || 'none'
      }.`,
      `Periods that the subscription paid: ${paidPeriods}.`,
      `Answers of the API: ${[...answers].map(([kind, times]) => `${times} ${kind}`).join(', ')}.`,
      `Connections of the live feeds: ${[...feeds.values()].map((feed) => feed.connections()).join(', ')}.`,
    ],
    close() {
      for (const feed of feeds.values()) feed.close();
      for (const wallet of [...payers.lanes, ...payers.probes.values(), payers.subscriber]) wallet.close();
      void receivers.close();
    },
  };
}

async function openPayers(demo: Demo, seed: number): Promise<Payers> {
  const lanes: Wallet[] = [];
  const probes = new Map<number, Wallet>();
  const subscribers: Wallet[] = [];
  for (const chain of demo.chains) {
    const named = (name: string) => openWallet(chain, keyOf(seed, `${name} ${chain.chainId}`));
    const ofLanes = Array.from({ length: WALLETS_PER_CHAIN }, (_, index) => named(`payer ${index}`));
    const probe = named('probe');
    const subscriber = named('subscriber');
    lanes.push(...ofLanes);
    probes.set(chain.chainId, probe);
    subscribers.push(subscriber);
    const fund = [...ofLanes, probe, subscriber].map(({ address }) => address);
    await furnishChain({ rpcUrl: chain.rpcUrl, chainId: chain.chainId, fund });
    // The initial balances must survive every reorganization.
    await rpc(chain.rpcUrl, 'anvil_mine', [toHex(FINAL_BLOCKS)]);
  }
  const [subscriber] = subscribers;
  if (!subscriber) throw new Error('There is no chain.');
  const all = [...lanes, ...probes.values(), ...subscribers];
  return { lanes, probes, subscriber, addresses: all.map(({ address }) => getAddress(address)) };
}

async function holdingsOf(demo: Demo, own: readonly Address[]): Promise<Map<number, Holdings>> {
  const holdings = new Map<number, Holdings>();
  for (const chain of demo.chains) {
    const accounts = [
      ...own,
      localAccounts.merchant.address,
      localAccounts.feeRecipient.address,
      getAddress(chain.escrow),
    ];
    holdings.set(chain.chainId, await readHoldings(chain, accounts));
  }
  return holdings;
}

/**
 * Waits until every intent is in a final state and every event has reached webhooks and feeds. Cancels unpaid intents, voids remaining
 * authorizations, and resolves open disputes in favor of the merchant.
 */
async function comeToRest(
  { shops, stories, receivers, feeds }: Evidence,
  { arbiter, limitMs }: { arbiter: Shop['client']; limitMs: number },
): Promise<string[]> {
  const deadline = performance.now() + limitMs;
  const waitsFor = new Set<string>();
  const confirmed = new Set(stories.filter((story) => story.confirmed).map(({ intentId }) => intentId));
  const asked = new Set<string>();
  while (performance.now() < deadline) {
    waitsFor.clear();
    for (const shop of shops) {
      const intents = await readIntents(shop);
      const open = intents.filter((intent) => !isFinal(intent));
      if (open.length > 0) waitsFor.add(`${shop.name}: ${countBy(open, ({ status }) => status)}`);
      for (const { id, status, disputeId } of open) {
        const isWaiting = status === 'AUTHORIZED' || (status === 'CREATED' && !confirmed.has(id));
        const path = disputeId ? `/disputes/${disputeId}/resolve` : `/payments/intents/${id}/cancel`;
        if ((!isWaiting && disputeId === null) || asked.has(path)) continue;
        const client = disputeId ? arbiter : shop.client;
        const body = disputeId ? { payerBps: 0 } : {};
        asked.add(path);
        await client.call(z.unknown(), { method: 'POST', path, body }).catch(() => undefined);
      }
      const events = await readEvents(shop);
      for (const kind of receiverKinds) {
        const missing = missingOf(shop, events, { receivers, kind });
        if (missing.length > 0) waitsFor.add(`${shop.name}: ${missing.length} webhooks to the ${kind} receiver`);
      }
      if (feeds.get(shop.appId)?.last() !== events.at(-1)?.sequence) waitsFor.add(`${shop.name}: the live feed`);
    }
    if (waitsFor.size === 0) return [];
    await delay(LOOK_EVERY_MS);
  }
  return [`Work was still pending after ${limitMs / 60_000} minutes: ${[...waitsFor].join('; ')}.`];
}

function keyOf(seed: number, name: string) {
  return keccak256(toHex(`chaos ${seed} ${name}`));
}

async function rpc(url: string, method: string, params: unknown[]): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  if (!answer.ok) throw new Error(`${method} was answered with ${answer.status}.`);
}
