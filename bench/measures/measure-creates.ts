import type { Bench } from '../bench.ts';
import { runLoad } from '../load/load.ts';

/** Creates intents by REST. Each is a transaction with its event, the app's sequence and a job. */
export async function measureCreates({ installation, sizes, print }: Bench): Promise<string> {
  const { demo } = installation;
  let number = 0;
  const call = {
    url: `${demo.restUrl}/payments/intents`,
    method: 'POST' as const,
    headers: { 'x-api-key': demo.secretKey, 'content-type': 'application/json' },
    body: () => {
      number += 1;
      return JSON.stringify({ amount: '10.00', currency: 'USD', metadata: { order: String(number) } });
    },
  };
  const load = await runLoad(call, sizes);
  const row = `| POST /payments/intents | ${load.perSecond.toFixed(0)} | ${load.p50Ms.toFixed(1)} | ${load.p99Ms.toFixed(1)} |`;
  print(row);
  return `| create intents, ${sizes.connections} connections | per second | p50 ms | p99 ms |\n|---|---:|---:|---:|\n${row}`;
}
