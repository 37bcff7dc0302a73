/** Payments of every kind, with the facts and the books that the gateway keeps of them: the same for the same seed. */
import type { Prisma } from '../../../prisma/client.ts';
import { type EscrowEvent, toAbiJson } from '../../../src/escrow/escrow-event.ts';
import type { PaymentEvent, PaymentFact } from '../../../src/payments/fold.ts';
import { type LedgerLine, missingLines, missingOf } from '../../../src/payments/ledger.ts';
import { type Claim, type Credit, foldPayouts } from '../../../src/payments/payouts/payout.ts';
import { bookingsOfPayouts } from '../../../src/payments/payouts/payout-bookings.ts';
import { toDecimal } from '../../../src/prices/base-units.ts';
import { seeded } from '../../setup/database/seeded.ts';

export const START = new Date('2026-03-01T00:00:00Z');
const STEP_MS = 61_000;
const MS = 1000;
const ESCROW = `0x${'e5'.repeat(20)}` as const;
const tokens = [
  { tokenKey: 'USDC-31337', address: `0x${'aa'.repeat(20)}`, decimals: 6, cents: 10_000n },
  { tokenKey: 'ETH-31337', address: `0x${'00'.repeat(20)}`, decimals: 18, cents: 4_000_000_000_000n },
] as const;

export const stories = [
  'created',
  'held',
  'voided',
  'reclaimed',
  'captured',
  'captured in part',
  'refunded in part',
  'refunded',
  'settled',
  'resolved',
  'credited',
  'claimed',
  'reversed',
  'mined again',
] as const;
export type Story = (typeof stories)[number];

export type Rows = {
  intents: Prisma.PaymentIntentCreateManyInput[];
  terms: Prisma.PaymentTermsCreateManyInput[];
  facts: Prisma.ChainFactCreateManyInput[];
  entries: Prisma.LedgerEntryCreateManyInput[];
  payouts: Prisma.CreditedPayoutCreateManyInput[];
  transactions: Prisma.TransactionCreateManyInput[];
};

type Fact = PaymentFact & { event: PaymentEvent };

/** Returns the rows of `count` payments of an app, one scenario after the other. `first` is the number of the first payment. */
export function mixedPayments(request: { appId: string; count: number; seed: number; first?: number }): Rows {
  const random = seeded(request.seed);
  const rows: Rows = { intents: [], terms: [], facts: [], entries: [], payouts: [], transactions: [] };
  for (let index = 0; index < request.count; index++) {
    const number = (request.first ?? 0) + index;
    addPayment(rows, { appId: request.appId, number, story: stories[index % stories.length] ?? 'created', random });
  }
  return rows;
}

const hex = (number: number, kind: string) =>
  `0x${kind}${number.toString(16).padStart(64 - kind.length, '0')}` as const;
const uuid = (kind: string, number: number) =>
  `01980000-${kind}-7000-8000-${number.toString(16).padStart(12, '0')}` as const;
const addressOf = (kind: string, number: number) => `0x${kind}${number.toString(16).padStart(38, '0')}` as const;

function addPayment(
  rows: Rows,
  { appId, number, story, random }: { appId: string; number: number; story: Story; random: () => number },
): void {
  const token = tokens[Math.floor(random() * tokens.length)] ?? tokens[0];
  const cents = BigInt(1000 + Math.floor(random() * 99_000));
  const amount = cents * token.cents + BigInt(Math.floor(random() * 900));
  const part = (amount * BigInt(1 + Math.floor(random() * 98))) / 100n;
  const fee = (units: bigint) => units / 100n;
  const [intentId, termsHash] = [uuid('0001', number), hex(number, 'a1')];
  const parties = { payer: addressOf('11', number), merchant: addressOf('22', number % 7) } as const;
  const feeRecipient = addressOf('33', 1);
  const terms = {
    intentId: `0x${intentId.replaceAll('-', '').padStart(64, '0')}`,
    ...parties,
    token: token.address,
    amount: String(amount),
    authorizeBy: '1900000000',
    captureBy: '1900000000',
    timelock: '5',
    disputeWindow: '5',
    disputeTimeout: '5',
    timeoutPayerBps: '5000',
    feeBps: '100',
    feeRecipient,
    operator: addressOf('44', 1),
    arbiter: addressOf('55', 1),
    quoteHash: hex(number, 'b1'),
    captureOnAuthorize: false,
  };
  const of = { id: termsHash, intentId: terms.intentId, payer: parties.payer } as const;
  const start = START.getTime() + number * STEP_MS;
  const place = (step: number) => ({
    chainId: 31337,
    blockNumber: BigInt(number * 10 + step + 1),
    blockHash: hex(number * 10 + step, 'c1'),
    blockTimestamp: BigInt(Math.floor(start / MS) + step),
    txHash: hex(number * 10 + step, 'd1'),
    logIndex: step,
  });
  const steps = eventsOf(story, { of, terms, amount, part, fee });
  const facts = steps.map((event, step) => ({ ...place(step), event }) as unknown as Fact);
  const settlement = facts.at(-1);
  const credits: Credit[] = [];
  const claims: Claim[] = [];
  if (settlement && (story === 'credited' || story === 'claimed')) {
    const event = settlement.event as { merchantAmount: bigint };
    const owner = { recipient: parties.merchant, token: token.address };
    const at = { ...settlement, logIndex: 50 };
    credits.push({ ...placeOf(at), ...owner, termsHash, role: 'MERCHANT', amount: event.merchantAmount, keptAt: null });
    // The claim of another payment of the same merchant may come first; it is of the same account.
    if (story === 'claimed') {
      claims.push({ ...place(9), ...owner, to: parties.merchant, amount: event.merchantAmount });
    }
  }
  const booked = bookedLines(story, facts, foldPayouts(credits, claims));
  addRows(rows, {
    intentId,
    appId,
    number,
    story,
    token,
    cents,
    amount,
    terms,
    termsHash,
    facts,
    credits,
    claims,
    booked,
    start,
  });
}

type PaymentEvents = { of: object; terms: object; amount: bigint; part: bigint; fee: (units: bigint) => bigint };

function eventsOf(story: Story, { of, terms, amount, part, fee }: PaymentEvents): object[] {
  const authorized = { kind: 'Authorized', ...of, left: amount, terms: { ...terms, amount } };
  const captured = { kind: 'Captured', ...of, left: amount, captured: amount, returned: 0n };
  const settled = (units: bigint) => ({
    kind: 'Settled',
    ...of,
    left: 0n,
    merchantAmount: units - fee(units),
    feeAmount: fee(units),
  });
  const refunded = (units: bigint) => ({ kind: 'Refunded', ...of, left: amount - units, amount: units });
  const some = part === 0n ? 1n : part;
  switch (story) {
    case 'created':
      return [];
    case 'held':
    case 'reversed':
      return [authorized];
    case 'voided':
      return [authorized, { kind: 'Voided', ...of, left: 0n, amount }];
    case 'reclaimed':
      return [authorized, { kind: 'Reclaimed', ...of, left: 0n, amount }];
    case 'captured':
      return [authorized, captured];
    case 'captured in part':
      return [authorized, { ...captured, left: some, captured: some, returned: amount - some }, settled(some)];
    case 'refunded in part':
      return [authorized, captured, refunded(some), settled(amount - some)];
    case 'refunded':
      return [authorized, captured, refunded(amount)];
    case 'resolved':
      return [
        authorized,
        captured,
        { kind: 'Disputed', ...of, left: amount },
        {
          kind: 'Resolved',
          ...of,
          left: 0n,
          resolution: 'ARBITER',
          payerBps: 5000,
          payerAmount: some,
          merchantAmount: amount - some - fee(amount - some),
          feeAmount: fee(amount - some),
        },
      ];
    default:
      return [authorized, captured, settled(amount)];
  }
}

/** The lines in the order in which the gateway books them: steps, what reorganizations take and give back, then payouts. */
function bookedLines(story: Story, facts: readonly Fact[], payouts: ReturnType<typeof foldPayouts>): LedgerLine[][] {
  const booked: LedgerLine[][] = [];
  const book = (lines: LedgerLine[]) => booked.push(lines);
  const all = () => booked.flat().map((line) => ({ ...line, amount: toDecimal(line.amount) }));
  for (let count = 1; count <= facts.length; count++) book(missingLines(all(), facts.slice(0, count)));
  if (story === 'reversed' || story === 'mined again') book(missingLines(all(), []));
  if (story === 'mined again') book(missingLines(all(), facts));
  if (payouts.length > 0) book(missingOf([], bookingsOfPayouts(payouts)));
  return booked.filter((lines) => lines.length > 0);
}

type Made = {
  intentId: string;
  appId: string;
  number: number;
  story: Story;
  token: (typeof tokens)[number];
  cents: bigint;
  amount: bigint;
  terms: Record<string, string | boolean>;
  termsHash: string;
  facts: readonly Fact[];
  credits: readonly Credit[];
  claims: readonly Claim[];
  booked: readonly LedgerLine[][];
  start: number;
};

function addRows(rows: Rows, made: Made): void {
  const { intentId, appId, number, story, token, terms, termsHash, facts, booked, start } = made;
  const stands = story !== 'reversed' && facts.length > 0;
  const { payer, merchant } = { payer: String(terms.payer), merchant: String(terms.merchant) };
  const status = stands ? 'CONFIRMED' : 'ORPHANED';
  rows.intents.push({
    id: intentId,
    appId,
    amount: `${made.cents / 100n}.${String(made.cents % 100n).padStart(2, '0')}`,
    currency: number % 3 === 0 ? 'EUR' : 'USD',
    captureMode: 'MANUAL',
    timelockDuration: 5,
    disputeStartDuration: 5,
    platformFeeBps: 100,
    externalId: `order ${number}`,
    status: stands ? intentStatus[story] : 'CREATED',
    createdAt: new Date(start),
    ...(stands
      ? {
          authorizationChainId: 31337,
          authorizationTokenKey: token.tokenKey,
          authorizationWalletAddress: payer,
          authorizationTxHash: facts[0]?.txHash ?? null,
          authorizedAt: new Date(start),
          cryptoAmount: toDecimal(made.amount),
          cryptoTokenKey: token.tokenKey,
          cryptoTokenDecimals: token.decimals,
          exchangeRate: '1',
          acceptedTermsHash: termsHash,
          leftAmount: toDecimal(facts.at(-1)?.event.left ?? 0n),
        }
      : {}),
  });
  rows.terms.push({
    termsHash,
    chainId: 31337,
    paymentIntentId: intentId,
    tokenKey: token.tokenKey,
    method: 'DIRECT',
    terms,
    operatorSignature: '0x',
    exchangeRate: '1',
    authorizeBy: new Date(start),
    createdAt: new Date(start),
  });
  for (const { event, ...place } of facts) {
    rows.facts.push({ ...place, ...inInbox(event as EscrowEvent), ref: termsHash, status });
  }
  for (const credit of made.credits) {
    const { recipient, amount, token: address } = credit;
    const args = { id: termsHash, recipient, token: address, amount: String(amount), role: '1' };
    rows.facts.push({ ...placeOf(credit), address: ESCROW, kind: 'Credited', ref: termsHash, args, status });
  }
  for (const claim of made.claims) {
    const { recipient, token: address, to, amount } = claim;
    const args = { recipient, token: address, to, amount: String(amount) };
    rows.facts.push({ ...placeOf(claim), address: ESCROW, kind: 'Claimed', ref: null, args, status });
  }
  let line = 0;
  for (const [step, lines] of booked.entries()) {
    for (const { amount, ...entry } of lines) {
      rows.entries.push({
        ...entry,
        id: uuid('0002', number * 100 + line++),
        paymentIntentId: intentId,
        termsHash,
        tokenKey: token.tokenKey,
        amount: toDecimal(amount),
        createdAt: new Date(start + step * MS),
      });
    }
  }
  for (const credit of made.credits) rows.payouts.push(payoutRow(made, credit, merchant));
  if (stands && facts.length > 1) {
    rows.transactions.push({
      id: uuid('0003', number),
      paymentIntentId: intentId,
      chainId: 31337,
      type: 'CAPTURE',
      status: 'CONFIRMED',
      termsHash,
      txHash: facts[1]?.txHash ?? null,
      gasCostWei: String(30_000_000_000_000 + number),
      gasCostUsd: number % 5 === 0 ? null : '0.081234567890123456',
      createdAt: new Date(start),
      confirmedAt: new Date(start + MS),
    });
  }
}

const intentStatus: { [Each in Story]: Prisma.PaymentIntentCreateManyInput['status'] & string } = {
  created: 'CREATED',
  held: 'AUTHORIZED',
  voided: 'CANCELLED',
  reclaimed: 'CANCELLED',
  captured: 'CAPTURED',
  'captured in part': 'SETTLED',
  'refunded in part': 'SETTLED',
  refunded: 'REFUNDED',
  settled: 'SETTLED',
  resolved: 'SETTLED',
  credited: 'SETTLED',
  claimed: 'SETTLED',
  reversed: 'CREATED',
  'mined again': 'SETTLED',
};

function payoutRow({ intentId, token, claims, number }: Made, credit: Credit, recipient: string) {
  const [claim] = claims;
  return {
    id: uuid('0004', number),
    paymentIntentId: intentId,
    chainId: 31337,
    termsHash: credit.termsHash,
    role: 'MERCHANT' as const,
    recipient,
    token: token.address,
    tokenKey: token.tokenKey,
    amount: toDecimal(credit.amount),
    txHash: credit.txHash,
    blockNumber: credit.blockNumber,
    blockHash: credit.blockHash,
    logIndex: credit.logIndex,
    creditedAt: new Date(Number(credit.blockTimestamp) * MS),
    nextTryAt: new Date(Number(credit.blockTimestamp) * MS),
    ...(claim
      ? {
          deliveredTo: claim.to,
          deliveredTxHash: claim.txHash,
          deliveredBlockNumber: claim.blockNumber,
          deliveredBlockHash: claim.blockHash,
          deliveredLogIndex: claim.logIndex,
          deliveredAt: new Date(Number(claim.blockTimestamp) * MS),
        }
      : {}),
  };
}

function inInbox(event: EscrowEvent): { kind: string; address: string; args: Prisma.InputJsonObject } {
  const { kind, ...args } = event;
  const json = toAbiJson({ ...args, ...('resolution' in args ? { resolution: 0 } : {}) });
  return { kind, address: ESCROW, args: json as Prisma.InputJsonObject };
}

function placeOf({ chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex }: Fact | Credit | Claim) {
  return { chainId, blockNumber, blockHash, blockTimestamp, txHash, logIndex };
}
