import { readSelection, type Selection, selectionFaults } from '../../../chains/chain-selection.ts';
import { type FieldFault, invalid } from '../../../errors.ts';
import type { GraphqlContext } from './context.ts';

type Given = { allowedChains?: unknown; allowedTokens?: unknown };

/** Returns the faults of `allowedChains` and `allowedTokens` in a raw input, for the mode of the key's app. */
export function givenSelectionFaults(input: unknown, { world, principal }: GraphqlContext): FieldFault[] {
  if (principal.kind !== 'apiKey' || typeof input !== 'object' || input === null) return [];
  return selectionFaults(world, { mode: principal.mode, selection: selectionOf(input) });
}

/**
 * Does the same for a member, whose app is determined by the call. Throws VALIDATION_ERROR for chains and tokens that the app does not
 * accept. For a key, they have been checked with the rest of the input.
 */
export async function requireSelection(
  { world, principal, database }: GraphqlContext,
  { appId, given }: { appId: string; given: Given },
): Promise<void> {
  if (principal.kind === 'apiKey') return;
  const { mode } = await database.app.findUniqueOrThrow({ where: { id: appId }, select: { mode: true } });
  const faults = selectionFaults(world, { mode, selection: selectionOf(given) });
  if (faults.length > 0) throw invalid(faults);
}

function selectionOf(given: Given): Selection {
  return readSelection({
    allowedChains: Array.isArray(given.allowedChains) ? given.allowedChains : 'ALL',
    allowedTokens: Array.isArray(given.allowedTokens) ? given.allowedTokens : 'ALL',
  });
}
