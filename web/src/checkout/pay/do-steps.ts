/** Lets the wallet do the steps of a quote, one after the other, from where it stopped, and hands the answer in. */
import type { Address, Hex } from 'viem';
import { waitForTransactionReceipt } from 'viem/actions';
import { CheckoutConfirmDocument } from '../../../../generated/web/documents.ts';
import { ApiError } from '../../api/api-error.ts';
import { ask } from '../../api/ask.ts';
import { sendByWallet, signByWallet } from '../../wallet/evm/ask-wallet.ts';
import { chainReader } from '../../wallet/evm/chain-reader.ts';
import { type WalletFault, walletFault } from '../../wallet/evm/wallet-fault.ts';
import { Unsure } from '../../wallet/unsure.ts';
import type { SessionName } from '../session/use-checkout.ts';
import type { CheckedStep } from './check-steps.ts';
import type { PaymentEvent, Prepared, Sent } from './payment-state.ts';
import { Reverted } from './reverted.ts';
import { comesUntil } from './unseen.ts';

type Tell = (event: PaymentEvent) => void;

/** Faults that do not say that nothing was sent. */
const endings = new Set<WalletFault>(['FAILED', 'LOST']);

const TRIES = 5;
const TRY_AGAIN_MS = 1_500;
/** An approval is waited for this long; then the payer may press again, and it is looked at anew. */
const MINED_WITHIN_MS = 180_000;

/** Throws what the wallet or the API throws, Reverted, and Unsure. */
export async function doSteps(
  session: SessionName,
  request: {
    prepared: Prepared;
    done: number;
    signatures: Record<string, Hex>;
    account: Address;
    now: () => number;
    tell: Tell;
  },
): Promise<void> {
  const { prepared, account, now, tell } = request;
  const signatures: Record<string, Hex> = { ...request.signatures };
  let sent: Sent | undefined;
  for (const step of prepared.steps.slice(request.done)) {
    const asked = { chainId: prepared.chainId, account };
    if ('typedData' in step) {
      tell({ happened: 'started', work: 'signing' });
      const name = signatureName(step);
      const signature = await signByWallet({ ...asked, typedData: step.typedData });
      signatures[name] = signature;
      tell({ happened: 'signed', name, signature });
      continue;
    }
    tell({ happened: 'started', work: 'sending' });
    const payBy = step.kind === 'pay' ? step.until * 1000 : undefined;
    const txHash = await sendByWallet({ ...asked, ...step }).catch((error: unknown) => {
      if (payBy === undefined || !endings.has(walletFault(error))) throw error;
      tell({ happened: 'doubted', until: comesUntil({ family: 'EVM', sentAt: now(), payBy }) });
      throw new Unsure('No answer.', { cause: error });
    });
    if (payBy !== undefined) {
      const { quoteId, chainId } = prepared;
      sent = { quoteId, chainId, txHash, sentAt: now(), payBy };
      tell({ happened: 'sent', sent });
      continue;
    }
    tell({ happened: 'started', work: 'waiting' });
    await mined(prepared.chainId, txHash);
    tell({ happened: 'mined' });
  }
  tell({ happened: 'started', work: 'confirming' });
  await confirm(session, { quoteId: prepared.quoteId, ...(sent ? { txHash: sent.txHash } : { signatures }) });
  tell({ happened: 'confirmed' });
}

function signatureName(step: CheckedStep): 'permit' | 'consent' | 'receive' {
  return step.kind === 'permit' || step.kind === 'receive' ? step.kind : 'consent';
}

/** Confirming twice is one payment, so what got no answer is asked again. */
export async function confirm(
  { id, credential }: SessionName,
  input: { quoteId: string; txHash?: string; signatures?: Record<string, Hex> },
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask(CheckoutConfirmDocument, { id, input }, { credential });
      return;
    } catch (error) {
      if (!(error instanceof ApiError) || !error.fault.retryable || tries >= TRIES) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS * tries));
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
