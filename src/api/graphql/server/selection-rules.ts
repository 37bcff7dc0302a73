import { readSelection, selectionFaults } from '../../../chains/chain-selection.ts';
import type { FieldFault } from '../../../errors.ts';
import type { GraphqlContext } from './context.ts';

/** What is wrong with `allowedChains` and `allowedTokens` of a raw input, for the mode of the key's app. */
export function givenSelectionFaults(input: unknown, { world, principal }: GraphqlContext): FieldFault[] {
  if (principal.kind !== 'apiKey' || typeof input !== 'object' || input === null) return [];
  const given: { allowedChains?: unknown; allowedTokens?: unknown } = input;
  const selection = readSelection({
    allowedChains: Array.isArray(given.allowedChains) ? given.allowedChains : 'ALL',
    allowedTokens: Array.isArray(given.allowedTokens) ? given.allowedTokens : 'ALL',
  });
  return selectionFaults(world, { mode: principal.mode, selection });
}
