/** An error of a wallet, in the form that the page handles. */

/**
 * REJECTED: the payer refused. PENDING: the wallet already shows a request. NO_GAS: not enough of the chain's coin for the
 * fee. CHAIN_UNKNOWN: the wallet does not know the chain. LOST: it no longer responds. FAILED: anything else.
 */
export type WalletFault = 'REJECTED' | 'PENDING' | 'NO_GAS' | 'CHAIN_UNKNOWN' | 'LOST' | 'FAILED';

const CAUSES = 10;

/** All codes in the chain of causes, outermost first. */
export function errorCodes(error: unknown): unknown[] {
  return causes(error).flatMap((cause) => ('code' in cause ? [cause.code] : []));
}

/** Classifies an error by the EIP-1193 and EIP-1474 codes in its chain of causes, and by its message only if there is no code. */
export function walletFault(error: unknown): WalletFault {
  for (const cause of causes(error)) {
    const found = ownFault(cause);
    if (found) return found;
  }
  return 'FAILED';
}

function causes(error: unknown): object[] {
  const found: object[] = [];
  let cause = error;
  while (found.length < CAUSES && typeof cause === 'object' && cause !== null) {
    found.push(cause);
    cause = 'cause' in cause ? cause.cause : undefined;
  }
  return found;
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
