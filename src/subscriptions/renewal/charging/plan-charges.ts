import type { SubscriptionConsent } from '../../../../prisma/client.ts';
import type { Token } from '../../../chains/registry.ts';
import { GatewayError } from '../../../errors.ts';
import { consentFromJson } from '../../../escrow/consent.ts';
import { ESCROW_EDITION } from '../../../escrow/escrow-domain.ts';
import { newId } from '../../../platform/identifier.ts';
import { consentPeriodIndex, consentPeriodStart } from '../../charge/consent-period.ts';
import { type PreparedCharge, placeOf, quoteCharge, signCharge } from '../../charge/prepare-charge.ts';
import { PASSING_MS } from '../../schedule-renewal.ts';
import { passingCause, payerCause, type RenewalCause } from '../renewal-cause.ts';
import type { DueRenewal, RenewalWorld } from '../renewal-world.ts';
import { type EarlierAttempts, earlierAttempts } from '../store.ts';
import { chargePeriod } from './charge-period.ts';
import { type ChargeReading, readPayers, unknown } from './read-payer.ts';
import { wantedCharge } from './wanted-charge.ts';

export type PlannedCharge =
  | { kind: 'SEND'; charge: PreparedCharge }
  | { kind: 'FAIL'; cause: RenewalCause }
  | { kind: 'POSTPONE'; cause: RenewalCause | null; until: Date };

const none: EarlierAttempts = { period: null, openUntil: null };
/** How far the time of a chain's blocks may lag behind. */
const EXPIRY_MARGIN_MS = 60_000;
/** How often an allowance is looked for that was granted with a new consent. */
const ALLOWANCE_MS = 10_000;
/** How long an approval that was sent before its consent was confirmed may take to be mined. */
const APPROVAL_MS = 120_000;

/** What is read of a chain before anything on it is charged. */
type ChainReading = { payers: ReadonlyMap<string, ChargeReading>; newestBlockAt: number };
type Chargeable = DueRenewal & { consent: SubscriptionConsent };

/**
 * Plans one attempt for each due renewal, in order: reads the payers of each chain by one call, and prices and signs what they can pay.
 * Reads only.
 */
export async function planCharges(world: RenewalWorld, dues: readonly DueRenewal[]): Promise<PlannedCharge[]> {
  const chargeable = dues.filter(isChargeable);
  const earlier = await earlierAttempts(
    world.database,
    chargeable.map(({ invoice, consent }) => ({ invoiceId: invoice.id, consentId: consent.consentId })),
  );
  const chains = new Map<number, Promise<ChainReading>>();
  for (const chainId of new Set(chargeable.map(({ consent }) => consent.chainId))) {
    const consents = chargeable.map(({ consent }) => consent).filter((consent) => consent.chainId === chainId);
    const reading = readChain(world, { chainId, consents });
    // The error is handled where the reading is used.
    reading.catch(() => undefined);
    chains.set(chainId, reading);
  }
  const planned: PlannedCharge[] = [];
  for (const due of dues) {
    planned.push(await planCharge(world, { due, earlier: earlier.get(due.invoice.id) ?? none, chains }));
  }
  return planned;
}

function isChargeable(due: DueRenewal): due is Chargeable {
  return due.consent !== null && obstacleOf(due) === null;
}

/** What, apart from chain and price, prevents a renewal from being charged; null if nothing does. */
export function obstacleOf({
  subscription,
  consent,
}: Pick<DueRenewal, 'subscription' | 'consent'>): RenewalCause | null {
  if (!consent?.acceptedAt)
    return { code: 'CONSENT_MISSING', message: 'There is no signed consent under which to charge.' };
  if (consent.edition !== ESCROW_EDITION) {
    const message = 'The consent is for the first edition of the contract; the payer must consent again.';
    return { code: 'CONSENT_MISSING', message };
  }
  if (subscription.customerWalletId === null) {
    const message = `${consent.walletAddress} is none of the customer's wallets any more.`;
    return { code: 'WALLET_REMOVED', message };
  }
  return null;
}

/** Throws CHAIN_PAUSED while an operator has paused new payments on the chain, and CHAIN_UNAVAILABLE. */
async function readChain(
  world: RenewalWorld,
  { chainId, consents }: { chainId: number; consents: readonly SubscriptionConsent[] },
): Promise<ChainReading> {
  const cursor = await world.database.chainCursor.findUnique({ where: { chainId } });
  if (cursor && (cursor.pausedAt !== null || cursor.haltedAt !== null)) {
    throw new GatewayError('CHAIN_PAUSED', `New payments on chain ${chainId} are paused.`, { meta: { chainId } });
  }
  const [payers, { timestamp }] = await Promise.all([
    readPayers(world, { chainId, consents }),
    world.nodes.asking(chainId, (client) => client.getBlock({ blockTag: 'latest' })),
  ]);
  return { payers, newestBlockAt: Number(timestamp) };
}

async function planCharge(
  world: RenewalWorld,
  request: { due: DueRenewal; earlier: EarlierAttempts; chains: ReadonlyMap<number, Promise<ChainReading>> },
): Promise<PlannedCharge> {
  const { due, earlier, chains } = request;
  if (!isChargeable(due)) {
    const missing: RenewalCause = {
      code: 'CONSENT_MISSING',
      message: 'There is no signed consent under which to charge.',
    };
    return { kind: 'FAIL', cause: obstacleOf(due) ?? missing };
  }
  try {
    const { token } = placeOf(world.registry, due.consent);
    const chain = await chains.get(due.consent.chainId);
    const payer = chain?.payers.get(due.consent.consentId);
    if (!chain || !payer) throw unknown(due.consent);
    return await planReadable(world, { due, earlier, token, payer, newestBlockAt: chain.newestBlockAt });
  } catch (error) {
    const cause = passingCause(error);
    if (cause === null) throw error;
    return { kind: 'POSTPONE', cause, until: new Date(world.clock.now().getTime() + PASSING_MS) };
  }
}

async function planReadable(
  world: RenewalWorld,
  request: { due: Chargeable; earlier: EarlierAttempts; token: Token; payer: ChargeReading; newestBlockAt: number },
): Promise<PlannedCharge> {
  const { due, earlier, token, payer, newestBlockAt } = request;
  const { subscription, consent, intent } = due;
  const now = world.clock.now();
  const terms = consentFromJson(consent.consent);
  const current = consentPeriodIndex(terms, now);
  // A period of one consent does not exclude a period of another: the charge that was signed before must have expired.
  const free = earlier.openUntil && new Date(earlier.openUntil.getTime() + EXPIRY_MARGIN_MS);
  if (free && free > now) return { kind: 'POSTPONE', cause: null, until: free };
  const slot = chargePeriod({ current, nextPeriod: payer.nextPeriod }, earlier.period);
  if (slot.kind === 'SPENT') return { kind: 'POSTPONE', cause: null, until: new Date(now.getTime() + PASSING_MS) };
  if (slot.kind === 'NOT_OPEN' && !payer.isRevoked) {
    const until = consentPeriodStart(terms, slot.period);
    const message = `The consent was charged for its running period; the next begins at ${until.toISOString()}.`;
    return { kind: 'POSTPONE', cause: { code: 'PERIOD_NOT_OPEN', message }, until };
  }
  const quoted = await quoteCharge(world, { intent, token });
  const amount = quoted.cryptoAmount;
  const cause = payerCause(wantedCharge(world, { subscription, consent, amount, now }), payer);
  if (cause?.code === 'INSUFFICIENT_ALLOWANCE' && isAllowanceComing(consent, now)) {
    return { kind: 'POSTPONE', cause: null, until: new Date(now.getTime() + ALLOWANCE_MS) };
  }
  if (cause) return { kind: 'FAIL', cause };
  const charge = await signCharge(world, {
    consent,
    periodIndex: slot.period,
    intent,
    quoteId: newId(),
    quoted,
    newestBlockAt,
  });
  return { kind: 'SEND', charge };
}

/** Whether the permit or approval that was granted with a new consent may not be on chain yet. */
function isAllowanceComing({ method, permitDeadline, acceptedAt, lastChargedPeriod }: SubscriptionConsent, now: Date) {
  if (lastChargedPeriod !== null || acceptedAt === null) return false;
  if (method === 'PERMIT') return permitDeadline !== null && permitDeadline >= now;
  return acceptedAt.getTime() + APPROVAL_MS > now.getTime();
}
