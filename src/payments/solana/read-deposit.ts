import type { DatabaseTransaction, PaymentTerms } from '../../../prisma/client.ts';
import { NATIVE, type Token } from '../../chains/chain.ts';
import type { Registry } from '../../chains/registry.ts';
import {
  type SolanaTerms,
  type StrayReason,
  solanaTermsFromJson,
  solanaTermsHash,
  solanaTermsToJson,
} from '../../escrow/solana/solana-terms.ts';
import type { Log } from '../../platform/log.ts';
import type { VaultChange, VaultEvent } from './vault-change.ts';

type World = { registry: Registry; log: Log };

/**
 * Decides what a deposit into a vault pays. It pays the terms whose reference the transaction names, or else the newest terms of
 * the vault, if it is in their token, in time and no less than their amount. Everything else, including an excess over the
 * amount, becomes a separate deposit and is returned. A token that is not in the registry is logged and left in the vault.
 */
export async function readDeposit(tx: DatabaseTransaction, world: World, vault: VaultChange): Promise<VaultEvent[]> {
  const { transaction, change, watches } = vault;
  const token = world.registry.tokenByAddress(transaction.chainId, change.mint ?? NATIVE);
  if (!token) {
    const fields = { chainId: transaction.chainId, signature: transaction.signature, mint: change.mint };
    world.log.warn(fields, 'A token that is not in the registry was sent to a vault, where it stays.');
    return [];
  }
  const ofVault = watches.filter((watch) => watch.vault === change.account);
  const candidates = ofVault.length > 0 ? ofVault : watches;
  const named = candidates.find((watch) => transaction.accounts.includes(watch.reference)) ?? candidates[0];
  if (!named) return [];
  const row = await tx.paymentTerms.findUniqueOrThrow({
    where: { chainId_termsHash: { chainId: named.chainId, termsHash: named.termsHash } },
  });
  const terms = solanaTermsFromJson(row.terms);
  const stray = (reason: StrayReason, amount: bigint) => writeStray(tx, { vault, row, terms, token, reason, amount });
  const reason = await whyNot(tx, { vault, terms, row });
  if (reason) return await stray(reason, change.change);
  const paid = authorizedAndCaptured(row.termsHash, { payer: vault.payer ?? terms.payer, amount: terms.amount });
  const excess = change.change - terms.amount;
  return excess === 0n ? paid : [...paid, ...(await stray('EXCESS', excess))];
}

/** The reason why a deposit does not pay the terms; null if it does. */
async function whyNot(
  tx: DatabaseTransaction,
  { vault, terms, row }: { vault: VaultChange; terms: SolanaTerms; row: PaymentTerms },
): Promise<StrayReason | null> {
  const { transaction, change } = vault;
  if (terms.stray) return terms.stray.reason;
  if (change.mint !== terms.mint || change.account !== terms.vault) return 'WRONG_TOKEN';
  const first = await tx.chainFact.findFirst({
    where: {
      chainId: row.chainId,
      ref: row.termsHash,
      kind: 'Authorized',
      status: { not: 'ORPHANED' },
      txHash: { not: transaction.signature },
    },
  });
  if (first) return 'SECOND';
  if (transaction.blockTime > BigInt(terms.payBy)) return 'LATE';
  return change.change < terms.amount ? 'SHORT' : null;
}

async function writeStray(
  tx: DatabaseTransaction,
  deposit: {
    vault: VaultChange;
    row: PaymentTerms;
    terms: SolanaTerms;
    token: Token;
    reason: StrayReason;
    amount: bigint;
  },
): Promise<VaultEvent[]> {
  const { vault, row, token, reason, amount } = deposit;
  const { transaction, change } = vault;
  const payer = vault.payer ?? deposit.terms.payer;
  const terms: SolanaTerms = {
    ...deposit.terms,
    payer,
    mint: change.mint,
    vault: change.account,
    amount,
    stray: { signature: transaction.signature, reason },
  };
  const termsHash = solanaTermsHash({ chainId: row.chainId, terms });
  const at = new Date(Number(transaction.blockTime) * 1000);
  await tx.paymentTerms.createMany({
    data: {
      termsHash,
      chainId: row.chainId,
      paymentIntentId: row.paymentIntentId,
      tokenKey: token.key,
      method: 'DIRECT',
      terms: solanaTermsToJson(terms),
      operatorSignature: '',
      exchangeRate: row.exchangeRate,
      authorizeBy: at,
      createdAt: at,
    },
    skipDuplicates: true,
  });
  await watchVault(tx, { vault, termsHash, at });
  return authorizedAndCaptured(termsHash, { payer, amount });
}

/** Watches another account of the vault's key that received a deposit, so that the money is seen leaving it too. */
async function watchVault(
  tx: DatabaseTransaction,
  { vault, termsHash, at }: { vault: VaultChange; termsHash: string; at: Date },
): Promise<void> {
  const { change, watches } = vault;
  const [known] = watches;
  if (!known || watches.some((watch) => watch.vault === change.account)) return;
  const { chainId, paymentIntentId, vaultOwner, reference } = known;
  await tx.solanaWatch.createMany({
    data: {
      termsHash,
      chainId,
      paymentIntentId,
      vault: change.account,
      vaultOwner,
      reference,
      payBy: at,
      createdAt: at,
    },
    skipDuplicates: true,
  });
}

function authorizedAndCaptured(termsHash: string, deposit: { payer: string; amount: bigint }): VaultEvent[] {
  const amount = String(deposit.amount);
  const args = { id: termsHash, payer: deposit.payer, left: amount };
  return [
    { kind: 'Authorized', termsHash, args: { ...args, terms: { amount } } },
    { kind: 'Captured', termsHash, args: { ...args, captured: amount, returned: '0' } },
  ];
}
