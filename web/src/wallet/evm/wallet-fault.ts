/** What a wallet threw, as the page handles it. */

/**
 * REJECTED: the payer said no. PENDING: the wallet already shows a request. NO_GAS: not enough of the chain's coin for the
 * fee. CHAIN_UNKNOWN: the wallet does not know the chain. LOST: it does not answer any more. FAILED: anything else.
 */
export type WalletFault = 'REJECTED' | 'PENDING' | 'NO_GAS' | 'CHAIN_UNKNOWN' | 'LOST' | 'FAILED';

const CAUSES = 10;

/** By EIP-1193 and EIP-1474 codes anywhere in the chain of causes; by words only where wallets have no code. */
export function walletFault(error: unknown): WalletFault {
  let cause = error;
  for (let depth = 0; depth < CAUSES && typeof cause === 'object' && cause !== null; depth++) {
    const found = ownFault(cause);
    if (found) return found;
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return 'FAILED';
}

function ownFault(error: object): WalletFault | undefined {
  const code = 'code' in error ? error.code : undefined;
  const text = 'message' in error ? String(error.message).toLowerCase() : '';
  const name = 'name' in error ? String(error.name) : '';
  if (code === 4001 || code === 'ACTION_REJECTED' || name === 'UserRejectedRequestError') return 'REJECTED';
  if (code === -32002) return 'PENDING';
  if (code === 4902) return 'CHAIN_UNKNOWN';
  if (code === 4900 || code === 4901 || name === 'ConnectorNotConnectedError') return 'LOST';
  if (text.includes('insufficient funds') || name === 'InsufficientFundsError') return 'NO_GAS';
  if (text.includes('user rejected') || text.includes('user denied')) return 'REJECTED';
  return undefined;
}
