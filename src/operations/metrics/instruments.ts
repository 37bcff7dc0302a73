/** Counters and gauges of what a process itself does and observes. Each part updates those that concern it. */
import type { OperationTypeNode } from 'graphql';
import { Counter, Gauge, Histogram } from 'prom-client';
import type { ChainFailure, RpcCall } from '../../chains/rpc-call.ts';
import type { UnexpectedTransfer } from '../../customers/report-transfers.ts';
import type { ProjectorObserver } from '../../facts/projector-world.ts';
import type { DatabaseFault } from '../../platform/database/database-fault.ts';
import type { HttpCall } from '../../platform/http-call.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { CheckedBooks } from '../check-books.ts';
import type { SenderBalance } from '../read-senders.ts';

export type Instruments = {
  http(call: HttpCall): void;
  rpc(call: RpcCall): void;
  chainUnavailable(failure: ChainFailure): void;
  projector: ProjectorObserver;
  unexpectedTransfer(transfer: UnexpectedTransfer): void;
  books(checked: readonly CheckedBooks[], at: Date): void;
  senders(balances: readonly SenderBalance[]): void;
  /** Called when the gateway begins to execute an operation. */
  operation(kind: `${OperationTypeNode}`): void;
  /** Calls to the gateway's sources, and the state of their circuit breakers. */
  sources: {
    called(source: string, outcome: string, seconds: number): void;
    breaker(source: string, state: { isOpen: boolean }): void;
  };
  /** Called when a caller receives an UNAVAILABLE error. */
  unavailable(fault: DatabaseFault): void;
};

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function openInstruments(metrics: Metrics): Instruments {
  return {
    http: httpInstrument(metrics),
    rpc: rpcInstrument(metrics),
    chainUnavailable: chainUnavailableInstrument(metrics),
    projector: projectorInstrument(metrics),
    unavailable: unavailableInstrument(metrics),
    operation: operationInstrument(metrics),
    sources: sourceInstruments(metrics),
    ...walletInstruments(metrics),
  };
}

function httpInstrument({ register }: Metrics): Instruments['http'] {
  const requests = new Counter({
    name: 'sluice_http_requests_total',
    help: 'Requests by route and status. The route "other" stands for all unknown paths.',
    labelNames: ['method', 'route', 'status'],
    registers: [register],
  });
  const seconds = new Histogram({
    name: 'sluice_http_request_seconds',
    help: 'Time until the response was sent. Live streams are not included.',
    labelNames: ['route'],
    buckets: SECONDS,
    registers: [register],
  });
  return ({ method, route, status, durationSeconds, isStream }) => {
    requests.inc({ method, route, status: String(status) });
    if (!isStream) seconds.observe({ route }, durationSeconds);
  };
}

function unavailableInstrument({ register }: Metrics): Instruments['unavailable'] {
  const errors = new Counter({
    name: 'sluice_unavailable_errors_total',
    help: 'Responses with the error UNAVAILABLE, by the fault of the database: away, busy, lock, timeout.',
    labelNames: ['fault'],
    registers: [register],
  });
  for (const fault of ['away', 'busy', 'lock', 'timeout'] satisfies DatabaseFault[]) errors.inc({ fault }, 0);
  return (fault) => errors.inc({ fault });
}

function operationInstrument({ register }: Metrics): Instruments['operation'] {
  const operations = new Counter({
    name: 'sluice_gateway_operations_total',
    help: 'Operations that the gateway began to execute, by kind, including those of REST and /v1.',
    labelNames: ['kind'],
    registers: [register],
  });
  for (const kind of ['query', 'mutation', 'subscription'] satisfies `${OperationTypeNode}`[])
    operations.inc({ kind }, 0);
  return (kind) => operations.inc({ kind });
}

function sourceInstruments({ register }: Metrics): Instruments['sources'] {
  const calls = new Counter({
    name: 'sluice_source_calls_total',
    help: 'Calls to the sources in GATEWAY_SOURCES, by outcome: ok, or the reason why there was no usable response.',
    labelNames: ['source', 'outcome'],
    registers: [register],
  });
  const seconds = new Histogram({
    name: 'sluice_source_call_seconds',
    help: 'Duration of a successful call to a source, including the time in its queue.',
    labelNames: ['source'],
    buckets: SECONDS,
    registers: [register],
  });
  const open = new Gauge({
    name: 'sluice_source_breaker_open',
    help: '1 while the circuit breaker of a source is open and the source is not called, otherwise 0.',
    labelNames: ['source'],
    registers: [register],
  });
  return {
    called(source, outcome, durationSeconds) {
      calls.inc({ source, outcome });
      if (outcome === 'ok') seconds.observe({ source }, durationSeconds);
    },
    breaker: (source, { isOpen }) => open.set({ source }, isOpen ? 1 : 0),
  };
}

function rpcInstrument({ register }: Metrics): Instruments['rpc'] {
  const labelNames = ['chain_id', 'provider'] as const;
  const registers = [register];
  const requests = new Counter({
    name: 'sluice_rpc_requests_total',
    help: 'Requests to nodes.',
    labelNames,
    registers,
  });
  const errors = new Counter({
    name: 'sluice_rpc_errors_total',
    help: 'Requests that failed because of the node, by the class of its response.',
    labelNames: [...labelNames, 'kind'],
    registers,
  });
  const refusals = new Counter({
    name: 'sluice_rpc_refusals_total',
    help: 'Requests that the node rejected with a response, by the class of the response.',
    labelNames: [...labelNames, 'kind'],
    registers,
  });
  const seconds = new Histogram({
    name: 'sluice_rpc_request_seconds',
    help: 'Response time of a node.',
    labelNames,
    buckets: SECONDS,
    registers,
  });
  return ({ chainId, provider, durationSeconds, fault, refusal }) => {
    const labels = { chain_id: String(chainId), provider };
    requests.inc(labels);
    seconds.observe(labels, durationSeconds);
    if (fault !== null) errors.inc({ ...labels, kind: fault });
    if (refusal !== null) refusals.inc({ ...labels, kind: refusal });
  };
}

function chainUnavailableInstrument({ register }: Metrics): Instruments['chainUnavailable'] {
  const failures = new Counter({
    name: 'sluice_chain_unavailable_total',
    help: 'Operations that failed because no node of the chain gave a usable response, by the class of the last response.',
    labelNames: ['chain_id', 'kind'],
    registers: [register],
  });
  return ({ chainId, answer }) => failures.inc({ chain_id: String(chainId), kind: answer });
}

function projectorInstrument({ register }: Metrics): ProjectorObserver {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter<Label>({ name, help, labelNames, registers: [register] });
  const turns = counter('sluice_projector_turns_total', 'Turns of the projector.', 'chain_id');
  const failures = counter('sluice_projector_failures_total', 'Turns of the projector that failed.', 'chain_id');
  const reorganisations = counter('sluice_reorganisations_total', 'Reorganizations that removed facts.', 'chain_id');
  const orphaned = counter('sluice_reorganised_facts_total', 'Facts that were removed by reorganizations.', 'chain_id');
  const applied = counter('sluice_facts_applied_total', 'Facts that were applied.', 'chain_id', 'kind');
  const stuck = counter(
    'sluice_projector_stuck_total',
    'Alarms for payments whose facts contradict the chain or cannot be stored.',
    'chain_id',
  );
  const halts = counter(
    'sluice_chain_halts_total',
    'Halts of the chain, because something final was reverted.',
    'chain_id',
  );
  const waiting = new Gauge({
    name: 'sluice_projector_waiting_groups',
    help: 'Payments that waited in the last turn, because their evidence was incomplete or they could not be stored.',
    labelNames: ['chain_id'],
    registers: [register],
  });
  const of = (chainId: number) => ({ chain_id: String(chainId) });
  return {
    observed: (observation) => {
      turns.inc(of(observation.chainId));
      waiting.set(of(observation.chainId), observation.waiting);
    },
    failed: ({ chainId }) => failures.inc(of(chainId)),
    reorganised: (event) => {
      reorganisations.inc(of(event.chainId));
      orphaned.inc(of(event.chainId), event.orphaned);
    },
    applied: ({ chainId, kind, facts }) => applied.inc({ ...of(chainId), kind }, facts),
    stuck: ({ chainId }) => stuck.inc(of(chainId)),
    halted: ({ chainId }) => halts.inc(of(chainId)),
  };
}

function walletInstruments({ register }: Metrics): Pick<Instruments, 'unexpectedTransfer' | 'books' | 'senders'> {
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge<Label>({ name, help, labelNames, registers: [register] });
  const transfers = new Counter({
    name: 'sluice_unexpected_transfers_total',
    help: 'Transfers to the escrow that belong to no payment.',
    labelNames: ['chain_id', 'token'],
    registers: [register],
  });
  const drifting = gauge(
    'sluice_books_drifting_payments',
    'Open payments for which the books and the contract differ.',
    'chain_id',
  );
  const uncovered = gauge(
    'sluice_books_uncovered_tokens',
    'Tokens of which the escrow holds less than the books require.',
    'chain_id',
  );
  const credits = gauge(
    'sluice_books_drifting_credits',
    'Recipients to whom the contract owes an amount that differs from the undelivered amount in the books.',
    'chain_id',
  );
  const compared = gauge('sluice_books_compared_payments', 'Open payments in the last comparison.', 'chain_id');
  const comparedAt = gauge(
    'sluice_books_compared_timestamp_seconds',
    'Time of the last comparison of the books, in Unix seconds.',
    'chain_id',
  );
  const balance = gauge(
    'sluice_sender_balance_wei',
    'Balance of a sending key in the native coin, in wei or, on Solana, in lamports.',
    'chain_id',
    'sender',
  );
  const low = gauge(
    'sluice_sender_low_balance',
    '1 if the balance of a sending key is below LOW_BALANCE_WEI, otherwise 0.',
    'chain_id',
    'sender',
  );
  return {
    unexpectedTransfer: ({ chainId, tokenKey }) => transfers.inc({ chain_id: String(chainId), token: tokenKey }),
    books(checked, at) {
      for (const chain of checked) {
        const labels = { chain_id: String(chain.chainId) };
        drifting.set(labels, chain.drifts.length);
        uncovered.set(labels, chain.uncovered.length);
        credits.set(labels, chain.credits.length);
        compared.set(labels, chain.payments);
        comparedAt.set(labels, at.getTime() / 1000);
      }
    },
    senders(balances) {
      for (const { chainId, sender, left, isLow } of balances) {
        const labels = { chain_id: String(chainId), sender };
        if (left !== null) balance.set(labels, Number(left));
        if (left !== null) low.set(labels, isLow ? 1 : 0);
      }
    },
  };
}
