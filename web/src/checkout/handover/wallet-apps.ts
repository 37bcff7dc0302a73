/**
 * Wallet apps with a browser of their own, and the form of the link with which each opens a page there. The forms are those of the vendors:
 *
 * - MetaMask: https://docs.metamask.io/metamask-connect/evm/guides/metamask-exclusive/use-deeplinks
 *   The address follows the path without its scheme and unencoded. The app adds `https://` and keeps the rest, including the fragment.
 * - Base, formerly Coinbase Wallet: https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
 * - Trust Wallet: https://developer.trustwallet.com/developer/develop-for-trust/deeplinking
 *   `coin_id` is the SLIP-44 index of the network: 60 is Ethereum.
 * - Rainbow has no page about it. The app reads `url` at the path `dapp`:
 *   https://github.com/rainbow-me/rainbow/blob/develop/src/handlers/deeplinks.ts
 * - Phantom: https://docs.phantom.com/phantom-deeplinks/other-methods/browse
 *   `ref` is the address of the site that contains the link.
 * - OKX Wallet: https://web3.okx.com/build/docs/waas/app-universal-link
 *   The address is encoded twice: in the app's own link, and in the link of the page that opens the app.
 *
 * All of them are https links, which lead to a page of the vendor where the app is not installed.
 */
export type WalletApp = {
  id: string;
  name: string;
  /** Returns the link that opens an https page in the browser of the app. */
  link: (page: URL) => string;
};

const encoded = (page: URL) => encodeURIComponent(page.href);

export const walletApps: readonly WalletApp[] = [
  {
    id: 'metamask',
    name: 'MetaMask',
    link: (page) => `https://link.metamask.io/dapp/${page.host}${page.pathname}${page.search}${page.hash}`,
  },
  { id: 'base', name: 'Base (Coinbase Wallet)', link: (page) => `https://go.cb-w.com/dapp?cb_url=${encoded(page)}` },
  {
    id: 'trust',
    name: 'Trust Wallet',
    link: (page) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encoded(page)}`,
  },
  { id: 'rainbow', name: 'Rainbow', link: (page) => `https://rnbwapp.com/dapp?url=${encoded(page)}` },
  {
    id: 'phantom',
    name: 'Phantom',
    link: (page) => `https://phantom.app/ul/browse/${encoded(page)}?ref=${encodeURIComponent(page.origin)}`,
  },
  {
    id: 'okx',
    name: 'OKX Wallet',
    link: (page) =>
      `https://web3.okx.com/download?deeplink=${encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${encoded(page)}`)}`,
  },
];
