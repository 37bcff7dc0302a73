/** Lets the wallet perform the remaining steps of a quote, one after another, and submits the result. */
import type { Address, Hex } from 'viem';
import { waitForTransactionReceipt } from 'viem/actions';
import { CheckoutConfirmDocument } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { inTime } from '../../api/in-time.ts';
import { sendByWallet, signByWallet } from '../../wallet/evm/ask-wallet.ts';
import { batchOutcome, isBatchRefusal, sendBatch } from '../../wallet/evm/batch.ts';
import { chainReader } from '../../wallet/evm/chain-reader.ts';
import { type WalletFault, walletFault } from '../../wallet/evm/wallet-fault.ts';
import { Unsure } from '../../wallet/unsure.ts';
import type { SessionName } from '../session/use-checkout.ts';
import type { CheckedStep } from './check-steps.ts';
import type { PaymentEvent, Prepared, Sent } from './payment-state.ts';
import { BatchFailed, Reverted } from './reverted.ts';
import { comesUntil } from './unseen.ts';

type Dispatch = (event: PaymentEvent) => void;

/** Faults after which the payment may have been sent. */
const endings = new Set<WalletFault>(['FAILED', 'LOST']);

const ATTEMPTS = 5;
const TRY_AGAIN_MS = 1_500;
/** How long to wait for an approval. Afterwards, the payer may press the button again, and it is checked again. */
const MINED_WITHIN_MS = 180_000;

type Doing = {
  prepared: Prepared;
  done: number;
  signatures: Record<string, Hex>;
  account: Address;
  /** Whether the wallet performs the remaining steps as a batch: see `is-batched.ts`. */
  canBatch: boolean;
  now: () => number;
  dispatch: Dispatch;
  /** Aborted when the payer starts over: nothing more is requested from the wallet. */
  signal: AbortSignal;
};

type CallStep = Extract<CheckedStep, { data: Hex }>;

/** Throws what the wallet or the API throws, Reverted, BatchFailed and Unsure. */
export async function doSteps(session: SessionName, request: Doing): Promise<void> {
  const { prepared, account, now, dispatch, signal } = request;
  const signatures: Record<string, Hex> = { ...request.signatures };
  const rest = prepared.steps.slice(request.done);
  let sent: Sent | undefined;
  if (request.canBatch) sent = await payByBatch(request, rest.filter(isCall));
  for (const step of sent ? [] : rest) {
    signal.throwIfAborted();
    const asked = { chainId: prepared.chainId, account };
    if ('typedData' in step) {
      dispatch({ happened: 'started', work: 'signing' });
      const name = signatureName(step);
      const signature = await signByWallet({ ...asked, typedData: step.typedData });
      signal.throwIfAborted();
      signatures[name] = signature;
      dispatch({ happened: 'signed', name, signature });
      continue;
    }
    dispatch({ happened: 'started', work: 'sending' });
    const payBy = step.kind === 'pay' ? step.until * 1000 : undefined;
    const until = payBy === undefined ? undefined : comesUntil({ family: 'EVM', sentAt: now(), payBy });
    const txHash = await asking(request, { until, ask: () => sendByWallet({ ...asked, ...step }) });
    if (payBy !== undefined) {
      const { quoteId, chainId } = prepared;
      sent = { quoteId, chainId, txHash, sentAt: now(), payBy };
      dispatch({ happened: 'sent', sent });
      continue;
    }
    signal.throwIfAborted();
    dispatch({ happened: 'started', work: 'waiting' });
    await mined(prepared.chainId, txHash);
    signal.throwIfAborted();
    dispatch({ happened: 'mined' });
  }
  dispatch({ happened: 'started', work: 'confirming' });
  await confirm(session, { quoteId: prepared.quoteId, ...(sent ? { txHash: sent.txHash } : { signatures }) });
  dispatch({ happened: 'confirmed' });
}

/** Undefined if the wallet rejects the batch. Nothing was sent then, and the steps must be performed one by one. */
async function payByBatch(request: Doing, calls: readonly CallStep[]): Promise<Sent | undefined> {
  const { prepared, account, now, dispatch, signal } = request;
  const pay = calls.at(-1);
  if (pay?.kind !== 'pay') return undefined;
  signal.throwIfAborted();
  const asked = { chainId: prepared.chainId, account };
  const payBy = pay.until * 1000;
  const until = comesUntil({ family: 'EVM', sentAt: now(), payBy });
  dispatch({ happened: 'started', work: 'sending' });
  let id: string;
  try {
    id = await asking(request, { until, ask: () => sendBatch({ ...asked, calls }) });
  } catch (error) {
    if (!isBatchRefusal(error)) throw error;
    dispatch({ happened: 'batchRefused' });
    return undefined;
  }
  dispatch({ happened: 'started', work: 'waiting' });
  const result = await batchOutcome({ ...asked, id, target: pay.to }).catch((cause: unknown) => {
    dispatch({ happened: 'doubted', until });
    throw new Unsure('The wallet does not say what became of its batch.', { cause });
  });
  if (result.outcome === 'PAID') {
    const { quoteId, chainId } = prepared;
    const sent = { quoteId, chainId, txHash: result.txHash, sentAt: now(), payBy };
    dispatch({ happened: 'sent', sent });
    return sent;
  }
  // The page shows the payment as uncertain by now, and this is its outcome.
  if (signal.aborted) dispatch({ happened: 'denied' });
  // One by one, the payer sees which of the steps does not work.
  dispatch({ happened: 'batchRefused' });
  throw new BatchFailed(result.outcome);
}

/** `until`: the time until which a requested payment may appear although the wallet gives no clear response. */
async function asking<Answer>(
  { dispatch, signal }: Doing,
  { until, ask: askWallet }: { until: number | undefined; ask: () => Promise<Answer> },
): Promise<Answer> {
  if (until === undefined) return await askWallet();
  dispatch({ happened: 'asked', until });
  try {
    return await askWallet();
  } catch (error) {
    if (!isBatchRefusal(error) && endings.has(walletFault(error))) {
      dispatch({ happened: 'doubted', until });
      throw new Unsure('No answer.', { cause: error });
    }
    // The wallet responded late, and reports now that it sent nothing.
    if (signal.aborted) dispatch({ happened: 'denied' });
    throw error;
  }
}

function isCall(step: CheckedStep): step is CallStep {
  return 'data' in step;
}

function signatureName(step: CheckedStep): 'permit' | 'consent' | 'receive' {
  return step.kind === 'permit' || step.kind === 'receive' ? step.kind : 'consent';
}

/** Confirming twice has no further effect, so an unanswered request is repeated. */
export async function confirm(
  { id, credential }: SessionName,
  input: { quoteId: string; txHash?: string; signatures?: Record<string, Hex> },
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ask(CheckoutConfirmDocument, { id, input }, { credential, signal: inTime() });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || !error.fault.retryable || attempt >= ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS * attempt));
    }
  }
}

async function mined(chainId: number, hash: string): Promise<void> {
  const reader = await chainReader(chainId);
  if (!reader) return;
  const receipt = await waitForTransactionReceipt(reader, {
    hash: `0x${hash.slice(2)}`,
    timeout: MINED_WITHIN_MS,
    pollingInterval: 1_000,
  });
  if (receipt.status !== 'success') throw new Reverted(hash);
}
