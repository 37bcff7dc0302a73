/**
 * An EVM wallet in the page, announced according to EIP-6963. The part in the page only forwards requests. The key stays in the test's
 * process, which signs and sends real transactions.
 */
import type { Page } from 'playwright-core';
import { type Address, createWalletClient, type Hex, http, isAddressEqual, isHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { AccountCall } from './delegate-account.ts';
import { type BatchMode, walletBatches } from './wallet-batches.ts';

/**
 * How a wallet fails. reject: its owner refuses (4001). unknownChain: the chain is unknown to it (4902). notAtomic: it does not support
 * batches on the chain (5760). noMoney: it cannot pay for the gas. break: it fails without doing anything. lose: it executes the request,
 * but its response is lost. hang: it does not respond until the behaviour changes.
 */
export type EvmBehaviour = 'reject' | 'unknownChain' | 'notAtomic' | 'noMoney' | 'break' | 'lose' | 'hang';

export type EvmWalletOptions = {
  privateKey: Hex;
  /** Nodes of the chains that the wallet knows, by chain id. */
  rpcUrls: Record<number, string>;
  chainId: number;
  /** Defaults to "Test wallet". */
  name?: string;
  /** If omitted, the wallet does not support batches. */
  batches?: BatchMode;
};

export type EvmWallet = {
  address: Address;
  /** The current chain. */
  chainId(): number;
  /** Every request so far, oldest first, except reads. */
  asked(): string[];
  /** Sets the behaviour for one method, such as `eth_sendTransaction`. If omitted, the method works normally again. */
  behave(method: string, behaviour?: EvmBehaviour): void;
  /** Sets the behaviour for batches. */
  batchAs(mode: BatchMode): void;
  /** Switches the account, as its owner would, and notifies the page. */
  switchAccount(privateKey: Hex): Promise<void>;
  switchChain(chainId: number): Promise<void>;
};

class WalletRefusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const refusals = {
  reject: () => new WalletRefusal(4001, 'User rejected the request.'),
  unknownChain: () => new WalletRefusal(4902, 'Unrecognized chain ID.'),
  notAtomic: () => new WalletRefusal(5760, 'The wallet does not support atomic execution.'),
  noMoney: () => new WalletRefusal(-32000, 'insufficient funds for gas * price + value'),
  break: () => new WalletRefusal(-32603, 'The wallet was closed.'),
} as const;

const requestSchema = z.object({ method: z.string(), params: z.array(z.unknown()).default([]) });
const hexSchema = z.custom<Hex>((value) => isHex(value));
const chainParamSchema = z.tuple([z.object({ chainId: hexSchema, rpcUrls: z.array(z.string()).optional() })]);
const transactionSchema = z.object({
  from: hexSchema,
  to: hexSchema.optional(),
  data: hexSchema.optional(),
  value: hexSchema.optional(),
  gas: hexSchema.optional(),
});

let wallets = 0;

/** Must be called before the page navigates. The wallet is on every page of this tab, and stays connected after a reload. */
export async function injectEvmWallet(page: Page, options: EvmWalletOptions): Promise<EvmWallet> {
  const binding = `evmWallet${++wallets}`;
  const rpcUrls = new Map(Object.entries(options.rpcUrls).map(([chainId, url]) => [Number(chainId), url]));
  const behaviours = new Map<string, EvmBehaviour>();
  const asked: string[] = [];
  let account = privateKeyToAccount(options.privateKey);
  let chainId = options.chainId;
  let isConnected = false;
  let wakeUp = Promise.withResolvers<void>();

  const emit = async (event: string, value: unknown): Promise<void> => {
    await page.evaluate(([name, ...rest]) => Reflect.get(window, `${name}Emit`)?.(...rest), [binding, event, value]);
  };
  const switchChain = async (next: number): Promise<void> => {
    if (!rpcUrls.has(next)) throw refusals.unknownChain();
    if (next === chainId) return;
    chainId = next;
    await emit('chainChanged', `0x${chainId.toString(16)}`);
  };
  const client = () => createWalletClient({ account, transport: http(rpcUrls.get(chainId)) });

  const methods: Record<string, (params: unknown[]) => unknown> = {
    eth_chainId: () => `0x${chainId.toString(16)}`,
    net_version: () => String(chainId),
    eth_accounts: () => (isConnected ? [account.address] : []),
    eth_requestAccounts: () => {
      isConnected = true;
      return [account.address];
    },
    wallet_requestPermissions: () => {
      isConnected = true;
      return [
        { parentCapability: 'eth_accounts', caveats: [{ type: 'restrictReturnedAccounts', value: [account.address] }] },
      ];
    },
    wallet_revokePermissions: () => {
      isConnected = false;
      return null;
    },
    async wallet_switchEthereumChain(params) {
      await switchChain(Number(chainParamSchema.parse(params)[0].chainId));
      return null;
    },
    async wallet_addEthereumChain(params) {
      const [added] = chainParamSchema.parse(params);
      const [url] = added.rpcUrls ?? [];
      if (url) rpcUrls.set(Number(added.chainId), url);
      await switchChain(Number(added.chainId));
      return null;
    },
    personal_sign([message]) {
      return account.signMessage({ message: isHex(message) ? { raw: message } : String(message) });
    },
    eth_signTypedData_v4([signer, typedData]) {
      mustBeOwn(signer);
      return account.signTypedData(JSON.parse(z.string().parse(typedData)));
    },
    eth_sendTransaction([request]) {
      const { from, to, data, value, gas } = transactionSchema.parse(request);
      mustBeOwn(from);
      return client().sendTransaction({
        chain: null,
        to,
        data,
        value: BigInt(value ?? 0),
        ...(gas ? { gas: BigInt(gas) } : {}),
      });
    },
  };
  let mode = options.batches;
  if (mode) {
    const sendOne = (call: AccountCall) => client().sendTransaction({ chain: null, ...call });
    Object.assign(methods, walletBatches({ mode: () => mode ?? 'atomic', account: () => account, rpcUrls, sendOne }));
  }
  const mustBeOwn = (address: unknown): void => {
    if (!isConnected || !isAddressEqual(hexSchema.parse(address), account.address)) {
      throw new WalletRefusal(4100, 'The requested account has not been authorized by the user.');
    }
  };

  const answer = async (method: string, params: unknown[]): Promise<unknown> => {
    const own = methods[method];
    if (!own && /^wallet_/.test(method)) throw new WalletRefusal(-32601, `The method ${method} does not exist.`);
    if (!own) return await askNode(rpcUrls.get(chainId) ?? '', method, params);
    if (!/^(eth_chainId|eth_accounts|net_version|wallet_getCapabilities|wallet_getCallsStatus)$/.test(method))
      asked.push(method);
    while (behaviours.get(method) === 'hang') await wakeUp.promise;
    const behaviour = behaviours.get(method);
    if (behaviour !== undefined && behaviour !== 'hang' && behaviour !== 'lose') throw refusals[behaviour]();
    const done = await own(params);
    if (behaviour === 'lose') throw refusals.break();
    return done;
  };
  await page.exposeBinding(binding, async (_source, text: string) => {
    try {
      const { method, params } = requestSchema.parse(JSON.parse(text));
      return JSON.stringify({ result: (await answer(method, params)) ?? null });
    } catch (error) {
      const code = error instanceof WalletRefusal ? error.code : -32603;
      return JSON.stringify({ error: { code, message: error instanceof Error ? error.message : String(error) } });
    }
  });
  await page.addInitScript(announce, { binding, name: options.name ?? 'Test wallet', uuid: crypto.randomUUID() });
  return {
    address: account.address,
    chainId: () => chainId,
    asked: () => [...asked],
    behave(method, behaviour) {
      if (behaviour) behaviours.set(method, behaviour);
      else behaviours.delete(method);
      wakeUp.resolve();
      wakeUp = Promise.withResolvers();
    },
    batchAs(next) {
      mode = next;
    },
    async switchAccount(privateKey) {
      account = privateKeyToAccount(privateKey);
      await emit('accountsChanged', [account.address]);
    },
    switchChain,
  };
}

async function askNode(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const { result, error } = await response.json();
  if (error) throw new WalletRefusal(error.code, error.message);
  return result;
}

/** Runs in the page: an EIP-1193 provider that forwards every request to the test. */
function announce({ binding, name, uuid }: { binding: string; name: string; uuid: string }): void {
  const listeners = new Map<string, Set<(value: unknown) => void>>();
  const provider = {
    async request(request: { method: string; params?: unknown }) {
      const { result, error } = JSON.parse(await Reflect.get(window, binding)(JSON.stringify(request)));
      if (error) throw Object.assign(new Error(error.message), { code: error.code });
      return result;
    },
    on(event: string, listener: (value: unknown) => void) {
      listeners.set(event, (listeners.get(event) ?? new Set()).add(listener));
      return provider;
    },
    removeListener(event: string, listener: (value: unknown) => void) {
      listeners.get(event)?.delete(listener);
      return provider;
    },
  };
  Reflect.set(window, `${binding}Emit`, (event: string, value: unknown) => {
    for (const listener of listeners.get(event) ?? []) listener(value);
  });
  const icon =
    'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxyZWN0IHdpZHRoPSI4IiBoZWlnaHQ9IjgiIHJ4PSIyIiBmaWxsPSIjNDQ2NmRkIi8+PC9zdmc+';
  const info = Object.freeze({ uuid, name, icon, rdns: 'example.test.wallet' });
  const announce = () =>
    window.dispatchEvent(
      new CustomEvent('eip6963:announceProvider', {
        detail: Object.freeze({ info, provider: Object.freeze(provider) }),
      }),
    );
  window.addEventListener('eip6963:requestProvider', announce);
  announce();
}
