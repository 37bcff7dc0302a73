/** Replaces WalletConnect's own dialog. The page shows the pairing code itself, so this code never runs. */
export function createAppKit(): never {
  throw new Error('The dialogue of WalletConnect is not part of this page.');
}
