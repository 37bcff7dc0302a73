/** Several calls as one batch, if the wallet supports it (EIP-5792): one confirmation, and all of them or none. */
import { getConnectorClient } from '@wagmi/core';
import { type Address, type Hex, isAddressEqual, numberToHex } from 'viem';
import { sendCalls, waitForCallsStatus } from 'viem/actions';
import { walletConfig } from './wallet-config.ts';
import { errorCodes } from './wallet-fault.ts';

type Asked = { chainId: number; account: Address };
export type Call = { to: Address; data: Hex; value: bigint };

/**
 * PAID: `txHash` is the transaction that called `target`. FAILED: no part of it is on the chain. REVERTED: it is on the chain, without
 * effect. PARTIAL: an earlier call took effect, and the one to `target` did not.
 */
export type BatchOutcome = { outcome: 'PAID'; txHash: Hex } | { outcome: 'FAILED' | 'REVERTED' | 'PARTIAL' };

/** How long the wallet is polled for the outcome, because a bundler may take longer than a block. */
const OUTCOME_WITHIN_MS = 120_000;
const OUTCOME_EVERY_MS = 1_000;

/** The method is unknown or unsupported, or the wallet rejects the batch as EIP-5792 defines. In all of these cases, nothing was sent. */
const refusals = new Set<unknown>([-32601, 4200, 5700, 5710, 5740, 5750, 5760]);

/** Whether the wallet reports that it executes calls atomically on this chain. A wallet without this method cannot. */
export async function canBatch({ chainId, account }: Asked): Promise<boolean> {
  const client = await getConnectorClient(walletConfig(), { account });
  const id = numberToHex(chainId);
  const capabilities: unknown = await client.request(
    { method: 'wallet_getCapabilities', params: [account, [id]] },
    { retryCount: 0 },
  );
  // The entry 0x0 applies to every chain.
  return [id, '0x0'].some((key) => {
    const status = field(field(field(capabilities, key), 'atomic'), 'status');
    return status === 'supported' || status === 'ready';
  });
}

/** Returns the wallet's id of the batch. Throws the errors of the wallet: see `isBatchRefusal` and `wallet-fault.ts`. */
export async function sendBatch({ chainId, account, calls }: Asked & { calls: readonly Call[] }): Promise<string> {
  const client = await getConnectorClient(walletConfig(), { chainId, account });
  const { id } = await sendCalls(client, { account, chain: client.chain, calls: [...calls], forceAtomic: true });
  return id;
}

/** The wallet rejects such a batch and has sent nothing, so the calls can be sent one by one. */
export function isBatchRefusal(error: unknown): boolean {
  return errorCodes(error).some((code) => refusals.has(code));
}

/**
 * Waits for the outcome of a batch. `target` is the contract whose event proves the last call, because a wallet may report success and have
 * sent the calls one by one. Throws if the wallet does not respond in time.
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
  // Without a receipt, only the status code is known: 4xx means that nothing was sent.
  if (receipts.length > 0 || statusCode === 500) return { outcome: 'REVERTED' };
  if (statusCode >= 400 && statusCode < 500) return { outcome: 'FAILED' };
  if (statusCode >= 600) return { outcome: 'PARTIAL' };
  throw new Error(`The wallet says ${statusCode} of its batch, and shows no receipt.`);
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
