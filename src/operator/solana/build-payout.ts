import type { Connection, Keypair, TransactionInstruction } from '@solana/web3.js';
import type { PayoutPlan } from '../../escrow/solana/payout-plan.ts';
import { amountsByWallet, payoutTotal } from '../../escrow/solana/payout-plan.ts';
import type { KeepersAtWork } from './keepers-at-work.ts';

export type BuiltPayout =
  | { kind: 'READY'; instructions: TransactionInstruction[] }
  /** It cannot be paid at present, and can be once someone has acted. */
  | { kind: 'WAIT'; waitsFor: 'RECIPIENT' | 'PERSON'; why: string }
  /** Another payout in progress must end before this one. */
  | { kind: 'AFTER'; why: string };

type Request = { plan: PayoutPlan; operator: Keypair; balance: bigint; atWork: KeepersAtWork };

/**
 * Returns the instructions of a plan: each transfer, after opening missing token accounts, and the closing of the vault's account if
 * nothing stays in it, with its rent going to the operator. A share that its wallet cannot receive goes to the account that keeps it.
 * `balance` is the vault's balance in base units. Reads the mint and the receiving accounts from the node.
 */
export async function buildPayout(connection: Connection, request: Request): Promise<BuiltPayout> {
  if (request.plan.keptFor !== null) return await buildDelivery(connection, request);
  return request.plan.mint === null
    ? await buildCoinPayout(connection, request)
    : await buildTokenPayout(connection, request);
}

async function buildCoinPayout(
  connection: Connection,
  { plan, operator, balance, atWork }: Request,
): Promise<BuiltPayout> {
  const { PublicKey, SystemProgram } = await import('@solana/web3.js');
  const rest = balance - payoutTotal(plan);
  const least = BigInt(await connection.getMinimumBalanceForRentExemption(0));
  if (rest > 0n && rest < least) {
    return {
      kind: 'WAIT',
      waitsFor: 'PERSON',
      why: `${rest} lamports would stay, and an account holds none or at least ${least}.`,
    };
  }
  const fromPubkey = new PublicKey(plan.vault);
  const amounts = amountsByWallet(plan.transfers);
  const instructions: TransactionInstruction[] = [];
  const opened = new Set<string>();
  for (const { to, amount: lamports, keptAt } of plan.transfers) {
    if (await canTake(connection, { wallet: to, amount: amounts.get(to) ?? 0n, least })) {
      instructions.push(SystemProgram.transfer({ fromPubkey, toPubkey: new PublicKey(to), lamports }));
      continue;
    }
    if (keptAt === null) {
      return {
        kind: 'WAIT',
        waitsFor: 'RECIPIENT',
        why: `${to} holds nothing and cannot take ${lamports} lamports: send it ${least} first.`,
      };
    }
    const toPubkey = new PublicKey(keptAt);
    const why = `Another payout of the amount kept for ${to} is pending.`;
    if (atWork.delivering.has(keptAt)) return { kind: 'AFTER', why };
    if (!opened.has(keptAt) && (await connection.getBalance(toPubkey, 'confirmed')) === 0) {
      // Two payouts that open the same account would both pay for it.
      if (atWork.keeping.has(keptAt)) return { kind: 'AFTER', why };
      opened.add(keptAt);
      instructions.push(SystemProgram.transfer({ fromPubkey: operator.publicKey, toPubkey, lamports: least }));
    }
    instructions.push(SystemProgram.transfer({ fromPubkey, toPubkey, lamports }));
  }
  return { kind: 'READY', instructions };
}

/** An account holds either nothing or at least the minimum. An account with a balance can receive any amount. */
async function canTake(
  connection: Connection,
  { wallet, amount, least }: { wallet: string; amount: bigint; least: bigint },
): Promise<boolean> {
  if (amount >= least) return true;
  const { PublicKey } = await import('@solana/web3.js');
  return (await connection.getBalance(new PublicKey(wallet), 'confirmed')) > 0;
}

/**
 * Transfers everything that is kept for a wallet to that wallet and the reserve to the operator, which closes the account. If the
 * account holds more (a share that is not booked yet, or a transfer from someone else), the excess stays, and so does the reserve.
 */
async function buildDelivery(
  connection: Connection,
  { plan, operator, balance, atWork }: Request,
): Promise<BuiltPayout> {
  const { PublicKey, SystemProgram } = await import('@solana/web3.js');
  const [transfer] = plan.transfers;
  if (!plan.keptFor || !transfer) return { kind: 'WAIT', waitsFor: 'PERSON', why: 'The plan delivers nothing.' };
  const { to, amount: lamports } = transfer;
  if (atWork.keeping.has(plan.vault))
    return { kind: 'AFTER', why: `A share of ${to} is being added to the amount that is kept.` };
  const least = BigInt(await connection.getMinimumBalanceForRentExemption(0));
  if (!(await canTake(connection, { wallet: to, amount: lamports, least }))) {
    return { kind: 'WAIT', waitsFor: 'RECIPIENT', why: `${to} holds nothing and cannot take ${lamports} lamports.` };
  }
  const rest = balance - lamports;
  if (rest > 0n && rest < least) {
    return {
      kind: 'WAIT',
      waitsFor: 'PERSON',
      why: `${rest} lamports would stay, and an account holds none or at least ${least}.`,
    };
  }
  const fromPubkey = new PublicKey(plan.vault);
  const pay = SystemProgram.transfer({ fromPubkey, toPubkey: new PublicKey(to), lamports });
  pay.keys.push({ pubkey: new PublicKey(plan.keptFor.reference), isSigner: false, isWritable: false });
  const close = SystemProgram.transfer({ fromPubkey, toPubkey: operator.publicKey, lamports: rest });
  return { kind: 'READY', instructions: rest === least ? [pay, close] : [pay] };
}

async function buildTokenPayout(connection: Connection, { plan, operator, balance }: Request): Promise<BuiltPayout> {
  const { PublicKey } = await import('@solana/web3.js');
  const spl = await import('@solana/spl-token');
  const mint = new PublicKey(plan.mint ?? '');
  const account = await connection.getAccountInfo(mint, 'finalized');
  if (!account) return { kind: 'WAIT', waitsFor: 'PERSON', why: `The node has no mint ${plan.mint}.` };
  const program = account.owner;
  const { decimals } = spl.unpackMint(mint, account, program);
  const vault = new PublicKey(plan.vault);
  const owner = new PublicKey(plan.vaultOwner);
  const instructions: TransactionInstruction[] = [];
  for (const { to, amount, opensAccount } of plan.transfers) {
    const wallet = new PublicKey(to);
    const target = spl.getAssociatedTokenAddressSync(mint, wallet, true, program);
    if (!(await connection.getAccountInfo(target, 'confirmed'))) {
      if (!opensAccount)
        return { kind: 'WAIT', waitsFor: 'RECIPIENT', why: `${to} no longer has an account of this token.` };
      instructions.push(
        spl.createAssociatedTokenAccountIdempotentInstruction(operator.publicKey, target, wallet, mint, program),
      );
    }
    instructions.push(spl.createTransferCheckedInstruction(vault, mint, target, owner, amount, decimals, [], program));
  }
  if (payoutTotal(plan) === balance) {
    instructions.push(spl.createCloseAccountInstruction(vault, operator.publicKey, owner, [], program));
  }
  return { kind: 'READY', instructions };
}
