import type { Hex } from 'viem';
import { isHex } from 'viem';
import type { ChainFact, PaymentIntent, SubscriptionConsent } from '../../../prisma/client.ts';
import { parseEscrowEvent } from '../../escrow/escrow-event.ts';
import { bytes32ToUuid, type PaymentTerms, termsHash } from '../../escrow/terms.ts';
import { printUnits } from '../../prices/quote.ts';
import { consentKey } from '../../subscriptions/consent/accepted-consent.ts';
import type { OperationsWorld, Row } from '../operations-world.ts';

/** A payment for terms that one of the installation's keys has signed and that the database does not contain. */
export type LostPayment = {
  chainId: number;
  id: Hex;
  escrow: Hex;
  terms: PaymentTerms;
  fact: ChainFact;
  /** What it can be recorded against: an existing intent, a period of an existing subscription, or nothing. */
  belongsTo:
    | { kind: 'INTENT'; intent: PaymentIntent }
    | { kind: 'CHARGE'; consent: SubscriptionConsent; period: number }
    | { kind: 'NOTHING' };
};

const LOST_LIMIT = 10_000;

/**
 * Returns the on-chain payments whose terms were lost because they followed the dump, oldest first. The escrow contract accepts no payment
 * without its operator's signature, so payments that name one of the installation's keys belong to it. Payments of other gateways on the
 * same contract are not reported. The terms come from the contract's own event, and their hash is checked.
 */
export async function findLostPayments({
  database,
  registry,
  keys,
}: Pick<OperationsWorld, 'database' | 'registry' | 'keys'>): Promise<LostPayment[]> {
  const operators = keys.map((key) => key.toLowerCase());
  const facts = await database.$queryRaw<{ chainId: number; blockHash: string; logIndex: number }[]>`
    SELECT fact.chain_id AS "chainId", fact.block_hash AS "blockHash", fact.log_index AS "logIndex" FROM chain_fact fact
    WHERE fact.kind = 'Authorized' AND fact.status IN ('CONFIRMED', 'FINAL')
      AND lower(fact.args -> 'terms' ->> 'operator') = ANY(${operators})
      AND NOT EXISTS (SELECT 1 FROM payment_terms terms WHERE terms.chain_id = fact.chain_id AND terms.terms_hash = fact.ref)
    ORDER BY fact.block_timestamp, fact.block_number, fact.log_index LIMIT ${LOST_LIMIT}`;
  const lost: LostPayment[] = [];
  for (const key of facts) {
    const fact = await database.chainFact.findUniqueOrThrow({ where: { chainId_blockHash_logIndex: key } });
    const event = parseEscrowEvent(fact.kind, fact.args);
    const escrow = registry.chain(fact.chainId)?.escrow;
    if (event?.kind !== 'Authorized' || !escrow || fact.address.toLowerCase() !== escrow.toLowerCase()) continue;
    const { terms, id } = event;
    if (termsHash(terms) !== id || !isHex(escrow)) continue;
    const belongsTo = await ownerOf(database, { fact, terms });
    lost.push({ chainId: fact.chainId, id, escrow, terms, fact, belongsTo });
  }
  return lost;
}

async function ownerOf(
  database: OperationsWorld['database'],
  { fact, terms }: { fact: ChainFact; terms: PaymentTerms },
): Promise<LostPayment['belongsTo']> {
  const intentId = bytes32ToUuid(terms.intentId);
  if (intentId !== null) {
    const intent = await database.paymentIntent.findUnique({ where: { id: intentId } });
    return intent ? { kind: 'INTENT', intent } : { kind: 'NOTHING' };
  }
  const { chainId, blockHash, txHash, ref } = fact;
  const charged = await database.chainFact.findFirst({ where: { chainId, blockHash, txHash, ref, kind: 'Charged' } });
  const event = charged && parseEscrowEvent(charged.kind, charged.args);
  if (event?.kind !== 'Charged') return { kind: 'NOTHING' };
  const consent = await database.subscriptionConsent.findUnique({
    where: consentKey({ chainId, consentId: event.consentId }),
    include: { subscription: { select: { status: true, currentPeriodEnd: true } } },
  });
  // The first charge of a subscription that waited for it belongs to a checkout that has ended.
  const isRunning = consent?.subscription.currentPeriodEnd && consent.subscription.status !== 'PENDING';
  return consent && isRunning ? { kind: 'CHARGE', consent, period: event.period } : { kind: 'NOTHING' };
}

/** Amounts are in whole tokens. */
export function lostRow(
  { registry }: Pick<OperationsWorld, 'registry'>,
  { chainId, id, terms, fact }: LostPayment,
): Row {
  const token = registry.tokenByAddress(chainId, terms.token);
  return {
    chainId,
    termsHash: id,
    payer: terms.payer,
    merchant: terms.merchant,
    amount: token ? `${printUnits(terms.amount, token.decimals)} ${token.symbol}` : `${terms.amount} of ${terms.token}`,
    authorizedAt: new Date(Number(fact.blockTimestamp) * 1000).toISOString(),
    txHash: fact.txHash,
  };
}
