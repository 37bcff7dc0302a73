/** A real API and a real Solana, whose payers sign what the steps say. */
import { Transaction } from '@solana/web3.js';
import { setPayoutAddress } from '../../src/auth/set-payout-address.ts';
import type { LocalSolanaAccount } from '../../src/local/solana/solana-accounts.ts';
import { openRestApi, type RestCall } from '../setup/api/rest.ts';
import { openSolana } from '../setup/chains/solana.ts';
import type { OpenedSession } from './checkout-ground.ts';

export const VAULT_SECRET = '5a'.repeat(32);

export type SolanaGround = Awaited<ReturnType<typeof openSolanaGround>>;

/** Merchant A's app is paid out on Solana, merchant B's is not. */
export async function openSolanaGround(environment: Record<string, string> = {}) {
  const solana = await openSolana();
  const mainnet = { ...solana.chain, chainId: 101, name: 'Another Solana', local: false, testnet: false };
  const api = await openRestApi({
    rpc: { [solana.chainId]: solana.rpcUrl, 101: solana.rpcUrl },
    chains: [solana.chain, { ...mainnet, tokens: [] }],
    environment: {
      SOLANA_VAULT_SECRET: VAULT_SECRET,
      SOLANA_OPERATOR_KEY: solana.operator.secretKey,
      SOLANA_FEE_RECIPIENT: solana.feeRecipient.address,
      PRICE_TABLE: 'USDC=1,PYUSD=1,SOL=150,EUR=1.1',
      ...environment,
    },
  });
  const { merchantId, appId } = api.merchantA;
  const payout = { family: 'SOLANA', address: solana.merchant.address } as const;
  await setPayoutAddress(api.world, { scope: { merchantId, appId }, ...payout });
  await setPayoutAddress(api.world, { scope: { merchantId, appId: api.liveApp.appId }, ...payout });

  const openSession = async (input: object = {}, key = api.merchantA.secretKey): Promise<OpenedSession> => {
    const body = { items: [{ name: 'Tea', amount: '10.00' }], ...input };
    const answer = await api.rest('POST', '/checkout-sessions', { key, body });
    if (answer.status !== 200) throw new Error(answer.text);
    return answer.body.data;
  };
  const prepare = (session: OpenedSession, input: object = {}, call: RestCall = session) =>
    api.rest('POST', `/checkout-sessions/${session.id}/prepare`, {
      ...call,
      body: {
        chainId: solana.chainId,
        tokenKey: solana.usdc.key,
        walletAddress: solana.payers[0].address,
        method: 'DIRECT',
        ...input,
      },
    });
  /** What a wallet does: signs the transaction as it is, and sends it. */
  const signAndSend = async (payer: LocalSolanaAccount, step: { transaction: string }): Promise<string> => {
    const transaction = Transaction.from(Buffer.from(step.transaction, 'base64'));
    transaction.partialSign(solana.keypairOf(payer));
    return await solana.connection.sendRawTransaction(transaction.serialize());
  };
  return { api, solana, openSession, prepare, signAndSend };
}
