import { base58 } from '@scure/base';
import type { SolanaChain } from '@solana/wallet-standard-chains';
import { SolanaSignAndSendTransaction, SolanaSignTransaction } from '@solana/wallet-standard-features';
import type { ConnectedSolanaWallet } from './found-wallets.ts';

/**
 * Lets the wallet sign a transaction (base64) and send it; one that only signs has it sent by the chain's node. Answers the
 * signature, base58. Throws what the wallet or the node says.
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
    const [sent] = await sending.signAndSendTransaction(asked);
    if (!sent) throw new Error(`${wallet.name} answered nothing.`);
    return base58.encode(sent.signature);
  }
  const [signed] = (await wallet.features[SolanaSignTransaction]?.signTransaction(asked)) ?? [];
  if (!signed || nodeUrl === null) throw new Error(`${wallet.name} cannot send on this chain.`);
  return await sendByNode(nodeUrl, signed.signedTransaction);
}

async function sendByNode(nodeUrl: string, signed: Uint8Array): Promise<string> {
  const params = [btoa(String.fromCharCode(...signed)), { encoding: 'base64' }];
  const response = await fetch(nodeUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sendTransaction', params }),
  });
  const { result, error } = await response.json();
  if (typeof result !== 'string') throw new Error(error?.message ?? 'The node answered nothing.');
  return result;
}
