import type { Connection, Keypair, TransactionInstruction } from '@solana/web3.js';
import type { PayoutPlan } from '../../escrow/solana/payout-plan.ts';
import { payoutTotal } from '../../escrow/solana/payout-plan.ts';

export type BuiltPayout =
  | { kind: 'READY'; instructions: TransactionInstruction[] }
  /** It cannot be paid as things are, and may be later. */
  | { kind: 'WAIT'; why: string };

/**
 * The instructions that carry out a plan: each transfer, token accounts that are missing opened first, and the vault's
 * account closed when nothing stays in it, its rent to the operator. `balance`: base units in the vault. Asks the node for
 * the mint and the accounts that are to be paid.
 */
export async function buildPayout(
  connection: Connection,
  request: { plan: PayoutPlan; operator: Keypair; balance: bigint },
): Promise<BuiltPayout> {
  return request.plan.mint === null
    ? await buildCoinPayout(connection, request)
    : await buildTokenPayout(connection, request);
}

async function buildCoinPayout(
  connection: Connection,
  { plan, balance }: { plan: PayoutPlan; balance: bigint },
): Promise<BuiltPayout> {
  const { PublicKey, SystemProgram } = await import('@solana/web3.js');
  const rest = balance - payoutTotal(plan);
  const least = BigInt(await connection.getMinimumBalanceForRentExemption(0));
  if (rest > 0n && rest < least) {
    return { kind: 'WAIT', why: `${rest} lamports would stay, and an account holds none or at least ${least}.` };
  }
  for (const { to, amount } of plan.transfers) {
    if (amount >= least || (await connection.getBalance(new PublicKey(to), 'confirmed')) > 0) continue;
    return { kind: 'WAIT', why: `${to} holds nothing and cannot take ${amount} lamports: send it ${least} first.` };
  }
  return {
    kind: 'READY',
    instructions: plan.transfers.map(({ to, amount }) =>
      SystemProgram.transfer({
        fromPubkey: new PublicKey(plan.vault),
        toPubkey: new PublicKey(to),
        lamports: amount,
      }),
    ),
  };
}

async function buildTokenPayout(
  connection: Connection,
  { plan, operator, balance }: { plan: PayoutPlan; operator: Keypair; balance: bigint },
): Promise<BuiltPayout> {
  const { PublicKey } = await import('@solana/web3.js');
  const spl = await import('@solana/spl-token');
  const mint = new PublicKey(plan.mint ?? '');
  const account = await connection.getAccountInfo(mint, 'finalized');
  if (!account) return { kind: 'WAIT', why: `The node has no mint ${plan.mint}.` };
  const program = account.owner;
  const { decimals } = spl.unpackMint(mint, account, program);
  const vault = new PublicKey(plan.vault);
  const owner = new PublicKey(plan.vaultOwner);
  const instructions: TransactionInstruction[] = [];
  for (const { to, amount, opensAccount } of plan.transfers) {
    const wallet = new PublicKey(to);
    const target = spl.getAssociatedTokenAddressSync(mint, wallet, true, program);
    if (!(await connection.getAccountInfo(target, 'confirmed'))) {
      if (!opensAccount) return { kind: 'WAIT', why: `${to} has no account of this token any more.` };
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
