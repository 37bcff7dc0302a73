import type { Address } from 'viem';
import type { DatabaseTransaction } from '../../../prisma/client.ts';
import { GatewayError } from '../../errors.ts';
import { depositAddress } from '../../escrow/deposits/deposit-address.ts';
import { type PaymentTerms, termsHash } from '../../escrow/terms.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { ADDRESSES_LIMIT } from './deposit.ts';

/**
 * Records the deposit address of a quote, which is then read from the next block. Runs in the transaction that stores the terms and
 * holds the intent's lock. Throws CONFLICT if the intent has too many addresses.
 */
export async function openDepositAddress(
  tx: DatabaseTransaction,
  deposit: {
    chainId: number;
    escrow: Address;
    terms: PaymentTerms;
    tokenKey: string;
    paymentIntentId: string;
    quoteId: string;
    expiresAt: Date;
    now: Date;
  },
): Promise<void> {
  const { chainId, escrow, terms, paymentIntentId, now } = deposit;
  const known = await tx.depositAddress.count({ where: { paymentIntentId } });
  if (known >= ADDRESSES_LIMIT) {
    throw new GatewayError(
      'CONFLICT',
      `This payment already has ${ADDRESSES_LIMIT} deposit addresses. Send to one of them, or pay in another way.`,
      { param: 'method', meta: { paymentIntentId } },
    );
  }
  const id = termsHash(terms);
  await tx.depositAddress.create({
    data: {
      chainId,
      termsHash: id,
      paymentIntentId,
      quoteId: deposit.quoteId,
      address: depositAddress({ escrow, id }),
      tokenKey: deposit.tokenKey,
      token: terms.token.toLowerCase(),
      amount: toDecimal(terms.amount),
      refundAddress: terms.payer,
      expiresAt: deposit.expiresAt,
      authorizeBy: new Date(terms.authorizeBy * 1000),
      lookAt: now,
      createdAt: now,
    },
  });
}
