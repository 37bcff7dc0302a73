/** The terms of one quote: the intent's rules, the app's settings and the locked price, in the contract's format. */
import { type Address, encodeAbiParameters, type Hex, keccak256, stringToBytes, zeroAddress } from 'viem';
import type { App, PaymentIntent } from '../../prisma/client.ts';
import { type PaymentTerms, uuidToBytes32 } from '../escrow/terms.ts';
import { printFiat } from '../prices/money.ts';
import { type PriceEvidence, printEvidence } from '../prices/price-evidence.ts';

/** How long after the quote's expiry a payment sent in time may still be mined. */
export const AUTHORIZE_GRACE_SECONDS = 120;

/** The contract's own limit, counted from the second of the authorization. */
const LONGEST_HOLD_SECONDS = 90 * 86_400;

/** The parties besides payer and merchant. With the zero address as arbiter there are no disputes. */
export type Parties = { operator: Address; arbiter: Address; feeRecipient: Address };

/** The fields of an intent that its terms depend on. */
export type QuotedIntent = Pick<
  PaymentIntent,
  'id' | 'amount' | 'currency' | 'timelockDuration' | 'disputeStartDuration' | 'platformFeeBps' | 'captureMode'
>;

/** `base` is in Unix seconds: the later of the clock and the chain's newest block, so that a slow clock shortens no deadline. */
export function quotedTerms(request: {
  chainId: number;
  quoteId: string;
  intent: QuotedIntent;
  app: Pick<App, 'captureDeadline' | 'disputeTimeout' | 'disputeTimeoutPayerBps'>;
  payer: Address;
  merchant: Address;
  token: Address;
  amount: bigint;
  evidence: PriceEvidence;
  base: number;
  quoteSeconds: number;
  /** How long after the quote's expiry a payment sent in time may still be mined or, of a plain transfer, arrive. */
  graceSeconds?: number;
  parties: Parties;
}): PaymentTerms {
  const { intent, app, parties } = request;
  const authorizeBy = request.base + request.quoteSeconds + (request.graceSeconds ?? AUTHORIZE_GRACE_SECONDS);
  const disputeWindow =
    parties.arbiter === zeroAddress ? 0 : Math.min(intent.disputeStartDuration, intent.timelockDuration);
  return {
    intentId: uuidToBytes32(intent.id),
    payer: request.payer,
    merchant: request.merchant,
    token: request.token,
    amount: request.amount,
    authorizeBy,
    captureBy: Math.min(authorizeBy + app.captureDeadline, request.base + LONGEST_HOLD_SECONDS),
    timelock: intent.timelockDuration,
    disputeWindow,
    disputeTimeout: app.disputeTimeout,
    timeoutPayerBps: app.disputeTimeoutPayerBps,
    feeBps: intent.platformFeeBps,
    feeRecipient: parties.feeRecipient,
    operator: parties.operator,
    arbiter: disputeWindow === 0 ? zeroAddress : parties.arbiter,
    quoteHash: quoteHash(request),
    captureOnAuthorize: intent.captureMode === 'AUTOMATIC',
  };
}

/**
 * Binds terms to the quote that the payer was shown, and to its chain: the terms themselves name no chain, and would otherwise
 * have the same id on two chains. The ABI-encoded preimage: `uint256` the chain's id in this gateway (on EVM chains their own),
 * `bytes32` the quote's id (its 16 bytes at the low end), `uint256` the base units, `string` the fiat amount ("10.00"), `string`
 * its currency, and `bytes32` the keccak256 of the evidence's text (`printEvidence`) in UTF-8.
 */
export function quoteHash(request: {
  chainId: number;
  quoteId: string;
  amount: bigint;
  intent: { amount: { toFixed(places: number): string }; currency: string };
  evidence: PriceEvidence;
}): Hex {
  return keccak256(
    encodeAbiParameters(
      [
        { type: 'uint256' },
        { type: 'bytes32' },
        { type: 'uint256' },
        { type: 'string' },
        { type: 'string' },
        { type: 'bytes32' },
      ],
      [
        BigInt(request.chainId),
        uuidToBytes32(request.quoteId),
        request.amount,
        printFiat(request.intent.amount),
        request.intent.currency,
        keccak256(stringToBytes(printEvidence(request.evidence))),
      ],
    ),
  );
}
