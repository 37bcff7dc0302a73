/** What a page may load and whom it may talk to: ourselves, the nodes that payers' browsers may ask, and nobody else. */
import type { Registry } from '../../chains/registry.ts';
import type { Config } from '../../config/config.ts';
import type { PageName } from './built-pages.ts';

/** Where WalletConnect's relay and its certificates of origin are. */
const walletConnect = {
  connect: [
    'https://*.walletconnect.com',
    'wss://*.walletconnect.com',
    'https://*.walletconnect.org',
    'wss://*.walletconnect.org',
  ],
  frame: ['https://verify.walletconnect.com', 'https://verify.walletconnect.org'],
};

/** The value of Content-Security-Policy. Merchants' images come through our own proxy, so `'self'` is enough for them. */
export function pagePolicy(world: { config: Config; registry: Registry }, page: PageName): string {
  const { config } = world;
  const isForPayers = page === 'checkout' || page === 'payer';
  const nodes = isForPayers ? config.rpc.flatMap((rpc) => (rpc.publicUrl ? [originOf(rpc.publicUrl)] : [])) : [];
  const isPairing = isForPayers && config.walletConnectProjectId !== undefined;
  const own = new URL(config.publicUrl);
  const ownSocket = `${own.protocol === 'https:' ? 'wss:' : 'ws:'}//${own.host}`;
  const directives: [string, string[]][] = [
    ['default-src', ["'none'"]],
    ['script-src', ["'self'"]],
    ['style-src', ["'self'"]],
    ['img-src', ["'self'", 'data:']],
    ['font-src', ["'self'"]],
    ['connect-src', ["'self'", ownSocket, ...nodes, ...(isPairing ? walletConnect.connect : [])]],
    ['frame-src', isPairing ? walletConnect.frame : ["'none'"]],
    ['form-action', ["'self'"]],
    ['base-uri', ["'none'"]],
    ['frame-ancestors', ["'none'"]],
    ['object-src', ["'none'"]],
  ];
  return directives.map(([name, values]) => `${name} ${[...new Set(values)].join(' ')}`).join('; ');
}

function originOf(url: string): string {
  return new URL(url).origin;
}
