import type { Installation } from './servers/open-installation.ts';

export type Sizes = {
  /** Intents in the table when reads are measured. */
  rows: number;
  /** How long the installation is idle before its idle load is measured. */
  restMs: number;
  /** Duration of each load. */
  seconds: number;
  connections: number;
  /** Payments whose latency from block to client is measured. */
  payments: number;
  /** The number of connections that each follow one payment, the number that follow everything, and events per second. */
  subscribers: number;
  followers: number;
  eventsPerSecond: number;
  /** Webhooks that are delivered. */
  deliveries: number;
  /** How long events are sent to a webhook receiver that fails one time in five. */
  failingSeconds: number;
  /** Events in the table when the sequence is read. */
  events: number;
  /** The number of subscriptions that are due in the same minute. */
  renewals: number;
  /** How many times fifty balances are read by each method. */
  rounds: number;
  /** Events in the history of a chain that is read from the start. */
  approvals: number;
  /** Whole payments in the tables when growth is measured. */
  grown: number;
  /** Distinct documents after which memory is compared. */
  documents: number;
  /** Renewals that are due while a primary database is killed, and for each number of workers. */
  jobs: number;
  /** The number of x402 payments that each facilitator settles per round, and the number of concurrent clients. */
  x402Calls: number;
  x402Clients: number;
  /** How long the load runs before the primary is killed, and after writes succeed again. */
  calmSeconds: number;
};

/** `quick` is for a trial run. The published figures are measured with `full` (`--full`). */
export const sizes: { quick: Sizes; full: Sizes } = {
  quick: {
    rows: 2_000,
    restMs: 10_000,
    seconds: 2,
    connections: 8,
    payments: 10,
    subscribers: 300,
    followers: 5,
    eventsPerSecond: 20,
    deliveries: 500,
    failingSeconds: 90,
    events: 200_000,
    renewals: 200,
    rounds: 10,
    approvals: 600,
    grown: 50_000,
    documents: 1_000,
    jobs: 200,
    x402Calls: 60,
    x402Clients: 20,
    calmSeconds: 15,
  },
  full: {
    rows: 50_000,
    restMs: 270_000,
    seconds: 10,
    connections: 16,
    payments: 100,
    subscribers: 5_000,
    followers: 50,
    eventsPerSecond: 100,
    deliveries: 5_000,
    failingSeconds: 240,
    events: 10_000_000,
    renewals: 10_000,
    rounds: 100,
    approvals: 10_000,
    grown: 1_000_000,
    documents: 5_000,
    jobs: 1_000,
    x402Calls: 600,
    x402Clients: 200,
    calmSeconds: 30,
  },
};

export type Bench = { installation: Installation; sizes: Sizes; print: (line: string) => void };
