import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, toFunctionSelector } from 'viem';
import type { Database } from '../../prisma/client.ts';
import { contractAddress, NATIVE } from '../chains/chain.ts';
import { erc20Abi } from '../chains/evm/erc20.ts';
import type { EvmNodes } from '../chains/evm/nodes.ts';
import type { Chain, Registry } from '../chains/registry.ts';
import { escrowAbi } from '../escrow/escrow-abi.ts';
import { authorizationBy, noAuthorization, type WalletAuthorization } from './wallet-authorization.ts';

type World = { database: Database; registry: Registry; nodes: EvmNodes };

/** The gateway's calls that include a permit: to the escrow with a payment, or to the token for a subscription. */
const permitSelectors = [
  ...escrowAbi.filter((item) => item.type === 'function').filter((item) => item.name === 'authorizeWithPermit'),
  ...erc20Abi.filter((item) => item.name === 'permit'),
].map((item) => toFunctionSelector(item));

/**
 * Reads a wallet's allowances for the escrow at the block `blockHash`, or at the newest block if the node has no state of that block, and
 * the approval that granted them. Without an allowance, an active recurring consent counts. Throws CHAIN_UNAVAILABLE.
 */
export async function readAuthorization(
  world: World,
  { chainId, wallet, blockHash }: { chainId: number; wallet: Address; blockHash: Hex | null },
): Promise<WalletAuthorization> {
  const chain = world.registry.chain(chainId);
  if (!chain?.escrow) return noAuthorization;
  const allowed = await allowedTokens(world, { chain, escrow: chain.escrow, wallet, blockHash });
  if (allowed.length === 0) return await authorizationByConsent(world.database, { chainId, wallet });
  const approval = await newestApproval(world.database, { chainId, wallet, tokens: allowed });
  return authorizationBy(approval, approval !== null && (await isRelayedPermit(world.database, approval.txHash)));
}

/** Active: not revoked, and of a subscription that has not ended. */
async function authorizationByConsent(
  database: Database,
  { chainId, wallet }: { chainId: number; wallet: Address },
): Promise<WalletAuthorization> {
  const consent = await database.subscriptionConsent.findFirst({
    where: { chainId, walletAddress: wallet, revokedAt: null, acceptedBy: { status: { not: 'CANCELLED' } } },
    orderBy: { acceptedAt: 'desc' },
  });
  if (!consent) return noAuthorization;
  return {
    hasActiveAuthorization: true,
    authorizationType: consent.method === 'PERMIT' ? 'PERMIT' : 'APPROVAL',
    authorizationTxHash: null,
    authorizedAt: consent.acceptedAt,
  };
}

async function allowedTokens(
  world: World,
  request: { chain: Chain; escrow: Address; wallet: Address; blockHash: Hex | null },
): Promise<Address[]> {
  const { chain, escrow, wallet, blockHash } = request;
  const tokens = chain.tokens.filter((token) => token.address !== NATIVE).map(contractAddress);
  const allowances = await Promise.all(
    tokens.map((token) => readAllowance(world, { chainId: chain.chainId, token, owner: wallet, escrow, blockHash })),
  );
  return tokens.filter((_, index) => (allowances[index] ?? 0n) > 0n);
}

/**
 * The owner's allowance for the escrow in a token, in base units, at the block `blockHash` or the newest. Throws the node's
 * errors.
 */
export async function readAllowance(
  world: World,
  request: { chainId: number; token: Address; owner: Address; escrow: Address; blockHash: Hex | null },
): Promise<bigint> {
  const { chainId, token, owner, escrow, blockHash } = request;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [owner, escrow] });
  const block = blockHash === null ? ('latest' as const) : ({ blockHash, requireCanonical: true } as const);
  try {
    return await world.nodes.asking(chainId, async (client) => {
      const answer = await client.request({ method: 'eth_call', params: [{ to: token, data }, block] });
      return decodeFunctionResult({ abi: erc20Abi, functionName: 'allowance', data: answer });
    });
  } catch (error) {
    // Nodes report missing state in many different ways. A node that does not answer at all will fail for the latest block as
    // well.
    if (blockHash === null) throw error;
    return await readAllowance(world, { ...request, blockHash: null });
  }
}

type Approval = { txHash: string; blockTimestamp: bigint };

/** The newest approval of one of the tokens among the valid facts at the confirmed height. */
async function newestApproval(
  database: Database,
  { chainId, wallet, tokens }: { chainId: number; wallet: Address; tokens: readonly Address[] },
): Promise<Approval | null> {
  const addresses = tokens.map((token) => token.toLowerCase());
  const rows = await database.$queryRaw<Approval[]>`
    SELECT tx_hash AS "txHash", block_timestamp AS "blockTimestamp" FROM chain_fact
    WHERE chain_id = ${chainId} AND kind = 'Approval' AND args ->> 'owner' = ${wallet.toLowerCase()}
      AND status IN ('CONFIRMED', 'FINAL') AND address = ANY(${addresses}) AND args ->> 'value' <> '0'
    ORDER BY block_number DESC, log_index DESC LIMIT 1`;
  return rows[0] ?? null;
}

async function isRelayedPermit(database: Database, txHash: string): Promise<boolean> {
  const attempt = await database.outgoingAttempt.findUnique({
    where: { hash: txHash },
    select: { cancels: true, outgoing: { select: { data: true } } },
  });
  if (attempt === null || attempt.cancels) return false;
  const data = attempt.outgoing.data.toLowerCase();
  return permitSelectors.some((selector) => data.startsWith(selector));
}
