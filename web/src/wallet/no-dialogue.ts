/** Stands where WalletConnect would load its own dialogue. Our page shows the pairing code itself, so this never runs. */
export function createAppKit(): never {
  throw new Error('The dialogue of WalletConnect is not part of this page.');
}
