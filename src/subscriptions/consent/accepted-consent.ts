/** What a subscription copies from the consent with which it is charged from now on. */
import type { DatabaseTransaction, Prisma, SubscriptionConsent } from '../../../prisma/client.ts';
import { refreshWalletJob } from '../../customers/jobs.ts';
import { newId } from '../../platform/identifier.ts';
import { addJob } from '../../platform/jobs.ts';

/** A consent's id contains no chain, so the key is both together. */
export function consentKey({ chainId, consentId }: Pick<SubscriptionConsent, 'chainId' | 'consentId'>) {
  return { chainId_consentId: { chainId, consentId } } satisfies Prisma.SubscriptionConsentWhereUniqueInput;
}

/** The subscription's columns that describe how it is charged. */
export function authorizationColumns(row: SubscriptionConsent) {
  return {
    consentId: row.consentId,
    authorizationMethod: row.method,
    authorizationChainId: row.chainId,
    authorizationTokenKey: row.tokenKey,
    permitSignature: row.permitSignature,
    permitDeadline: row.permitDeadline,
    permitNonce: row.permitNonce,
  } satisfies Prisma.SubscriptionUncheckedUpdateInput;
}

/** The same columns for a subscription without a consent. */
export const noAuthorization = {
  consentId: null,
  customerWalletId: null,
  authorizationMethod: null,
  authorizationChainId: null,
  authorizationTokenKey: null,
  permitSignature: null,
  permitDeadline: null,
  permitNonce: null,
  approvedAllowance: null,
} satisfies Prisma.SubscriptionUncheckedUpdateInput;

/**
 * Links the wallet that signed to the customer, and schedules a read of its allowance for the escrow. Returns the wallet's id.
 */
export async function linkSigner(
  tx: DatabaseTransaction,
  request: { row: SubscriptionConsent; customerAccountId: string; now: Date },
): Promise<string> {
  const { row, customerAccountId, now } = request;
  const { chainId, walletAddress } = row;
  await tx.customerWallet.createMany({
    data: { id: newId(), customerAccountId, chainId, walletAddress, createdAt: now },
    skipDuplicates: true,
  });
  const wallet = await tx.customerWallet.findUniqueOrThrow({
    where: { customerAccountId_chainId_walletAddress: { customerAccountId, chainId, walletAddress } },
    select: { id: true },
  });
  await addJob(tx, refreshWalletJob, { chainId, walletAddress });
  return wallet.id;
}
