/** Requests to the connected wallet: to sign and to send. Throws the errors of the wallet: see `wallet-fault.ts`. */
import { getConnectorClient } from '@wagmi/core';
import type { Address, Hex, TypedDataDefinition } from 'viem';
import { sendTransaction, signMessage, signTypedData } from 'viem/actions';
import { walletConfig } from './wallet-config.ts';

type Asked = { chainId: number; account: Address };

/** Refused by wagmi when the wallet is on another chain or has another account. */
export async function signByWallet(asked: Asked & { typedData: TypedDataDefinition }): Promise<Hex> {
  const { chainId, account, typedData } = asked;
  const client = await getConnectorClient(walletConfig(), { chainId, account });
  return await signTypedData(client, { ...typedData, account });
}

/** Returns the hash as soon as the wallet has sent it. `value` is in wei. */
export async function sendByWallet(asked: Asked & { to: Address; data: Hex; value: bigint }): Promise<Hex> {
  const { chainId, account, to, data, value } = asked;
  const client = await getConnectorClient(walletConfig(), { chainId, account });
  return await sendTransaction(client, { account, to, data, value, chain: client.chain });
}

/** Signs a text with personal_sign, on any chain. */
export async function signMessageByWallet(asked: { account: Address; message: string }): Promise<Hex> {
  const client = await getConnectorClient(walletConfig(), { account: asked.account });
  return await signMessage(client, asked);
}
