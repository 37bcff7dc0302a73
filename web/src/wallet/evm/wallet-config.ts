/** wagmi's store of wallets and connections, for the EVM chains of this installation. There is one per page. */
import { type Config, createConfig, createStorage, injected } from '@wagmi/core';
import { type Chain, custom, defineChain, http, type Transport } from 'viem';
import { type ChainSettings, settings } from '../../settings.ts';

let made: Config | undefined;

/** Wallets announce themselves (EIP-6963). A wallet that only sets `window.ethereum` is also supported. */
export function walletConfig(): Config {
  if (made) return made;
  const [first = nowhere, ...rest] = evmChains().map(toViemChain);
  made = createConfig({
    chains: [first, ...rest],
    transports: {
      [nowhere.id]: unreachable(nowhere.name),
      ...Object.fromEntries(evmChains().map((chain) => [chain.chainId, transportOf(chain)])),
    },
    connectors: [injected({ shimDisconnect: true })],
    multiInjectedProviderDiscovery: true,
    storage: createStorage({ key: 'sluice.wallet', storage: window.localStorage }),
  });
  return made;
}

export function evmChains(): ChainSettings[] {
  return settings.chains.filter((chain) => chain.family === 'EVM');
}

export function toViemChain(chain: ChainSettings): Chain {
  return defineChain({
    id: chain.chainId,
    name: chain.name,
    nativeCurrency: { name: chain.native.symbol, ...chain.native },
    rpcUrls: { default: { http: chain.nodeUrl === null ? [] : [chain.nodeUrl] } },
    testnet: chain.isTest,
    ...(chain.explorerUrl === null
      ? {}
      : { blockExplorers: { default: { name: 'Explorer', url: chain.explorerUrl } } }),
  });
}

/** wagmi requires a chain, and an installation with Solana only has none. */
const nowhere: Chain = defineChain({
  id: 0,
  name: 'no chain',
  nativeCurrency: { name: 'ETH', symbol: 'ETH', decimals: 18 },
  rpcUrls: { default: { http: [] } },
});

/** Without a node for browsers, a chain is read through the wallet while the wallet is on it: see `chain-reader.ts`. */
function transportOf(chain: ChainSettings): Transport {
  return chain.nodeUrl === null ? unreachable(chain.name) : http(chain.nodeUrl, { batch: true });
}

function unreachable(name: string): Transport {
  const request = async () => {
    throw new Error(`${name} has no node for browsers.`);
  };
  return custom({ request }, { retryCount: 0 });
}
