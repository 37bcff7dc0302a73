/** Several calls as one, where the wallet can (EIP-5792): one confirmation, and all of them or none. */
import { getConnectorClient } from '@wagmi/core';
import { type Address, type Hex, isAddressEqual, numberToHex } from 'viem';
import { sendCalls, waitForCallsStatus } from 'viem/actions';
import { walletConfig } from './wallet-config.ts';
import { errorCodes } from './wallet-fault.ts';

type Asked = { chainId: number; account: Address };
export type Call = { to: Address; data: Hex; value: bigint };

/**
 * PAID: `txHash` is of the transaction that called `target`. FAILED: nothing of it is on the chain. REVERTED: it is, and did nothing.
 * PARTIAL: an earlier call counts, and the one to `target` does not.
 */
export type BatchOutcome = { outcome: 'PAID'; txHash: Hex } | { outcome: 'FAILED' | 'REVERTED' | 'PARTIAL' };

/** How long the wallet is asked what became of it; a bundler may take longer than a block. */
const OUTCOME_WITHIN_MS = 120_000;
const OUTCOME_EVERY_MS = 1_000;

/** Method unknown or unsupported, and what EIP-5792 says of batches that a wallet does not take. In all of them nothing was sent. */
const refusals = new Set<unknown>([-32601, 4200, 5700, 5710, 5740, 5750, 5760]);

/** Whether the wallet says that it makes calls atomic on this chain. One that does not know the question cannot. */
export async function canBatch({ chainId, account }: Asked): Promise<boolean> {
  const client = await getConnectorClient(walletConfig(), { account });
  const id = numberToHex(chainId);
  const capabilities: unknown = await client.request(
    { method: 'wallet_getCapabilities', params: [account, [id]] },
    { retryCount: 0 },
  );
  // Under 0x0 stands what holds on every chain.
  return [id, '0x0'].some((key) => {
    const status = field(field(field(capabilities, key), 'atomic'), 'status');
    return status === 'supported' || status === 'ready';
  });
}

/** Answers the wallet's id of the batch. Throws what the wallet throws: see `isBatchRefusal` and `wallet-fault.ts`. */
export async function sendBatch({ chainId, account, calls }: Asked & { calls: readonly Call[] }): Promise<string> {
  const client = await getConnectorClient(walletConfig(), { chainId, account });
  const { id } = await sendCalls(client, { account, chain: client.chain, calls: [...calls], forceAtomic: true });
  return id;
}

/** The wallet takes no such batch and has sent nothing: the calls can be sent one by one. */
export function isBatchRefusal(error: unknown): boolean {
  return errorCodes(error).some((code) => refusals.has(code));
}

/**
 * Waits for what became of a batch. `target` is the contract whose event proves the last call: a wallet may say that all is well and have
 * sent the calls one by one. Throws when the wallet does not say it in time.
 */
export async function batchOutcome(request: Asked & { id: string; target: Address }): Promise<BatchOutcome> {
  const { chainId, account, id, target } = request;
  const client = await getConnectorClient(walletConfig(), { chainId, account });
  const { statusCode, receipts = [] } = await waitForCallsStatus(client, {
    id,
    timeout: OUTCOME_WITHIN_MS,
    pollingInterval: OUTCOME_EVERY_MS,
  });
  const worked = receipts.filter(({ status }) => status === 'success');
  const paying = worked.find(({ logs }) => logs.some(({ address }) => isAddressEqual(address, target)));
  if (paying) return { outcome: 'PAID', txHash: paying.transactionHash };
  if (worked.length > 0) return { outcome: 'PARTIAL' };
  // Without a receipt there is nothing to go by but the code: 4xx says that nothing was sent.
  if (receipts.length > 0 || statusCode === 500) return { outcome: 'REVERTED' };
  if (statusCode >= 400 && statusCode < 500) return { outcome: 'FAILED' };
  if (statusCode >= 600) return { outcome: 'PARTIAL' };
  throw new Error(`The wallet says ${statusCode} of its batch, and shows no receipt.`);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
