/** A transaction of the wallet was mined and reverted. */
export class Reverted extends Error {
  override readonly name = 'Reverted';
}

/** The outcome of a batch that did not pay. */
export class BatchFailed extends Error {
  override readonly name = 'BatchFailed';
  readonly outcome: 'FAILED' | 'REVERTED' | 'PARTIAL';

  constructor(outcome: BatchFailed['outcome']) {
    super(`The wallet's batch: ${outcome}.`);
    this.outcome = outcome;
  }
}
