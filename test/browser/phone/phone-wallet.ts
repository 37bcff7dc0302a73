/** A wallet on a phone: WalletConnect's own client for wallets, with a key that signs and sends for real. */
import { SignClient } from '@walletconnect/sign-client';
import { type Address, createWalletClient, type Hex, http, isHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';

/** What the owner answers: yes, or no to pairing or to every request. */
export type PhoneOwner = 'agrees' | 'refusesPairing' | 'refusesRequests';

export type PhoneWallet = {
  address: Address;
  /** Reads the code that the page shows. Resolves when the owner has answered. */
  scan(uri: string): Promise<void>;
  /** What the page asked for, oldest first. */
  asked(): string[];
  owner(next: PhoneOwner): void;
  close(): Promise<void>;
};

/** Codes of EIP-1193 and of WalletConnect for an owner who says no. */
const REFUSED_REQUEST = { code: 4001, message: 'User rejected the request.' };
const REFUSED_PAIRING = { code: 5000, message: 'User rejected.' };

const hexSchema = z.custom<Hex>((value) => isHex(value));
const transactionSchema = z.object({ to: hexSchema, data: hexSchema.optional(), value: hexSchema.optional() });

export async function openPhoneWallet(options: {
  relayUrl: string;
  privateKey: Hex;
  /** Nodes of the chains that the wallet knows, by chain id. */
  rpcUrls: Readonly<Record<number, string>>;
}): Promise<PhoneWallet> {
  const { relayUrl, privateKey, rpcUrls } = options;
  const account = privateKeyToAccount(privateKey);
  const asked: string[] = [];
  let owner: PhoneOwner = 'agrees';
  const client = await SignClient.init({
    projectId: 'ab'.repeat(16),
    relayUrl,
    logger: 'silent',
    telemetryEnabled: false,
    customStoragePrefix: crypto.randomUUID(),
    storageOptions: { database: ':memory:' },
    metadata: { name: 'Phone wallet', description: 'A wallet of the tests', url: 'https://wallet.example', icons: [] },
  });

  const methods: Record<string, (params: unknown[], chainId: number) => Promise<Hex>> = {
    personal_sign: ([message]) => account.signMessage({ message: isHex(message) ? { raw: message } : String(message) }),
    eth_signTypedData_v4: ([, typedData]) => account.signTypedData(JSON.parse(z.string().parse(typedData))),
    eth_sendTransaction: async ([request], chainId) => {
      const { to, data, value } = transactionSchema.parse(request);
      const wallet = createWalletClient({ account, transport: http(rpcUrls[chainId]) });
      return await wallet.sendTransaction({ chain: null, to, data, value: BigInt(value ?? 0) });
    },
  };
  client.on('session_request', async ({ id, topic, params: { request, chainId } }) => {
    asked.push(request.method);
    const respond = (answer: { result: unknown } | { error: { code: number; message: string } }) =>
      client.respond({ topic, response: { id, jsonrpc: '2.0', ...answer } });
    const method = methods[request.method];
    if (owner === 'refusesRequests') return await respond({ error: REFUSED_REQUEST });
    if (!method) return await respond({ error: { code: -32601, message: `Unknown method ${request.method}.` } });
    await respond({ result: await method(z.array(z.unknown()).parse(request.params), Number(chainId.split(':')[1])) });
  });

  const chains = Object.keys(rpcUrls).map((chainId) => `eip155:${chainId}`);
  const namespaces = {
    eip155: {
      chains,
      methods: Object.keys(methods),
      events: ['accountsChanged', 'chainChanged'],
      accounts: chains.map((chain) => `${chain}:${account.address}`),
    },
  };
  return {
    address: account.address,
    async scan(uri) {
      const proposed = new Promise<number>((resolve) => client.once('session_proposal', ({ id }) => resolve(id)));
      await client.pair({ uri });
      const id = await proposed;
      if (owner === 'refusesPairing') return await client.reject({ id, reason: REFUSED_PAIRING });
      const { acknowledged } = await client.approve({ id, namespaces });
      await acknowledged();
    },
    asked: () => [...asked],
    owner(next) {
      owner = next;
    },
    async close() {
      client.core.heartbeat.stop();
      await client.core.relayer.transportClose();
    },
  };
}
