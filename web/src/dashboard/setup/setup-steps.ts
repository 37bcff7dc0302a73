/** The steps of the setup. A step is complete if its data exists, regardless of who created it and where. */
import type { SetupFactsQuery } from '../../../../generated/web/documents.ts';
import type { ChainSettings } from '../../settings.ts';
import { isChosen, offeredChains, type Selection } from '../resources/selections.ts';

export type SetupStepKey = 'payout' | 'request' | 'payment' | 'webhook' | 'live';
export type SetupStep = { key: SetupStepKey; isDone: boolean };
type Mode = 'TEST' | 'LIVE';
type Payouts = readonly { family: string }[];

/** Chains of one family share a payout address. */
export type Network = { family: string; chains: string; isSet: boolean };

/** The families on which an app of this mode can accept payments, EVM first, with the names of their chains. */
export function networksOf(chains: readonly ChainSettings[], { mode, payouts }: { mode: Mode; payouts: Payouts }) {
  const byFamily = Map.groupBy(offeredChains(chains, mode), (chain) => chain.family);
  const networks = [...byFamily].map(
    ([family, own]): Network => ({
      family,
      chains: own.map((chain) => chain.name).join(', '),
      isSet: payouts.some((payout) => payout.family === family),
    }),
  );
  return networks.sort((left, right) => left.family.localeCompare(right.family));
}

export function setupSteps(facts: SetupFactsQuery, mode: Mode): SetupStep[] {
  const steps: SetupStep[] = [
    { key: 'payout', isDone: (facts.app?.payoutAddresses.length ?? 0) > 0 },
    { key: 'request', isDone: facts.paymentLinks.nodes.length > 0 || facts.made.nodes.length > 0 },
    { key: 'payment', isDone: facts.paid.nodes.length > 0 },
    { key: 'webhook', isDone: facts.webhookEndpoints.some(({ active }) => active) },
  ];
  if (mode === 'LIVE') return steps;
  const isLive = facts.apps.some((app) => app.mode === 'LIVE' && app.payoutAddresses.length > 0);
  return [...steps, { key: 'live', isDone: isLive }];
}

/** Whether payments work from end to end, so that the remaining steps are optional. */
export function takesPayments(steps: readonly SetupStep[]): boolean {
  const needed: readonly SetupStepKey[] = ['payout', 'request', 'payment'];
  return steps.every(({ key, isDone }) => isDone || !needed.includes(key));
}

/**
 * The selected chains on which nobody can pay, because they have no payout address. If all chains are selected, those without an
 * address are simply not offered, so they count only if none is left. Only EVM chains take recurring payments.
 */
export function missingPayouts(
  chains: readonly ChainSettings[],
  request: { mode: Mode; payouts: Payouts; selection: Selection; isRecurring?: boolean },
): { isUnpayable: boolean; chains: string[] } {
  const { mode, payouts, selection, isRecurring = false } = request;
  const offered = offeredChains(chains, mode).filter(({ family }) => !isRecurring || family === 'EVM');
  const selected = offered.filter((chain) => isChosen(selection.chains, chain.chainId));
  const missing = selected.filter(({ family }) => !payouts.some((payout) => payout.family === family));
  const isUnpayable = missing.length === selected.length;
  const isWanted = isUnpayable || selection.chains !== 'ALL';
  return { isUnpayable, chains: isWanted ? missing.map(({ name }) => name) : [] };
}
