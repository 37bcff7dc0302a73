/** The wallets of this browser, as they announce themselves (EIP-6963); one that is only at `window.ethereum` is found too. */
export type Provider = { request(asked: { method: string; params?: unknown }): Promise<unknown> };

export type FoundWallet = { id: string; name: string | undefined; provider: Provider };

/** How long wallets have to announce themselves before the one without an announcement is shown. */
const ANNOUNCED_WITHIN_MS = 300;

/** Calls `changed` whenever a wallet is found. */
export function followWallets(changed: (wallets: readonly FoundWallet[]) => void): void {
  const found = new Map<string, FoundWallet>();
  const add = (wallet: FoundWallet) => {
    found.set(wallet.id, wallet);
    changed([...found.values()]);
  };
  window.addEventListener('eip6963:announceProvider', (event) => {
    const wallet = 'detail' in event ? announced(event.detail) : undefined;
    if (wallet && !found.has(wallet.id)) add(wallet);
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
  setTimeout(() => {
    const legacy: unknown = Reflect.get(window, 'ethereum');
    if (found.size === 0 && isProvider(legacy)) add({ id: 'window.ethereum', name: undefined, provider: legacy });
  }, ANNOUNCED_WITHIN_MS);
}

function announced(detail: unknown): FoundWallet | undefined {
  const info = field(detail, 'info');
  const [id, name, provider] = [
    field(info, 'rdns') ?? field(info, 'uuid'),
    field(info, 'name'),
    field(detail, 'provider'),
  ];
  if (typeof id !== 'string' || typeof name !== 'string' || !isProvider(provider)) return undefined;
  return { id, name, provider };
}

function isProvider(value: unknown): value is Provider {
  return typeof field(value, 'request') === 'function';
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
