import type { Address, Hex } from 'viem';
import type { Prisma, SubscriptionConsent } from '../../../prisma/client.ts';
import { contractAddress, type Token } from '../../chains/chain.ts';
import { isSignedOnChain } from '../../chains/evm/signature.ts';
import { signedDigest } from '../../checkout/authorization-plan.ts';
import { approveSteps } from '../../checkout/payment-step.ts';
import { consentFromJson, consentTypedData } from '../../escrow/consent.ts';
import { toBigInt } from '../../prices/base-units.ts';
import { type ChargeWorld, hexOf, placeOf, quoteCharge } from '../charge/prepare-charge.ts';
import { allowanceFor } from '../consent/recurring-consent.ts';
import { obstacleOf } from '../renewal/charging/plan-charges.ts';
import { readPayer } from '../renewal/charging/read-payer.ts';
import { wantedCharge } from '../renewal/charging/wanted-charge.ts';
import { passingCause, payerCause, type RenewalCause, renewalCauseCodes } from '../renewal/renewal-cause.ts';
import { renewalIncludes } from '../renewal/renewal-world.ts';

export type RepairWorld = Pick<ChargeWorld, 'database' | 'clock' | 'registry' | 'nodes' | 'prices'>;

const included = {
  paymentIntent: true,
  subscription: { include: renewalIncludes },
  renewalAttempts: { orderBy: { id: 'desc' }, take: 1 },
} as const satisfies Prisma.InvoiceInclude;

/** The invoice of a renewal with all that a repair needs. */
export type FailedInvoice = Prisma.InvoiceGetPayload<{ include: typeof included }>;
type OfSubscription = FailedInvoice & { subscription: NonNullable<FailedInvoice['subscription']> };

/** What a wallet lacks; amounts in base units. `escrow` is the contract that the wallet allows to charge it. */
export type Figures = {
  token: Token;
  escrow: Address;
  walletAddress: string;
  chainId: number;
  needed: bigint;
  cap: bigint;
  allowance: bigint;
  balance: bigint;
};

export type RenewalRepair =
  | { kind: 'PAID' }
  /** Nothing can be repaired: the invoice is closed, or the subscription is not running. */
  | { kind: 'ENDED' }
  /** A charge is pending, or is about to be made. */
  | { kind: 'UNDER_WAY' }
  /** `cause` is null if it no longer applies. `figures` are null if the chain or the price cannot be read now; `cause` is then the last one. */
  | { kind: 'OPEN'; cause: RenewalCause | null; figures: Figures | null };

/** An allowance that lets the present consent be charged again, and the transactions of the payer's wallet that grant it, in order. */
export type Approval = { amount: bigint; transactions: { to: Address; data: Hex }[] };

/** The same allowance that a payer grants with a consent, so that renewals do not soon fail again. */
export function approvalFor({ token, escrow, chainId, cap, allowance }: Figures): Approval {
  const amount = allowanceFor(cap, allowance);
  const steps = approveSteps({ chainId, escrow, token, amount, allowance, description: '' });
  const to = contractAddress(token);
  return {
    amount,
    transactions: steps.flatMap((step) => (step.kind === 'transaction' ? [{ to, data: step.data }] : [])),
  };
}

/** Null if there is no such invoice, or if it does not belong to a renewal. */
export async function findFailedInvoice(
  { database }: Pick<RepairWorld, 'database'>,
  id: string,
): Promise<OfSubscription | null> {
  const invoice = await database.invoice.findUnique({ where: { id, status: { not: 'DRAFT' } }, include: included });
  if (!invoice?.subscription || invoice.usageReason !== null) return null;
  return { ...invoice, subscription: invoice.subscription };
}

/** What can be done about the invoice of a renewal, according to the current state of the chain. */
export async function readRepair(world: RepairWorld, invoice: OfSubscription): Promise<RenewalRepair> {
  const { status, subscription } = invoice;
  if (status === 'PAID') return { kind: 'PAID' };
  const isRunning = subscription.status === 'ACTIVE' || subscription.status === 'PAST_DUE';
  if (!isRunning || (status !== 'OPEN' && status !== 'PAST_DUE')) return { kind: 'ENDED' };
  if (isUnderWay(invoice)) return { kind: 'UNDER_WAY' };
  return await evaluateRepair(world, invoice);
}

function isUnderWay({ subscription, renewalAttempts: [last] }: OfSubscription): boolean {
  if (!last || last.endedAt === null) return true;
  if (last.consentId !== null && last.consentId !== subscription.consentId) return true;
  return subscription.retryRequestedAt !== null && subscription.retryRequestedAt > last.endedAt;
}

async function evaluateRepair(world: RepairWorld, invoice: OfSubscription): Promise<RenewalRepair> {
  const { subscription, paymentIntent: intent } = invoice;
  const { consent } = subscription;
  if (!consent || !intent) return { kind: 'OPEN', cause: lastCause(invoice), figures: null };
  const obstacle = obstacleOf({ subscription, consent });
  if (obstacle) return { kind: 'OPEN', cause: obstacle, figures: null };
  try {
    const { token, escrow } = placeOf(world.registry, consent);
    const [{ cryptoAmount: needed }, payer] = await Promise.all([
      quoteCharge(world, { intent, token }),
      readPayer(world, consent),
    ]);
    const { walletAddress, chainId } = consent;
    const { allowance, balance } = payer;
    const cap = toBigInt(consent.capPerPeriod);
    const wanted = wantedCharge(world, { subscription, consent, amount: needed, now: world.clock.now() });
    const cause = payerCause(wanted, payer) ?? ((await isStillSigned(world, consent)) ? null : unsigned(consent));
    const figures = { token, escrow, walletAddress, chainId, needed, cap, allowance, balance };
    return { kind: 'OPEN', cause, figures };
  } catch (error) {
    if (passingCause(error) === null) throw error;
    return { kind: 'OPEN', cause: lastCause(invoice), figures: null };
  }
}

/** A contract wallet may no longer accept its own signature, for example after its owners have changed. */
async function isStillSigned(
  world: Pick<RepairWorld, 'registry' | 'nodes'>,
  row: SubscriptionConsent,
): Promise<boolean> {
  const { chainId } = row;
  const consent = consentFromJson(row.consent);
  const digest = signedDigest(consentTypedData({ chainId, escrow: placeOf(world.registry, row).escrow, consent }));
  const question = { signer: consent.payer, digest, signature: hexOf(row.payerSignature ?? '') };
  return await world.nodes.asking(chainId, (client) => isSignedOnChain({ client }, question));
}

function unsigned({ walletAddress }: SubscriptionConsent): RenewalCause {
  return { code: 'CHARGE_FAILED', message: `${walletAddress} no longer accepts the signature of the consent.` };
}

function lastCause({ renewalAttempts: [last] }: OfSubscription): RenewalCause {
  const code = renewalCauseCodes.find((known) => known === last?.errorCode) ?? 'CHARGE_FAILED';
  return { code, message: last?.errorMessage ?? 'The charge failed.' };
}
