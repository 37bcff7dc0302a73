import { setTimeout as delay } from 'node:timers/promises';
import { type Blow, strike } from './faults.ts';
import type { Load } from './load.ts';
import type { Ground } from './open-ground.ts';
import { type Measured, measureRecovery } from './recovery.ts';

type World = { ground: Ground; load: Load; print: (line: string) => void };

const CALM_MS = 3_000;
/** The time within which a gateway must recover. */
const RECOVERY_LIMIT_MS = 180_000;

/** Injects one fault after another until the time is over, each followed by its recovery. The first row is measured without a fault. */
export async function strikeUntil(
  world: World,
  { blows, limitMs }: { blows: Iterator<Blow>; limitMs: number },
): Promise<{ measured: Measured[]; reasons: string[] }> {
  const { ground, load, print } = world;
  const measured: Measured[] = [];
  const reasons: string[] = [];
  const measure = async (fault: string, { seconds, chainId }: { seconds: number; chainId: number }) => {
    const probe = load.probe(chainId);
    const observed = await measureRecovery({ ...probe, origin: ground.demo.restUrl }, { limitMs: RECOVERY_LIMIT_MS });
    const { notReady, ...recovery } = observed;
    measured.push({ fault, seconds, ...recovery });
    const { answersMs, readyMs, moneyMs } = recovery;
    if (notReady !== undefined) print(`  /readyz said: ${notReady}`);
    print(`  response after ${answersMs} ms, ready after ${readyMs} ms, payment after ${moneyMs} ms`);
    if (answersMs === null || readyMs === null || moneyMs === null) {
      reasons.push(`After "${fault}" (${seconds} s) the gateway did not recover within ${RECOVERY_LIMIT_MS / 1000} s.`);
    }
  };
  const chainId = ground.demo.chains[0]?.chainId ?? 0;
  print('no fault');
  await measure('no fault', { seconds: 0, chainId });
  const deadline = performance.now() + limitMs;
  while (performance.now() < deadline) {
    await delay(CALM_MS);
    const { value: blow } = blows.next();
    if (!blow) break;
    if (ground.hasEnded()) {
      reasons.push(`npm start exited unexpectedly:\n${ground.printed().split('\n').slice(-20).join('\n')}`);
      break;
    }
    print(describe(blow));
    const heal = await strike(ground, blow);
    try {
      await delay(blow.seconds * 1000);
    } finally {
      await heal();
    }
    await measure(blow.fault, blow);
  }
  return { measured, reasons };
}

function describe({ fault, seconds, chainId, depth }: Blow): string {
  const length = seconds > 0 ? ` for ${seconds} s` : '';
  const place = /chain|node|reorg/.test(fault) ? `, chain ${chainId}` : '';
  return `${fault}${length}${place}${fault === 'reorganization' ? `, ${depth} blocks` : ''}`;
}
