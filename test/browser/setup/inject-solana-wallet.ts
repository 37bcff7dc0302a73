/** A Solana wallet in the page, according to the Wallet Standard. Its key stays in the test's process, which sends real transactions. */
import { createPrivateKey, sign } from 'node:crypto';
import { base58 } from '@scure/base';
import { Connection, Keypair, VersionedTransaction } from '@solana/web3.js';
import type { Page } from 'playwright-core';
import { z } from 'zod';

export type SolanaFeature = 'solana:signTransaction' | 'solana:signAndSendTransaction' | 'solana:signMessage';

/** How the wallet fails: its owner refuses, it breaks, or it does not respond until the behaviour changes. */
export type SolanaBehaviour = 'reject' | 'break' | 'hang';

export type SolanaWalletOptions = {
  /** 64 bytes in Base58. */
  secretKey: string;
  rpcUrl: string;
  /** Defaults to "Test Solana wallet". */
  name?: string;
  /** For example `solana:devnet`. Defaults to the local chain. */
  chains?: string[];
  /** Defaults to all features. */
  features?: SolanaFeature[];
};

export type SolanaWallet = {
  address: string;
  /** Every request so far, oldest first. */
  asked(): string[];
  /** Sets the behaviour for `connect` or one feature. If omitted, it works normally again. */
  behave(request: 'connect' | SolanaFeature, behaviour?: SolanaBehaviour): void;
};

const requestSchema = z.object({
  feature: z.enum(['connect', 'solana:signTransaction', 'solana:signAndSendTransaction', 'solana:signMessage']),
  /** Base64. */
  payload: z.string(),
});

const allFeatures: SolanaFeature[] = ['solana:signTransaction', 'solana:signAndSendTransaction', 'solana:signMessage'];
/** The bytes that precede the 32 bytes of an Ed25519 seed in PKCS #8. */
const SEED_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

let wallets = 0;

/** Must be called before the page navigates. */
export async function injectSolanaWallet(page: Page, options: SolanaWalletOptions): Promise<SolanaWallet> {
  const binding = `solanaWallet${++wallets}`;
  const keypair = Keypair.fromSecretKey(base58.decode(options.secretKey));
  const address = keypair.publicKey.toBase58();
  const connection = new Connection(options.rpcUrl, 'confirmed');
  const behaviours = new Map<string, SolanaBehaviour>();
  const asked: string[] = [];
  let wakeUp = Promise.withResolvers<void>();

  const signed = (payload: Buffer): Buffer => {
    const transaction = VersionedTransaction.deserialize(payload);
    transaction.sign([keypair]);
    return Buffer.from(transaction.serialize());
  };
  const answers: Record<z.infer<typeof requestSchema>['feature'], (payload: Buffer) => Promise<Buffer>> = {
    connect: async () => Buffer.alloc(0),
    'solana:signTransaction': async (payload) => signed(payload),
    'solana:signAndSendTransaction': async (payload) =>
      Buffer.from(base58.decode(await connection.sendRawTransaction(signed(payload)))),
    'solana:signMessage': async (payload) => {
      const key = Buffer.concat([SEED_PREFIX, keypair.secretKey.subarray(0, 32)]);
      return sign(null, payload, createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
    },
  };
  await page.exposeBinding(binding, async (_source, text: string) => {
    try {
      const { feature, payload } = requestSchema.parse(JSON.parse(text));
      asked.push(feature);
      while (behaviours.get(feature) === 'hang') await wakeUp.promise;
      if (behaviours.get(feature) === 'reject') throw new Error('User rejected the request.');
      if (behaviours.get(feature) === 'break') throw new Error('Connection closed.');
      return JSON.stringify({ result: (await answers[feature](Buffer.from(payload, 'base64'))).toString('base64') });
    } catch (error) {
      return JSON.stringify({ error: error instanceof Error ? error.message : String(error) });
    }
  });
  await page.addInitScript(register, {
    binding,
    name: options.name ?? 'Test Solana wallet',
    address,
    publicKey: [...keypair.publicKey.toBytes()],
    chains: options.chains ?? ['solana:localnet'],
    features: options.features ?? allFeatures,
  });
  return {
    address,
    asked: () => [...asked],
    behave(request, behaviour) {
      if (behaviour) behaviours.set(request, behaviour);
      else behaviours.delete(request);
      wakeUp.resolve();
      wakeUp = Promise.withResolvers();
    },
  };
}

type Registered = {
  binding: string;
  name: string;
  address: string;
  publicKey: number[];
  chains: string[];
  features: string[];
};

/** Runs in the page: a wallet that forwards every request to the test. It stays connected after a reload. */
function register({ binding, name, address, publicKey, chains, features }: Registered): void {
  const toBase64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
  const toBytes = (text: string) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const ask = async (feature: string, payload: Uint8Array = new Uint8Array()): Promise<Uint8Array> => {
    const text = JSON.stringify({ feature, payload: toBase64(payload) });
    const { result, error } = JSON.parse(await Reflect.get(window, binding)(text));
    if (error) throw new Error(error);
    return toBytes(result);
  };
  type Input = { transaction: Uint8Array; message: Uint8Array };
  const each =
    (work: (input: Input) => Promise<object>) =>
    (...inputs: Input[]) =>
      Promise.all(inputs.map(work));
  const account = { address, publicKey: Uint8Array.from(publicKey), chains, features };
  const listeners = new Set<(change: object) => void>();
  const memory = `${name} is connected`;
  let accounts: object[] = [];
  const setAccounts = (next: object[]) => {
    accounts = next;
    for (const listener of listeners) listener({ accounts });
  };
  const versions = { version: '1.0.0', supportedTransactionVersions: ['legacy', 0] };
  const signing: Record<string, object> = {
    'solana:signTransaction': {
      ...versions,
      signTransaction: each(async ({ transaction }) => ({
        signedTransaction: await ask('solana:signTransaction', transaction),
      })),
    },
    'solana:signAndSendTransaction': {
      ...versions,
      signAndSendTransaction: each(async ({ transaction }) => ({
        signature: await ask('solana:signAndSendTransaction', transaction),
      })),
    },
    'solana:signMessage': {
      version: '1.0.0',
      signMessage: each(async ({ message }) => ({
        signedMessage: message,
        signature: await ask('solana:signMessage', message),
      })),
    },
  };
  const wallet = Object.freeze({
    version: '1.0.0',
    name,
    icon: 'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxyZWN0IHdpZHRoPSI4IiBoZWlnaHQ9IjgiIHJ4PSIyIiBmaWxsPSIjN2E0NGRkIi8+PC9zdmc+',
    chains,
    get accounts() {
      return accounts;
    },
    features: {
      'standard:connect': {
        version: '1.0.0',
        async connect(input?: { silent?: boolean }) {
          if (input?.silent && localStorage.getItem(memory) === null) return { accounts: [] };
          if (!input?.silent) await ask('connect');
          localStorage.setItem(memory, 'yes');
          setAccounts([account]);
          return { accounts };
        },
      },
      'standard:disconnect': {
        version: '1.0.0',
        async disconnect() {
          localStorage.removeItem(memory);
          setAccounts([]);
        },
      },
      'standard:events': {
        version: '1.0.0',
        on(_event: 'change', listener: (change: object) => void) {
          listeners.add(listener);
          return () => listeners.delete(listener);
        },
      },
      ...Object.fromEntries(Object.entries(signing).filter(([feature]) => features.includes(feature))),
    },
  });
  const present = ({ register: take }: { register: (one: object) => void }) => take(wallet);
  window.dispatchEvent(new CustomEvent('wallet-standard:register-wallet', { detail: present }));
  window.addEventListener('wallet-standard:app-ready', (event) => {
    if ('detail' in event) present(event.detail as Parameters<typeof present>[0]);
  });
}
