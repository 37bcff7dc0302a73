import type { ContractErrorName } from 'viem';
import { type RenewalAttempt, transaction } from '../../../prisma/client.ts';
import type { escrowAbi } from '../../escrow/escrow-abi.ts';
import { termsFromJson } from '../../escrow/terms.ts';
import { appendEvents } from '../../events/append-events.ts';
import { lockInvoice } from '../../invoices/store.ts';
import { consentKey } from '../consent/accepted-consent.ts';
import { readPayer } from './charging/read-payer.ts';
import { wantedCharge } from './charging/wanted-charge.ts';
import { failRenewal } from './fail-renewal.ts';
import type { FailedCharge } from './follow-attempt.ts';
import { passingCause, payerCause, type RenewalCause } from './renewal-cause.ts';
import type { RenewalWorld } from './renewal-world.ts';
import { chargeKey, lockRenewable } from './store.ts';

/** The contract's error for terms that have expired. */
const LATE = 'AuthorizeByPassed' satisfies ContractErrorName<typeof escrowAbi>;
/** The number of late charges of an invoice that are not counted; further ones are reported as failures. */
const LATE_ATTEMPTS = 5;
const late: RenewalCause = {
  code: 'CHARGE_LATE',
  message: 'The charge was not on the chain before its price expired. It will be priced and sent again.',
};

/**
 * Handles a sent charge that failed for good: determines the cause from the payer's current state on chain, or else from the
 * contract's error, and records the failure. Does nothing if another worker has done so.
 */
export async function resolveFailure(world: RenewalWorld, failed: FailedCharge): Promise<void> {
  const { attempt } = failed;
  const cause = await causeOf(world, failed);
  await transaction(world.database, async (tx) => {
    const subscription = await lockRenewable(tx, attempt.subscriptionId);
    const invoice = await lockInvoice(tx, attempt.invoiceId);
    const fresh = await tx.renewalAttempt.findUniqueOrThrow({ where: { id: attempt.id } });
    const key = chargeKey(attempt);
    const sent =
      key && (await tx.transaction.findFirst({ where: { ...key, type: 'AUTHORIZE' }, orderBy: { id: 'desc' } }));
    if (!subscription || fresh.status !== 'PENDING' || sent?.status !== 'FAILED') return;
    const now = world.clock.now();
    const events = await failRenewal(tx, { subscription, invoice, attempt: fresh, cause, now });
    await appendEvents(tx, subscription.appId, events);
  });
}

async function causeOf(world: RenewalWorld, { subscription, attempt, error }: FailedCharge): Promise<RenewalCause> {
  const words: RenewalCause = { code: 'CHARGE_FAILED', message: error ?? 'The charge had no effect on its chain.' };
  const key = chargeKey(attempt);
  if (key === null) return words;
  // The payer may have replaced the consent since the charge was sent.
  const consentId = attempt.consentId ?? subscription.consentId ?? '';
  const consent = await world.database.subscriptionConsent.findUnique({
    where: consentKey({ chainId: key.chainId, consentId }),
  });
  if (!consent) return words;
  const signed = await world.database.paymentTerms.findUniqueOrThrow({ where: { chainId_termsHash: key } });
  const { amount } = termsFromJson(signed.terms);
  const isLate = error?.startsWith(LATE) === true && (await countLate(world, attempt)) < LATE_ATTEMPTS;
  try {
    const charge = wantedCharge(world, { subscription, consent, amount, now: world.clock.now() });
    return payerCause(charge, await readPayer(world, consent)) ?? (isLate ? late : words);
  } catch (fault) {
    // The failure is recorded even if its cause cannot be read from the chain.
    if (passingCause(fault) === null) throw fault;
    return isLate ? late : words;
  }
}

function countLate({ database }: RenewalWorld, { invoiceId }: RenewalAttempt): Promise<number> {
  return database.renewalAttempt.count({ where: { invoiceId, errorCode: late.code } });
}
