/** Which chains and tokens a payment may be made with: ALL, or some by id and key. */
import type { FieldFault } from '../errors.ts';
import { takesPayment } from './chain.ts';
import type { Chain, Registry, Token } from './registry.ts';

export type ChainSelection = 'ALL' | number[];
export type TokenSelection = 'ALL' | string[];
export type Selection = { allowedChains: ChainSelection; allowedTokens: TokenSelection };

/** Reads a selection column. Any value other than the two forms selects nothing. */
export function readSelection(row: { allowedChains: unknown; allowedTokens: unknown }): Selection {
  const chains = row.allowedChains;
  const tokens = row.allowedTokens;
  return {
    allowedChains: chains === 'ALL' ? 'ALL' : list(chains).filter((id) => typeof id === 'number'),
    allowedTokens: tokens === 'ALL' ? 'ALL' : list(tokens).filter((key) => typeof key === 'string'),
  };
}

/**
 * Returns the faults of a selection for an app of this mode: unknown chains and tokens, chains that accept no payments in the mode, and a
 * selection that leaves no token on any chain.
 */
export function selectionFaults(
  world: { registry: Registry },
  request: { mode: 'TEST' | 'LIVE'; selection: Selection },
): FieldFault[] {
  const { allowedChains, allowedTokens } = request.selection;
  const faults: FieldFault[] = [];
  for (const [index, id] of (allowedChains === 'ALL' ? [] : allowedChains).entries()) {
    const chain = world.registry.chain(id);
    const param = `allowedChains[${index}]`;
    if (!chain) faults.push({ param, message: `${id} is not a known chain` });
    else if (!takesPayment(chain, request.mode)) {
      faults.push({ param, message: `${id} accepts no payment for a ${request.mode} app` });
    }
  }
  for (const [index, key] of (allowedTokens === 'ALL' ? [] : allowedTokens).entries()) {
    if (!world.registry.token(key)) {
      faults.push({ param: `allowedTokens[${index}]`, message: `${key} is not a known token` });
    }
  }
  if (faults.length > 0 || allowedTokens === 'ALL') return faults;
  const chains = world.registry.chains().filter((chain) => takesPayment(chain, request.mode));
  if (!chains.some((chain) => chain.tokens.some((token) => isSelected(request.selection, chain, token)))) {
    return [{ param: 'allowedTokens', message: 'none of them is on an allowed chain' }];
  }
  return faults;
}

export function isSelected(selection: Selection, chain: Pick<Chain, 'chainId'>, token: Pick<Token, 'key'>): boolean {
  return (
    (selection.allowedChains === 'ALL' || selection.allowedChains.includes(chain.chainId)) &&
    (selection.allowedTokens === 'ALL' || selection.allowedTokens.includes(token.key))
  );
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
