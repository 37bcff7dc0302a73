import { Gauge } from 'prom-client';
import type { Database } from '../../../prisma/client.ts';
import type { Registry } from '../../chains/registry.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { chainFaults } from '../health/chain-faults.ts';
import { type ChainSigns, readVitalSigns, type VitalSigns } from '../health/vital-signs.ts';

/**
 * Registers gauges over the contents of the gateway's tables, which are read on each scrape. Every part reports the same values, so alerts
 * use the maximum.
 */
export function registerTableGauges(world: {
  database: Database;
  registry: Registry;
  clock: Clock;
  metrics: Metrics;
}): void {
  const gauges = openGauges(world.metrics);
  world.metrics.onAsked(async () => {
    // A value that could not be read is absent instead of stale.
    for (const gauge of Object.values(gauges)) gauge.reset();
    const signs = await readVitalSigns(world, { now: world.clock.now() });
    for (const chain of signs.chains) setChainGauges(gauges, chain);
    setWorkGauges(gauges, signs);
    setDepositGauges(gauges, signs);
  });
}

type Gauges = ReturnType<typeof openGauges>;

function openGauges({ register }: Metrics) {
  const gauge = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers: [register] });
  const chain = 'chain_id';
  return {
    observed: gauge('sluice_chain_observed', '1 if the chain has been observed, otherwise 0.', chain),
    head: gauge('sluice_chain_head_block', 'The newest block of the node.', chain),
    read: gauge('sluice_chain_read_block', 'The newest block whose facts are all in the inbox.', chain),
    applied: gauge('sluice_chain_applied_block', 'The newest block whose facts are all applied.', chain),
    finalized: gauge('sluice_chain_finalized_block', 'The newest final block.', chain),
    lagBlocks: gauge(
      'sluice_chain_lag_blocks',
      'Number of blocks from the applied block to the head, including confirmations.',
      chain,
    ),
    lagSeconds: gauge('sluice_chain_lag_seconds', 'Chain time from the applied block to the head.', chain),
    headAge: gauge('sluice_chain_head_age_seconds', 'Time since the head was mined.', chain),
    observedAge: gauge('sluice_chain_observed_age_seconds', 'Time since the indexer last observed the chain.', chain),
    troubled: gauge(
      'sluice_chain_troubled',
      '1 if the reported state of the chain may be out of date, otherwise 0. /readyz?verbose contains the reason.',
      chain,
    ),
    halted: gauge('sluice_chain_halted', '1 if the chain is halted: something final was reverted.', chain),
    paused: gauge('sluice_chain_paused', '1 if an operator has paused new payments on the chain, otherwise 0.', chain),
    inbox: gauge(
      'sluice_inbox_facts',
      'Facts that are not final: seen, waiting, applied, to_take_back.',
      chain,
      'state',
    ),
    jobs: gauge('sluice_queue_jobs', 'Jobs: ready, scheduled, running, failed (out of attempts).', 'state'),
    oldestJob: gauge('sluice_queue_oldest_seconds', 'Waiting time of the oldest ready job.'),
    consumerLag: gauge('sluice_consumer_lag_events', 'Events that the consumer has not handled yet.', 'consumer'),
    oldestUnhandled: gauge('sluice_consumer_oldest_seconds', 'Age of the oldest of these.', 'consumer'),
    consumersFailing: gauge(
      'sluice_consumer_failing_apps',
      'Apps whose next event the consumer has failed to handle and will retry.',
      'consumer',
    ),
    outgoing: gauge(
      'sluice_outgoing_transactions',
      'Transactions of our keys that are pending, or that failed and have not been superseded.',
      chain,
      'status',
    ),
    oldestOutgoing: gauge('sluice_outgoing_oldest_seconds', 'Age of the oldest with the status.', chain, 'status'),
    webhooksDue: gauge(
      'sluice_webhook_deliveries_due',
      'Due deliveries to endpoints that are not paused because of their receiver.',
    ),
    oldestWebhook: gauge(
      'sluice_webhook_oldest_due_seconds',
      'Time for which the oldest of these has been due, or for which an event has waited for its deliveries to be queued.',
    ),
    webhooksDisabled: gauge('sluice_webhook_endpoints_disabled', 'Webhook endpoints that the gateway disabled.'),
    undelivered: gauge(
      'sluice_payouts_undelivered',
      'Payouts that could not be paid to their recipients: credited, acknowledged by an operator, or waiting settlements.',
      chain,
      'state',
      'role',
    ),
    oldestUndelivered: gauge(
      'sluice_payouts_undelivered_oldest_seconds',
      'Age of the oldest of these.',
      chain,
      'state',
      'role',
    ),
    depositAddresses: gauge(
      'sluice_deposit_addresses_open',
      'Deposit addresses whose payment can still be collected.',
      chain,
    ),
    depositsHeld: gauge(
      'sluice_deposits_held_base_units',
      'Base units of a token at all deposit addresses, including those that wait, are stuck, or are below the minimum for a return.',
      chain,
      'token',
    ),
    depositsStuck: gauge('sluice_deposits_stuck', 'Deposit addresses with money whose return fails.', chain),
    oldestStuckDeposit: gauge('sluice_deposits_stuck_oldest_seconds', 'Time for which the oldest has failed.', chain),
    depositsOverdue: gauge(
      'sluice_deposits_overdue',
      'Deposit addresses whose funds should have been collected or returned at least 10 minutes ago.',
      chain,
    ),
    oldestDeposit: gauge(
      'sluice_deposits_uncollected_oldest_seconds',
      'Time since the latest deposit at the address that has waited longest to be collected or returned.',
      chain,
    ),
    overdue: gauge('sluice_payment_intents_overdue', 'Intents that should have advanced 10 minutes ago.', 'status'),
  };
}

function setChainGauges(gauges: Gauges, signs: ChainSigns): void {
  const { chainId, observed } = signs;
  const labels = { chain_id: String(chainId) };
  gauges.troubled.set(labels, chainFaults(signs).length > 0 ? 1 : 0);
  gauges.observed.set(labels, observed ? 1 : 0);
  if (!observed) return;
  gauges.head.set(labels, Number(observed.head));
  gauges.read.set(labels, Number(observed.read));
  gauges.applied.set(labels, Number(observed.applied));
  gauges.finalized.set(labels, Number(observed.finalized));
  gauges.lagBlocks.set(labels, Number(observed.lagBlocks));
  gauges.lagSeconds.set(labels, observed.lagSeconds);
  gauges.headAge.set(labels, observed.headAgeSeconds);
  gauges.observedAge.set(labels, observed.observedAgeSeconds);
  gauges.halted.set(labels, observed.haltReason === null ? 0 : 1);
  gauges.paused.set(labels, observed.paused ? 1 : 0);
}

function setWorkGauges(gauges: Gauges, signs: VitalSigns): void {
  for (const { chainId, state, facts } of signs.inbox) gauges.inbox.set({ chain_id: String(chainId), state }, facts);
  for (const state of ['ready', 'scheduled', 'running', 'failed'] as const) {
    gauges.jobs.set({ state }, signs.queue[state]);
  }
  gauges.oldestJob.set(signs.queue.oldestSeconds);
  for (const { consumer, events, oldestSeconds, failing } of signs.consumers) {
    gauges.consumerLag.set({ consumer }, events);
    gauges.oldestUnhandled.set({ consumer }, oldestSeconds);
    gauges.consumersFailing.set({ consumer }, failing);
  }
  for (const { chainId, status, count, oldestSeconds } of signs.outgoing) {
    const labels = { chain_id: String(chainId), status };
    gauges.outgoing.set(labels, count);
    gauges.oldestOutgoing.set(labels, oldestSeconds);
  }
  gauges.webhooksDue.set(signs.webhooks.due);
  gauges.oldestWebhook.set(signs.webhooks.oldestSeconds);
  gauges.webhooksDisabled.set(signs.webhooks.disabled);
  for (const { chainId, state, role, payouts, oldestSeconds } of signs.undelivered) {
    const labels = { chain_id: String(chainId), state, role };
    gauges.undelivered.set(labels, payouts);
    gauges.oldestUndelivered.set(labels, oldestSeconds);
  }
  for (const { status, intents } of signs.overdue) gauges.overdue.set({ status }, intents);
}

function setDepositGauges(gauges: Gauges, { deposits, depositsHeld }: VitalSigns): void {
  for (const { chainId, open, stuck, stuckSeconds, overdue, uncollectedSeconds } of deposits) {
    const labels = { chain_id: String(chainId) };
    gauges.depositAddresses.set(labels, open);
    gauges.depositsStuck.set(labels, stuck);
    gauges.oldestStuckDeposit.set(labels, stuckSeconds);
    gauges.depositsOverdue.set(labels, overdue);
    gauges.oldestDeposit.set(labels, uncollectedSeconds);
  }
  for (const { chainId, tokenKey, held } of depositsHeld) {
    gauges.depositsHeld.set({ chain_id: String(chainId), token: tokenKey }, Number(held));
  }
}
