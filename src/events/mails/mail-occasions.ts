/** The events about which mails are sent, with the facts that the mails state. One query reads all events of the same kind. */
import type { Database } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import type { Clock } from '../../platform/clock.ts';
import { printPrice } from '../../prices/money.ts';
import { printUnits } from '../../prices/quote.ts';
import type { ReactedEvent } from '../react.ts';
import type { DisputeStep, MailContent } from './mail-content.ts';
import type { MemberMailKind, PayerMailKind } from './mail-kind.ts';

export type MailOccasion = {
  appId: string;
  /** The event, or the payment: a payment that is captured again after a reorganization has one receipt. */
  source: string;
  resourceId: string;
  payerKind: PayerMailKind | null;
  memberKind: MemberMailKind | null;
  customer: { email: string | null; name: string | null; locale: string | null } | null;
  content: MailContent;
};

type Facts = { database: Database; registry: Registry; clock: Clock };
type OccasionApp = { id: string; name: string };
type TypedEvent = ReactedEvent & { data: Record<string, unknown> };

const customerFields = { select: { id: true, email: true, name: true, locale: true } } as const;

export async function occasionsOf(
  facts: Facts,
  { app, events }: { app: OccasionApp; events: readonly ReactedEvent[] },
): Promise<MailOccasion[]> {
  const rows = await facts.database.event.findMany({
    where: { appId: app.id, sequence: { in: events.map(({ sequence }) => sequence) } },
    select: { sequence: true, data: true },
  });
  const data = new Map(rows.map((row) => [row.sequence, asRecord(row.data)]));
  const typed = events.map((event) => ({ ...event, data: data.get(event.sequence) ?? {} }));
  const ofType = (...types: string[]) => typed.filter(({ type }) => types.includes(type));
  return [
    ...(await ofCaptures(facts, app, ofType('payment_intent.captured'))),
    ...(await ofRefunds(facts, app, ofType('payment_intent.refunded', 'payment_intent.partially_refunded'))),
    ...(await ofDisputes(facts, app, ofType(...stepsOfDisputes.keys()))),
    ...(await ofFailures(facts, app, ofType('subscription.payment_failed', 'subscription.past_due'))),
    ...ofType('webhook_endpoint.disabled').map((event) => ofDisabled(app, event)),
  ];
}

async function ofCaptures(facts: Facts, app: OccasionApp, events: readonly TypedEvent[]): Promise<MailOccasion[]> {
  const intents = await readIntents(
    facts,
    events.map(({ resourceId }) => resourceId),
  );
  const captures = await facts.database.transaction.findMany({
    where: { paymentIntentId: { in: [...intents.keys()] }, type: 'CAPTURE', amount: { not: null } },
  });
  return events.flatMap((event) => {
    const intent = intents.get(event.resourceId);
    if (!intent || intent.captureTxHash === null) return [];
    const capture = captures.find(
      ({ paymentIntentId, txHash }) => paymentIntentId === intent.id && txHash === intent.captureTxHash,
    );
    const captured = capture?.amount ?? intent.cryptoAmount;
    const isFullAmount = captured === null || intent.cryptoAmount === null || captured.equals(intent.cryptoAmount);
    const amount =
      isFullAmount || !intent.cryptoAmount
        ? printPrice(intent.amount)
        : intent.amount.times(captured).div(intent.cryptoAmount).toFixed(2);
    const items = intent.invoice?.items ?? intent.checkoutSessions[0]?.items ?? [];
    const { currency } = intent;
    const content: MailContent = {
      ...paymentContent(facts, app, intent),
      money: { amount, currency },
      ...tokenAmount(intent, captured),
      transaction: transactionOf(facts, intent.authorizationChainId, intent.captureTxHash),
      at: (intent.capturedAt ?? intent.updatedAt).toISOString(),
      // The lines add up to the whole amount only.
      lines: (isFullAmount ? items : []).slice(0, LINES_LIMIT).map((item) => ({
        text: `${item.quantity} × ${'name' in item ? item.name : item.description}`,
        money: { amount: item.amount.times(item.quantity).toFixed(2), currency },
      })),
      invoiceId: intent.invoice?.id ?? null,
      invoiceNumber: intent.invoice?.invoiceNumber ?? null,
    };
    return [
      {
        appId: app.id,
        source: `captured:${intent.id}`,
        resourceId: intent.id,
        payerKind: 'RECEIPT',
        memberKind: 'PAYMENT',
        customer: intent.customerAccount,
        content,
      },
    ];
  });
}

const LINES_LIMIT = 50;
/** How long the link in a mail about a failed renewal is valid. */
const LINK_MS = 30 * 86_400_000;

/** Only what the merchant refunded. What a dispute returns is part of the mail about its outcome. */
async function ofRefunds(facts: Facts, app: OccasionApp, events: readonly TypedEvent[]): Promise<MailOccasion[]> {
  const intents = await readIntents(
    facts,
    events.map(({ resourceId }) => resourceId),
  );
  const hashes = events.flatMap(({ data }) => textOf(data.refundTxHash) ?? []);
  const refunds = await facts.database.transaction.findMany({
    where: { paymentIntentId: { in: [...intents.keys()] }, txHash: { in: hashes }, type: 'REFUND' },
    include: { refund: { select: { reason: true } } },
  });
  return events.flatMap((event) => {
    const intent = intents.get(event.resourceId);
    const hash = textOf(event.data.refundTxHash);
    const refund = refunds.find(
      ({ paymentIntentId, txHash }) => paymentIntentId === event.resourceId && txHash === hash,
    );
    if (!intent || !refund || hash === null) return [];
    const content: MailContent = {
      ...paymentContent(facts, app, intent),
      ...tokenAmount(intent, refund.amount),
      transaction: transactionOf(facts, refund.chainId, hash),
      reason: refund.refund?.reason ?? textOf(event.data.refundReason),
      at: (refund.confirmedAt ?? refund.createdAt).toISOString(),
    };
    return [
      {
        appId: app.id,
        source: event.id,
        resourceId: intent.id,
        payerKind: 'REFUND',
        memberKind: null,
        customer: intent.customerAccount,
        content,
      },
    ];
  });
}

const stepsOfDisputes = new Map<string, DisputeStep>([
  ['dispute.opened', 'OPENED'],
  ['dispute.evidence_submitted', 'EVIDENCE_SUBMITTED'],
  ['dispute.deadline_approaching', 'DEADLINE_APPROACHING'],
  ['dispute.resolved', 'RESOLVED'],
]);

/** To both sides; evidence only to the side that has not submitted it. */
async function ofDisputes(facts: Facts, app: OccasionApp, events: readonly TypedEvent[]): Promise<MailOccasion[]> {
  const intents = await readIntents(
    facts,
    events.flatMap(({ data }) => textOf(data.paymentIntentId) ?? []),
  );
  return events.flatMap((event) => {
    const intent = intents.get(textOf(event.data.paymentIntentId) ?? '');
    const step = stepsOfDisputes.get(event.type);
    if (!intent || !step) return [];
    const { payerBps } = event.data;
    const submitter = step === 'EVIDENCE_SUBMITTED' ? asRecord(event.data.submission).party : null;
    const content: MailContent = {
      ...paymentContent(facts, app, intent),
      money: { amount: printPrice(intent.amount), currency: intent.currency },
      dispute: {
        id: event.resourceId,
        step,
        status: textOf(event.data.status) ?? '',
        deadline: textOf(event.data.deadline) ?? '',
        payerPercent: typeof payerBps === 'number' ? String(payerBps / 100) : null,
      },
      reason: textOf(event.data.reason),
    };
    return [
      {
        appId: app.id,
        source: event.id,
        resourceId: intent.id,
        payerKind: submitter === 'PAYER' ? null : 'DISPUTE',
        memberKind: submitter === 'MERCHANT' ? null : 'DISPUTE',
        customer: intent.customerAccount,
        content,
      },
    ];
  });
}

/** The first failure of a period, and the one that makes the subscription PAST_DUE. A final invoice renews nothing. */
async function ofFailures(facts: Facts, app: OccasionApp, events: readonly TypedEvent[]): Promise<MailOccasion[]> {
  const mailed = events.filter(
    ({ type, data }) =>
      data.status !== 'CANCELLED' && (type === 'subscription.past_due') !== (data.captureRetryCount === 1),
  );
  if (mailed.length === 0) return [];
  const subscriptions = await facts.database.subscription.findMany({
    where: { id: { in: mailed.map(({ resourceId }) => resourceId) } },
    include: { customerAccount: customerFields, productPlan: { select: { name: true } } },
  });
  const invoices = await facts.database.invoice.findMany({
    where: { id: { in: mailed.flatMap(({ data }) => textOf(data.invoiceId) ?? []) } },
  });
  return mailed.flatMap((event) => {
    const subscription = subscriptions.find(({ id }) => id === event.resourceId);
    const invoice = invoices.find(({ id }) => id === event.data.invoiceId);
    if (!subscription || !invoice) return [];
    const content: MailContent = {
      appName: app.name,
      plan: subscription.productPlan.name,
      money: { amount: invoice.total.toFixed(2), currency: invoice.currency },
      at: (invoice.periodStart ?? invoice.createdAt).toISOString(),
      cause: textOf(asRecord(event.data.lastError).code) ?? 'CHARGE_FAILED',
      nextAttemptAt: event.data.status === 'ACTIVE' ? textOf(event.data.nextAttemptAt) : null,
      isPastDue: event.data.status === 'PAST_DUE',
      invoiceId: invoice.id,
      invoiceNumber: invoice.invoiceNumber,
      subscriptionId: subscription.id,
      linkExpiresAt: new Date(facts.clock.now().getTime() + LINK_MS).toISOString(),
    };
    return [
      {
        appId: app.id,
        source: event.id,
        resourceId: subscription.id,
        payerKind: 'RENEWAL_FAILED',
        memberKind: 'RENEWAL_FAILED',
        customer: subscription.customerAccount,
        content,
      },
    ];
  });
}

function ofDisabled(app: OccasionApp, event: TypedEvent): MailOccasion {
  return {
    appId: app.id,
    source: event.id,
    resourceId: event.resourceId,
    payerKind: null,
    memberKind: 'WEBHOOK_DISABLED',
    customer: null,
    content: { appName: app.name, endpointUrl: textOf(event.data.url) ?? '' },
  };
}

async function readIntents({ database }: Facts, ids: readonly string[]) {
  const intents = await database.paymentIntent.findMany({
    where: { id: { in: [...new Set(ids)] } },
    include: {
      customerAccount: customerFields,
      invoice: { include: { items: { orderBy: { position: 'asc' } } } },
      checkoutSessions: {
        where: { status: 'COMPLETE' },
        take: 1,
        include: { items: { orderBy: { position: 'asc' } } },
      },
    },
  });
  return new Map(intents.map((intent) => [intent.id, intent]));
}

type ReadIntent = Awaited<ReturnType<typeof readIntents>> extends Map<string, infer Intent> ? Intent : never;

function paymentContent({ registry }: Facts, app: OccasionApp, intent: ReadIntent): MailContent {
  const chain = intent.authorizationChainId === null ? undefined : registry.chain(intent.authorizationChainId);
  return {
    appName: app.name,
    ...(chain ? { chain: chain.name } : {}),
    reference: intent.externalId,
    paymentIntentId: intent.id,
  };
}

/** Empty if the token is no longer registered. */
function tokenAmount(intent: ReadIntent, amount: { toFixed(places: number): string } | null): { token?: string } {
  const { cryptoTokenKey, cryptoTokenDecimals } = intent;
  if (amount === null || cryptoTokenKey === null || cryptoTokenDecimals === null) return {};
  const [symbol = ''] = cryptoTokenKey.split('-');
  return { token: `${printUnits(BigInt(amount.toFixed(0)), cryptoTokenDecimals)} ${symbol}` };
}

function transactionOf({ registry }: Facts, chainId: number | null, hash: string) {
  const explorer = chainId === null ? null : (registry.chain(chainId)?.explorerUrl ?? null);
  return { hash, url: explorer === null ? null : `${explorer.replace(/\/$/, '')}/tx/${hash}` };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
