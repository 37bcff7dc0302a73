/** The wallet's token, stored for this tab until it expires, so that a reload does not require another signature. */
import type { Address } from 'viem';
import { z } from 'zod';
import { PayerRequestLoginDocument, PayerVerifyLoginDocument } from '../../../../generated/web/documents.ts';
import { ask, type Credential } from '../../api/ask.ts';
import { signMessageByWallet } from '../../wallet/evm/ask-wallet.ts';

const tokenSchema = z.object({ accessToken: z.string(), endsAt: z.number() });
const keyOf = (wallet: Address) => `sluice.payer.token.${wallet.toLowerCase()}`;

export function credentialOf(wallet: Address): Credential | undefined {
  try {
    const kept = tokenSchema.parse(JSON.parse(sessionStorage.getItem(keyOf(wallet)) ?? ''));
    return kept.endsAt > Date.now() ? { authorization: `Bearer ${kept.accessToken}` } : undefined;
  } catch {
    return undefined;
  }
}

/** Requests the wallet's signature of the gateway's message. Throws the errors of the wallet and of the API. */
export async function signIn(request: { wallet: Address; chainId: number }): Promise<Credential> {
  const { wallet, chainId } = request;
  const asked = await ask(PayerRequestLoginDocument, { input: { wallet, chainId } });
  const { message } = asked.requestPayerLogin;
  const signature = await signMessageByWallet({ account: wallet, message });
  const { verifyPayerLogin } = await ask(PayerVerifyLoginDocument, { input: { message, signature } });
  const { accessToken, expiresIn } = verifyPayerLogin;
  sessionStorage.setItem(keyOf(wallet), JSON.stringify({ accessToken, endsAt: Date.now() + expiresIn * 1000 }));
  return { authorization: `Bearer ${accessToken}` };
}

export function signOut(wallet: Address): void {
  sessionStorage.removeItem(keyOf(wallet));
}
