/** The way to a source: so many calls at once, so many that wait, and none while its breaker is open. */
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { openBreaker } from './breaker.ts';
import type { SourceLimits } from './gateway-file.ts';
import { SourceFault, type SourceReason, sourceFaultIn } from './source-fault.ts';

export type SourceObserver = {
  /** A call that ended, or was refused before it began; a missing object is `ok`. */
  called(source: string, outcome: Exclude<SourceReason, 'missing'> | 'ok', seconds: number): void;
  breaker(source: string, state: { isOpen: boolean }): void;
};

export type SourceGate = {
  /** Runs one call; rejects with SourceFault. `signal` ends the waiting; `call` must end by it too. */
  run<Value>(signal: AbortSignal, call: () => Promise<Value>): Promise<Value>;
};

type World = { clock: Clock; log: Log; observer: SourceObserver };

export function openSourceGate(
  { clock, log, observer }: World,
  { name, limits }: { name: string; limits: SourceLimits },
): SourceGate {
  const breaker = openBreaker(limits.breaker);
  const waiting: (() => void)[] = [];
  let running = 0;
  observer.breaker(name, { isOpen: false });

  /** A place among the calls that run; it goes from one call to the next without being free between. */
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

  function note(wasOpen: boolean): void {
    const isOpen = breaker.isOpen();
    if (isOpen === wasOpen) return;
    observer.breaker(name, { isOpen });
    log.warn({ source: name }, isOpen ? 'The breaker of a source opened.' : 'The breaker of a source closed.');
  }

  async function attempt<Value>(call: () => Promise<Value>): Promise<Value> {
    if (!breaker.begin(clock.now().getTime())) throw new SourceFault('open', 'The source failed too often lately.');
    const wasOpen = breaker.isOpen();
    try {
      const value = await call();
      breaker.succeed();
      return value;
    } catch (error) {
      const fault = sourceFaultIn(error);
      if (fault?.isFailure === false) breaker.succeed();
      else breaker.fail(clock.now().getTime());
      throw error;
    } finally {
      note(wasOpen);
    }
  }

  return {
    async run(signal, call) {
      const startedAt = performance.now();
      const told = (outcome: Parameters<SourceObserver['called']>[1]) =>
        observer.called(name, outcome, (performance.now() - startedAt) / 1000);
      try {
        await takePlace(signal);
        try {
          const value = await attempt(call);
          told('ok');
          return value;
        } finally {
          givePlace();
        }
      } catch (error) {
        const { reason, isFailure } = sourceFaultIn(error) ?? { reason: 'away' as const, isFailure: true };
        told(reason === 'missing' ? 'ok' : reason);
        if (isFailure) log.warn({ source: name, reason, err: error }, 'A call of a source failed.');
        throw error;
      }
    },
  };
}

function tooLate(): SourceFault {
  return new SourceFault('timeout', 'No call ended in time for this one to begin.');
}
