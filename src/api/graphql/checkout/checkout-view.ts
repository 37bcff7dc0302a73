/** What a payer's page may see of a session, read in one statement or two. */
import type { AuthorizationMethod, Prisma } from '../../../../prisma/client.ts';
import { scopedDatabase } from '../../../auth/scoped-database.ts';
import { partiesOf } from '../../../checkout/evm/plan-evm-payment.ts';
import { shownRefunds } from '../payments/payer-refund.ts';
import { transfers } from '../payments/selections/transfer-selection.ts';
import type { World } from '../server/world.ts';

const shown = {
  app: { include: { merchant: { select: { name: true } }, payoutAddresses: true } },
  subscription: { include: { productPlanPrice: true, nextPlanPrice: true } },
  paymentIntent: {
    include: {
      dispute: { select: { id: true, status: true } },
      quotes: { where: { confirmedAt: { not: null } }, orderBy: { confirmedAt: 'desc' }, take: 1 },
      transactions: { where: { type: 'AUTHORIZE' }, orderBy: { createdAt: 'desc' }, take: 1 },
      deposits: transfers,
      refunds: shownRefunds,
      payouts: { where: { role: 'PAYER', deliveredAt: null }, orderBy: { creditedAt: 'asc' }, take: 100 },
    },
  },
} as const satisfies Prisma.CheckoutSessionInclude;

type ShownSession = Prisma.CheckoutSessionGetPayload<{ include: typeof shown }>;

export type ShownPayment = NonNullable<ShownSession['paymentIntent']> & { disputeSeconds: number };

/** An attempt of the payer that has not failed yet. */
export type Attempt = {
  quoteId: string;
  chainId: number;
  tokenKey: string;
  walletAddress: string;
  method: AuthorizationMethod;
  cryptoAmount: string;
  txHash: string | null;
  madeAt: Date;
  /** Null for a subscription's consent, which the gateway submits. */
  payBy: Date | null;
};

export type PayersView = {
  sessionId: string;
  session: ShownSession;
  payment: ShownPayment | null;
  attempt: Attempt | null;
  disputeSeconds: number;
  now: Date;
};

export async function readPayersView(world: World, sessionId: string): Promise<PayersView> {
  const database = scopedDatabase(world.database, { sessionId });
  const session = await database.checkoutSession.findUniqueOrThrow({ where: { id: sessionId }, include: shown });
  const disputeSeconds = disputeSecondsOf(world, session);
  return {
    sessionId,
    session,
    payment: session.paymentIntent && { ...session.paymentIntent, disputeSeconds },
    attempt: session.lastErrorCode === null ? await attemptOf(world, session) : null,
    disputeSeconds,
    now: world.clock.now(),
  };
}

/** Returns the dispute window of the terms: none without an arbiter, and never longer than the funds are held. */
function disputeSecondsOf(world: World, { app, paymentIntent }: ShownSession): number {
  if (BigInt(partiesOf(world).arbiter) === 0n) return 0;
  const { disputeStartDuration, timelockDuration } = paymentIntent ?? app;
  return Math.min(disputeStartDuration, timelockDuration);
}

async function attemptOf(world: World, session: ShownSession): Promise<Attempt | null> {
  if (session.mode === 'SUBSCRIPTION') return await signedConsent(world, session.id);
  const quote = session.paymentIntent?.quotes[0];
  // The payment's own `transfer` shows what a plain transfer has received. The payer may have confirmed it without sending it.
  if (!quote || quote.confirmedAt === null || isTransfer(quote.plan)) return null;
  const terms = await scopedDatabase(world.database, { sessionId: session.id }).paymentTerms.findUniqueOrThrow({
    where: { chainId_termsHash: { chainId: quote.chainId, termsHash: quote.termsHash } },
    select: { authorizeBy: true },
  });
  return {
    ...quote,
    quoteId: quote.id,
    cryptoAmount: quote.cryptoAmount.toFixed(0),
    txHash: quote.reportedTxHash,
    madeAt: quote.confirmedAt,
    payBy: terms.authorizeBy,
  };
}

/** Plans on Solana have a separate form. */
function isTransfer(plan: unknown): boolean {
  return typeof plan === 'object' && plan !== null && 'kind' in plan && plan.kind === 'transfer';
}

async function signedConsent(world: World, sessionId: string): Promise<Attempt | null> {
  const row = await scopedDatabase(world.database, { sessionId }).subscriptionConsent.findFirst({
    where: { sessionId, signedAt: { not: null } },
    orderBy: { signedAt: 'desc' },
  });
  if (!row || row.signedAt === null) return null;
  return { ...row, cryptoAmount: row.cryptoAmount.toFixed(0), txHash: null, madeAt: row.signedAt, payBy: null };
}
