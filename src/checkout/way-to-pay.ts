/** The payer's choice of chain, token, wallet and method, validated against what the session offers. */
import { Decimal } from 'decimal.js';
import { type Address, getAddress } from 'viem';
import { takesPayment } from '../chains/chain.ts';
import { readPayable } from '../chains/payable-address.ts';
import type { Chain, Registry, Token } from '../chains/registry.ts';
import { type FieldFault, invalid } from '../errors.ts';
import type { CheckoutWorld } from './checkout-world.ts';
import { payableTokens, relayMinimum } from './list-checkout-options.ts';
import { type CheckoutMethod, methodsFor } from './payment-method.ts';
import type { SessionToPay } from './store.ts';

/**
 * `walletAddress` may be omitted on Solana only. The payer is then the account that pays. For a TRANSFER it is the refund address, which
 * the terms name as the payer.
 */
export type WayToPay = {
  chainId: number;
  tokenKey: string;
  walletAddress?: string | null | undefined;
  method: CheckoutMethod;
};

export type EvmWay = {
  family: 'EVM';
  chain: Chain & { escrow: Address };
  token: Token;
  payer: Address;
  method: CheckoutMethod;
};
/** `payer` is in base58, or null if it was not given. */
export type SolanaWay = {
  family: 'SOLANA';
  chain: Chain;
  token: Token;
  payer: string | null;
  method: CheckoutMethod;
};
export type KnownWay = EvmWay | SolanaWay;

/**
 * Validates what does not depend on the session. Throws VALIDATION_ERROR for an unknown chain or token and an invalid address.
 */
export function requireKnownWay(world: { registry: Registry }, input: WayToPay): KnownWay {
  const faults: FieldFault[] = [];
  const { method } = input;
  const chain = world.registry.chain(input.chainId);
  const token = world.registry.token(input.tokenKey);
  if (!chain) faults.push({ param: 'chainId', message: `${input.chainId} is not a known chain` });
  if (!token) faults.push({ param: 'tokenKey', message: `${input.tokenKey} is not a known token` });
  else if (chain && token.chainId !== chain.chainId) {
    faults.push({ param: 'tokenKey', message: `${token.key} is not a token of chain ${chain.chainId}` });
  }
  const family = chain?.family === 'SOLANA' ? 'SOLANA' : 'EVM';
  const payer = readWallet({ family, chains: chain ? [chain] : [] }, input.walletAddress ?? null);
  if (!payer.isGood) faults.push({ param: 'walletAddress', message: payer.message });
  if (!chain || !token || !payer.isGood || faults.length > 0) throw invalid(faults);
  if (payer.family === 'SOLANA') return { family: 'SOLANA', chain, token, payer: payer.address, method };
  if (chain.family !== 'EVM' || chain.escrow === null) {
    throw invalid([{ param: 'chainId', message: `chain ${chain.chainId} accepts no payments yet` }]);
  }
  return { family: 'EVM', chain: { ...chain, escrow: chain.escrow }, token, payer: payer.address, method };
}

/** Throws VALIDATION_ERROR for a chain without an escrow contract, because only the contract can enforce a payer's consent. */
export function requireEvmWay(way: KnownWay): EvmWay {
  if (way.family === 'EVM') return way;
  throw invalid([{ param: 'chainId', message: `chain ${way.chain.chainId} does not support subscriptions` }]);
}

type ReadWallet =
  | { isGood: true; family: 'EVM'; address: Address }
  | { isGood: true; family: 'SOLANA'; address: string | null }
  | { isGood: false; message: string };

/** Refunds go to the payer, so a wallet must be an address that can be paid. */
function readWallet(
  { family, chains }: { family: KnownWay['family']; chains: readonly Chain[] },
  text: string | null,
): ReadWallet {
  if (text === null) {
    return family === 'SOLANA'
      ? { isGood: true, family, address: null }
      : { isGood: false, message: 'is required on this chain' };
  }
  const { address, fault } = readPayable(chains, { family, text });
  if (address === null) return { isGood: false, message: fault };
  return family === 'SOLANA'
    ? { isGood: true, family, address }
    : { isGood: true, family, address: getAddress(address) };
}

/** Throws VALIDATION_ERROR for a chain and token that this session does not offer. */
export function requireOfferedWay(
  world: Pick<CheckoutWorld, 'registry' | 'config'>,
  session: SessionToPay,
  way: Pick<KnownWay, 'chain' | 'token'>,
): void {
  const { chain, token } = way;
  if (!takesPayment(chain, session.app.mode)) {
    throw invalid([{ param: 'chainId', message: `${chain.chainId} accepts no payment for a ${session.app.mode} app` }]);
  }
  const offered = payableTokens(world, session);
  if (offered.some((option) => option.token.key === token.key)) return;
  if (offered.some((option) => option.chain.chainId === chain.chainId)) {
    throw invalid([{ param: 'tokenKey', message: `${token.key} is not allowed for this payment` }]);
  }
  throw invalid([{ param: 'chainId', message: `chain ${chain.chainId} is not offered for this payment` }]);
}

/** Throws VALIDATION_ERROR for a method that the token does not support, or that is not worth its gas for this amount. */
export function requireOfferedMethod(
  world: Pick<CheckoutWorld, 'config'>,
  session: Pick<SessionToPay, 'mode'>,
  way: Pick<KnownWay, 'chain' | 'token' | 'method'> & { amountUsd: Decimal },
): void {
  const methods = methodsFor({
    family: way.chain.family,
    token: way.token,
    amountUsd: new Decimal(way.amountUsd),
    relayMinimumUsd: relayMinimum(world, way.chain.chainId),
    isRecurring: session.mode === 'SUBSCRIPTION',
  });
  if (methods.includes(way.method)) return;
  const offered = methods.length === 0 ? 'none' : methods.join(', ');
  throw invalid([
    { param: 'method', message: `${way.method} is not offered for ${way.token.key}; offered: ${offered}` },
  ]);
}
