/** An undelivered payout as the API returns it and events carry it. */
import { getAddress, isHex, zeroAddress } from 'viem';
import type { CreditedPayout, PaymentIntent, PayoutRole } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import { printBaseUnits, toBigInt } from '../../prices/base-units.ts';
import { printUnits } from '../../prices/quote.ts';

type Registered = Pick<Registry, 'chain' | 'token'>;

export function payoutFields(registry: Registered, payout: CreditedPayout) {
  return {
    id: payout.id,
    role: payout.role,
    recipient: printAddress(payout.recipient),
    chainId: payout.chainId,
    tokenKey: payout.tokenKey,
    amount: printBaseUnits(payout.amount) ?? '0',
    formatted: formatPayout(registry, payout),
    since: payout.creditedAt.toISOString(),
    txHash: payout.txHash,
    keptAt: payout.keptAt,
    advice: adviceOn(registry, payout),
    deliveredTo: payout.deliveredTo === null ? null : printAddress(payout.deliveredTo),
    deliveredTxHash: payout.deliveredTxHash,
    deliveredAt: payout.deliveredAt?.toISOString() ?? null,
  };
}

/** In whole tokens, or in base units if the token is no longer in the registry. */
export function formatPayout(
  registry: Pick<Registry, 'token'>,
  { tokenKey, amount }: { tokenKey: string; amount: bigint | CreditedPayout['amount'] },
): string {
  const baseUnits = typeof amount === 'bigint' ? amount : toBigInt(amount);
  return printUnits(baseUnits, registry.token(tokenKey)?.decimals ?? 0);
}

const owners: { [Role in PayoutRole]: string } = {
  PAYER: "The payer's wallet",
  MERCHANT: "The merchant's payout address",
  FEE_RECIPIENT: "The fee recipient's address",
};

/** What the recipient can do to receive the payout. */
export function adviceOn(
  registry: Registered,
  payout: Pick<CreditedPayout, 'role' | 'recipient' | 'chainId' | 'token' | 'tokenKey'> & { keptAt?: string | null },
): string {
  const symbol = registry.token(payout.tokenKey)?.symbol ?? payout.tokenKey;
  if (payout.keptAt) {
    return (
      `${owners[payout.role]} ${payout.recipient} holds no ${symbol}, and an account that holds none cannot take less than ` +
      `the rent exemption. The account ${payout.keptAt} keeps the share for this address alone. It is paid with the next ` +
      `share once both together are enough, or as soon as the address holds any ${symbol}: send it some.`
    );
  }
  const escrow = registry.chain(payout.chainId)?.escrow ?? 'of this chain';
  const owner = `${owners[payout.role]} ${printAddress(payout.recipient)}`;
  if (payout.token === zeroAddress) {
    return (
      `${owner} refused the ${symbol}, and the escrow keeps it for this address alone. ` +
      `Call claim(${zeroAddress}, to) of the escrow ${escrow} from it, with any address as \`to\`. ` +
      'We try again every few hours in case it accepts the coin later.'
    );
  }
  return (
    `${owner} could not receive ${symbol}, and the escrow keeps it for this address alone. ` +
    `The issuer of ${symbol} may have blocked the address or paused the token: ask the issuer. ` +
    `We pay it as soon as the token can be transferred, which we try every few hours; anybody may call ` +
    `claimFor(${printAddress(payout.recipient)}, ${printAddress(payout.token)}) of the escrow ${escrow} sooner.`
  );
}

/** EVM addresses are printed with their checksum, others unchanged. */
export function printAddress(address: string): string {
  return isHex(address) ? getAddress(address) : address;
}

/**
 * Whether a payout is for the payer of the payment that counts. Another wallet may have paid the same intent; what goes back to
 * that wallet does not concern the first payer.
 */
export function isOfPayer(
  intent: Pick<PaymentIntent, 'acceptedTermsHash' | 'authorizationChainId'>,
  payout: Pick<CreditedPayout, 'role' | 'chainId' | 'termsHash'>,
): boolean {
  const { role, chainId, termsHash } = payout;
  return role === 'PAYER' && termsHash === intent.acceptedTermsHash && chainId === intent.authorizationChainId;
}
