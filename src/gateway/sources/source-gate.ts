/** Limits calls to a source: the number of concurrent and queued calls, and none while its breaker is open. */
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { type Attempt, openBreaker } from './breaker.ts';
import type { SourceLimits } from './gateway-file.ts';
import { SourceFault, type SourceReason, sourceFaultIn } from './source-fault.ts';
import type { SourceCall } from './source-fetch.ts';

export type SourceObserver = {
  /** Called when a call ends, or is refused before it begins. A missing object counts as `ok`. */
  called(source: string, outcome: Exclude<SourceReason, 'missing'> | 'ok', seconds: number): void;
  breaker(source: string, state: { isOpen: boolean }): void;
};

/** The result of a call after its response was mapped. `fault` is the reason why some or all of it cannot be used. */
export type Outcome<Value> = { value: Value; fault: SourceFault | undefined };

export type SourceGate = {
  /**
   * Runs one call, including the mapping of its response, and returns its value with or without a fault. Rejects with SourceFault if there
   * is no value. The call's signal ends the wait in the queue, and `run` must end with it too.
   */
  run<Value>(call: SourceCall, run: () => Promise<Outcome<Value>>): Promise<Value>;
};

type World = { clock: Clock; log: Log; observer: SourceObserver };

/** A timeout counts as the source's failure if the queue took at most this share of `timeoutMs`. */
const MOST_WAITED = 0.1;

export function openSourceGate(
  { clock, log, observer }: World,
  { name, limits }: { name: string; limits: SourceLimits },
): SourceGate {
  const breaker = openBreaker(limits.breaker);
  const waiting: (() => void)[] = [];
  let running = 0;
  let isKnownOpen = false;
  const now = () => clock.now().getTime();
  observer.breaker(name, { isOpen: false });

  /** Takes one of the slots for concurrent calls. A slot passes from one call to the next without being released in between. */
  async function takePlace(signal: AbortSignal): Promise<void> {
    if (running < limits.maxConcurrency) {
      running += 1;
      return;
    }
    if (signal.aborted) throw tooLate();
    if (waiting.length >= limits.maxQueue) {
      throw new SourceFault('busy', `${limits.maxConcurrency} calls run and ${limits.maxQueue} wait already.`);
    }
    await new Promise<void>((resolve, reject) => {
      const begin = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(tooLate());
      };
      waiting.push(begin);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  function givePlace(): void {
    const next = waiting.shift();
    if (next) next();
    else running -= 1;
  }

  function note(): void {
    const isOpen = breaker.isOpen();
    if (isOpen === isKnownOpen) return;
    isKnownOpen = isOpen;
    observer.breaker(name, { isOpen });
    log.warn({ source: name }, isOpen ? 'The breaker of a source opened.' : 'The breaker of a source closed.');
  }

  function record(attempt: Attempt, { fault, waitedMs }: { fault: SourceFault | undefined; waitedMs: number }): void {
    const isLate = fault?.reason === 'timeout' && waitedMs > limits.timeoutMs * MOST_WAITED;
    // A call that began late does not reflect on the source, which did not have its full time to respond.
    if (isLate) breaker.abandon(attempt);
    else if (fault?.isFailure) breaker.fail(attempt, now());
    else breaker.succeed(attempt);
    note();
  }

  async function attempted<Value>(
    run: () => Promise<Outcome<Value>>,
    { waitedMs }: { waitedMs: number },
  ): Promise<Outcome<Value>> {
    const attempt = breaker.begin(now());
    if (attempt === null) throw new SourceFault('open', 'The circuit breaker of the source is open.');
    try {
      const outcome = await run();
      record(attempt, { fault: outcome.fault, waitedMs });
      return outcome;
    } catch (error) {
      const fault = sourceFaultIn(error) ?? misfit(error);
      record(attempt, { fault, waitedMs });
      throw fault;
    }
  }

  return {
    async run(call, run) {
      const askedAt = now();
      const startedAt = performance.now();
      const report = (fault: SourceFault | undefined) => {
        const isOk = fault === undefined || fault.reason === 'missing';
        observer.called(name, isOk ? 'ok' : (fault.reason as Exclude<SourceReason, 'missing'>), seconds(startedAt));
        if (!fault?.isFailure) return;
        log.warn({ source: name, callId: call.id, reason: fault.reason, err: fault }, 'A request to a source failed.');
      };
      try {
        await takePlace(call.signal);
        try {
          const { value, fault } = await attempted(run, { waitedMs: now() - askedAt });
          report(fault);
          return value;
        } finally {
          givePlace();
        }
      } catch (error) {
        const fault = sourceFaultIn(error) ?? misfit(error);
        report(fault);
        throw fault;
      }
    },
  };
}

function seconds(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

function misfit(cause: unknown): SourceFault {
  return new SourceFault('garbage', 'The response could not be used.', { cause });
}

function tooLate(): SourceFault {
  return new SourceFault('timeout', 'The call timed out while waiting in the queue.');
}
