import { base58 } from '@scure/base';
import type { SolanaChain } from '@solana/wallet-standard-chains';
import { SolanaSignAndSendTransaction, SolanaSignTransaction } from '@solana/wallet-standard-features';
import { Unsure } from '../unsure.ts';
import type { ConnectedSolanaWallet } from './found-wallets.ts';
import { isPayersNo } from './solana-fault.ts';

/** The same signed transaction sent again is the same payment. */
const ATTEMPTS = 3;
const ANSWERED_WITHIN_MS = 10_000;

/**
 * Lets the wallet sign a transaction (base64) and send it; for a wallet that only signs, the chain's node sends it. Returns the signature
 * in base58 even if a node's response was lost, because the node may have accepted it. Throws the errors of the wallet, Unsure if it ended
 * without reporting whether it has sent, and the refusal of the node.
 */
export async function sendSolanaTransaction(
  { wallet, account }: ConnectedSolanaWallet,
  request: { chain: SolanaChain; nodeUrl: string | null; transaction: string },
): Promise<string> {
  const { chain, nodeUrl } = request;
  const transaction = Uint8Array.from(atob(request.transaction), (letter) => letter.charCodeAt(0));
  const asked = { account, chain, transaction };
  const sending = wallet.features[SolanaSignAndSendTransaction];
  if (sending) {
    const [sent] = await sending.signAndSendTransaction(asked).catch((error: unknown) => {
      throw isPayersNo(error) ? error : new Unsure(`${wallet.name} failed.`, { cause: error });
    });
    if (!sent) throw new Unsure(`${wallet.name} answered nothing.`);
    return base58.encode(sent.signature);
  }
  const signing = wallet.features[SolanaSignTransaction];
  if (!signing || nodeUrl === null) throw new Error(`${wallet.name} cannot send on this chain.`);
  const [signed] = await signing.signTransaction(asked);
  if (!signed) throw new Error(`${wallet.name} answered nothing.`);
  return await sendByNode(nodeUrl, signed.signedTransaction);
}

/** Once a response was lost, no later refusal proves that nothing was sent. */
async function sendByNode(nodeUrl: string, signed: Uint8Array): Promise<string> {
  const signature = base58.encode(signatureOf(signed));
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const answer = await askNode(nodeUrl, signed);
    if (answer === 'LOST') continue;
    if (attempt === 1 && answer.refusal !== undefined) throw new Error(answer.refusal);
    break;
  }
  return signature;
}

/** LOST: it is unknown whether the node accepted it. A refusal is an error that the node itself returned. */
async function askNode(nodeUrl: string, signed: Uint8Array): Promise<'LOST' | { refusal: string | undefined }> {
  const params = [btoa(String.fromCharCode(...signed)), { encoding: 'base64' }];
  try {
    const response = await fetch(nodeUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }),
      signal: AbortSignal.timeout(ANSWERED_WITHIN_MS),
    });
    const { result, error } = await response.json();
    if (typeof error !== 'object' || error === null)
      return typeof result === 'string' ? { refusal: undefined } : 'LOST';
    const message = String(error.message ?? 'The node refused the transaction.');
    return { refusal: /already been processed/i.test(message) ? undefined : message };
  } catch {
    return 'LOST';
  }
}

/** The first of the signatures, which follow their count. It identifies the transaction on the chain. */
function signatureOf(signed: Uint8Array): Uint8Array {
  const [count = 0] = signed;
  if (count < 1 || count > 0x7f || signed.length < 1 + 64 * count) throw new Error('The wallet signed nothing.');
  return signed.slice(1, 65);
}
