import { getAddress, isAddress } from 'viem';
import type { PaymentIntent, PaymentTerms } from '../../../prisma/client.ts';
import { agreedTerms } from '../../escrow/agreed-terms.ts';
import { toDecimal } from '../../prices/base-units.ts';
import { blockTime, isForPayer, type PaymentState } from '../fold.ts';

/** The columns of an intent that are derived from its accepted payment alone. */
export const intentFields = [
  'acceptedTermsHash',
  'leftAmount',
  'authorizationMethod',
  'authorizationChainId',
  'authorizationTokenKey',
  'authorizationWalletAddress',
  'authorizationTxHash',
  'authorizationSignature',
  'authorizedAt',
  'cryptoAmount',
  'cryptoTokenKey',
  'cryptoTokenDecimals',
  'exchangeRate',
  'captureTxHash',
  'capturedAt',
  'timelockEndsAt',
  'settledAt',
  'refundedAt',
  'refundTxHash',
] as const satisfies readonly (keyof PaymentIntent)[];

export type IntentColumns = Pick<PaymentIntent, (typeof intentFields)[number]>;

const unpaid: IntentColumns = {
  acceptedTermsHash: null,
  leftAmount: null,
  authorizationMethod: null,
  authorizationChainId: null,
  authorizationTokenKey: null,
  authorizationWalletAddress: null,
  authorizationTxHash: null,
  authorizationSignature: null,
  authorizedAt: null,
  cryptoAmount: null,
  cryptoTokenKey: null,
  cryptoTokenDecimals: null,
  exchangeRate: null,
  captureTxHash: null,
  capturedAt: null,
  timelockEndsAt: null,
  settledAt: null,
  refundedAt: null,
  refundTxHash: null,
};

/** `signature` is the payer's permit or ERC-3009 signature, if there is one. All instants are block times. */
export function intentColumns(
  payment: { terms: PaymentTerms; tokenDecimals: number | null; signature: string | null },
  state: PaymentState,
): IntentColumns {
  const { authorization, capture, settlement, resolution, refund } = state;
  if (!authorization) return unpaid;
  const { terms } = payment;
  const signed = agreedTerms(terms.terms);
  const paidOut = resolution && isForPayer(resolution) ? null : (settlement ?? resolution);
  const paidBack = resolution && isForPayer(resolution) ? resolution : refund;
  return {
    acceptedTermsHash: terms.termsHash,
    leftAmount: toDecimal(state.left),
    authorizationMethod: terms.method,
    authorizationChainId: terms.chainId,
    authorizationTokenKey: terms.tokenKey,
    authorizationWalletAddress: printWallet(authorization.event.payer),
    authorizationTxHash: authorization.txHash,
    authorizationSignature: payment.signature,
    authorizedAt: blockTime(authorization),
    cryptoAmount: toDecimal(signed.amount),
    cryptoTokenKey: terms.tokenKey,
    cryptoTokenDecimals: payment.tokenDecimals,
    exchangeRate: terms.exchangeRate,
    captureTxHash: capture?.txHash ?? null,
    capturedAt: capture ? blockTime(capture) : null,
    timelockEndsAt: capture ? new Date((Number(capture.blockTimestamp) + signed.timelock) * 1000) : null,
    settledAt: paidOut ? blockTime(paidOut) : null,
    refundedAt: paidBack ? blockTime(paidBack) : null,
    refundTxHash: paidBack?.txHash ?? null,
  };
}

/** EVM addresses are printed with their checksum, others unchanged. */
function printWallet(address: string): string {
  return isAddress(address, { strict: false }) ? getAddress(address) : address;
}
