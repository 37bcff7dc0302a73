/** The Content-Security-Policy of the pages. A page may contact this installation and the nodes that payers' browsers may call. */
import type { Registry } from '../../chains/registry.ts';
import type { Config } from '../../config/config.ts';
import type { PageName } from './built-pages.ts';

/** The hosts of WalletConnect's relay and of its verification of origins. */
const walletConnect = {
  connect: [
    'https://*.walletconnect.com',
    'wss://*.walletconnect.com',
    'https://*.walletconnect.org',
    'wss://*.walletconnect.org',
  ],
  frame: ['https://verify.walletconnect.com', 'https://verify.walletconnect.org'],
};

/**
 * Returns the value of Content-Security-Policy. Merchants' images are served by this installation, so `'self'` allows them. Only pages of
 * `frameOrigins` may show the page in a frame; without any, none may.
 */
export function pagePolicy(
  world: { config: Config; registry: Registry },
  page: PageName,
  frameOrigins: readonly string[] = [],
): string {
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
    ['frame-ancestors', frameOrigins.length > 0 ? [...frameOrigins] : ["'none'"]],
    ['object-src', ["'none'"]],
  ];
  return directives.map(([name, values]) => `${name} ${[...new Set(values)].join(' ')}`).join('; ');
}

function originOf(url: string): string {
  return new URL(url).origin;
}
