/** Sends a call with the wallet and waits until it is in a block. Only the wallet and the chain are queried. */
import { useRef, useState } from 'react';
import { type Address, BaseError, type Hex } from 'viem';
import { call as callNode, waitForTransactionReceipt } from 'viem/actions';
import type { Call } from '../../../../src/escrow/calldata.ts';
import { describeRevert } from '../../../../src/escrow/describe-revert.ts';
import { sendByWallet } from '../../wallet/evm/ask-wallet.ts';
import { type ChainReader, chainReader } from '../../wallet/evm/chain-reader.ts';
import { switchWallet } from '../../wallet/evm/use-wallet.ts';
import { type WalletFault, walletFault } from '../../wallet/evm/wallet-fault.ts';
import { useTurn } from './use-turn.ts';

const MINED_WITHIN_MS = 180_000;

/**
 * REFUSED: the contract would revert, and `why` is its message. REVERTED: it reverted in a block. SLOW: it is not in a block yet.
 * STARTED_OVER: the payer stopped waiting for the wallet, which may still send the call.
 */
export type SendFault = { kind: WalletFault | 'REFUSED' | 'REVERTED' | 'SLOW' | 'STARTED_OVER'; why?: string };

export type Sending = { phase: 'idle' | 'wallet' | 'chain' | 'done'; fault?: SendFault; hash?: Hex };

type SendRequest = { chainId: number; account: Address; call: Call };

class Refused extends Error {
  override readonly name = 'Refused';
}

class Reverted extends Error {
  override readonly name = 'Reverted';
}

export function useSend() {
  const [sending, setSending] = useState<Sending>({ phase: 'idle' });
  const latest = useRef<AbortSignal>(undefined);
  const turn = useTurn();

  /** True if it is in a block and was successful. */
  async function send(request: SendRequest): Promise<boolean> {
    let isDone = false;
    await turn.take(async (signal) => {
      latest.current = signal;
      // After the payer has started over, only a call that the wallet sends after all is shown, unless another one was requested.
      const show = (next: Sending) => {
        if (!signal.aborted || (next.hash && latest.current === signal)) setSending(next);
      };
      isDone = await sendOnce(request, { signal, show });
    });
    return isDone;
  }

  function startOver(): void {
    turn.startOver();
    setSending({ phase: 'idle', fault: { kind: 'STARTED_OVER' } });
  }

  return { sending, send, startOver };
}

async function sendOnce(
  request: SendRequest,
  { signal, show }: { signal: AbortSignal; show: (next: Sending) => void },
): Promise<boolean> {
  let hash: Hex | undefined;
  show({ phase: 'wallet' });
  try {
    await switchWallet(request.chainId);
    const reader = await chainReader(request.chainId);
    if (reader) await rehearse(reader, request);
    signal.throwIfAborted();
    hash = await sendByWallet({ ...request, ...request.call });
    show({ phase: 'chain', hash });
    if (reader) await mined(reader, hash);
    show({ phase: 'done', hash });
    return true;
  } catch (error) {
    show({ phase: 'idle', fault: faultOf(error), ...(hash ? { hash } : {}) });
    return false;
  }
}

/** Simulates the call on the node, so that nobody pays for a call that the contract refuses. */
async function rehearse(reader: ChainReader, { account, call }: { account: Address; call: Call }): Promise<void> {
  try {
    await callNode(reader, { account, ...call });
  } catch (error) {
    const data = revertData(error);
    if (data !== undefined) throw new Refused(describeRevert(data), { cause: error });
    // The node failed, so the wallet has to check the call itself.
  }
}

async function mined(reader: ChainReader, hash: Hex): Promise<void> {
  const receipt = await waitForTransactionReceipt(reader, { hash, timeout: MINED_WITHIN_MS, pollingInterval: 1_000 });
  if (receipt.status !== 'success') throw new Reverted(hash);
}

function revertData(error: unknown): Hex | undefined {
  if (!(error instanceof BaseError)) return undefined;
  let data: Hex | undefined;
  error.walk((cause) => {
    const found = typeof cause === 'object' && cause !== null && 'data' in cause ? cause.data : undefined;
    if (typeof found === 'string' && found.startsWith('0x') && found.length > 2) data = `0x${found.slice(2)}`;
    return false;
  });
  return data;
}

function faultOf(error: unknown): SendFault {
  if (error instanceof Refused) return { kind: 'REFUSED', why: error.message };
  if (error instanceof Reverted) return { kind: 'REVERTED' };
  if (error instanceof BaseError && error.name === 'WaitForTransactionReceiptTimeoutError') return { kind: 'SLOW' };
  return { kind: walletFault(error) };
}
