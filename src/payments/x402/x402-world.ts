/** The dependencies of paid API calls, and the interface of a scheme. */
import type { Address } from 'viem';
import type { App, PayoutAddress } from '../../../prisma/client.ts';
import type { SecretKeys } from '../../auth/tokens/secret-keys.ts';
import type { Chain, Token } from '../../chains/registry.ts';
import type { CheckoutWorld } from '../../checkout/checkout-world.ts';
import type { WaitingWorld } from './await-outcome.ts';
import type { QuoteClaims } from './requirement-quote.ts';
import type { PaymentPayload, PaymentRequirements, SettleAnswer, VerifyAnswer } from './x402-types.ts';

export type X402World = CheckoutWorld &
  WaitingWorld & {
    secretKeys: Pick<SecretKeys, 'x402Quotes'>;
    senderAddresses: readonly string[];
  };

/** An EVM chain with an escrow, and a token on it with EIP-3009. */
export type X402Way = { chain: Chain & { escrow: Address }; token: Token & { receive: NonNullable<Token['receive']> } };

export type PayeeApp = App & { payoutAddresses: PayoutAddress[] };

/**
 * A payment whose requirements have been checked: they were issued here for this app, are unchanged and have not expired, or else `claims`
 * is null and the app settles payments to other resource servers. The payload of the scheme has not been read.
 */
export type EvaluatedPayment = X402Way & {
  app: PayeeApp;
  requirements: PaymentRequirements;
  payment: PaymentPayload;
  claims: QuoteClaims | null;
  /** The resource server's attempt, if it has given one. */
  attemptId: string | null;
};

/** What a scheme does with an evaluated payment. Neither throws for a payment that is merely wrong. */
export type SchemeRules = {
  /** Whether the signed authorization was taken before, by a settlement that has been written. */
  isTaken(world: X402World, evaluated: EvaluatedPayment): Promise<boolean>;
  /** Writes nothing. Throws CHAIN_UNAVAILABLE. */
  verify(world: X402World, evaluated: EvaluatedPayment): Promise<VerifyAnswer>;
  /**
   * Settles each signed authorization once. Returns the outcome, or `settlement_pending` if it is not known within `waitMs`. A repeated call
   * returns the first outcome. Throws CHAIN_UNAVAILABLE before anything is written.
   */
  settle(world: X402World, evaluated: EvaluatedPayment & { waitMs: number }): Promise<SettleAnswer>;
};

/** The tokens with EIP-3009 of the enabled EVM chains that have an escrow. */
export function x402Ways({ registry }: Pick<X402World, 'registry'>): X402Way[] {
  return registry.enabled().flatMap((chain) => {
    const { escrow } = chain;
    if (chain.family !== 'EVM' || escrow === null) return [];
    return chain.tokens.flatMap((token) =>
      token.receive === null ? [] : [{ chain: { ...chain, escrow }, token: { ...token, receive: token.receive } }],
    );
  });
}
