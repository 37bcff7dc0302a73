import type { Demo } from '../demo-file.ts';
import { balanceFaults, gains } from './balances.ts';
import { openGatewayClient } from './gateway-client.ts';
import { methods, type Payment, payByMethod } from './pay-by-method.ts';
import { printPayment } from './print-payment.ts';
import { printMoment } from './timeline.ts';

const amounts = { DIRECT: '12.50', PERMIT: '8.40', APPROVAL: '99.99' };

/**
 * One payment by each method, one after the other, on each chain in turn. Answers the payments, and what did not add
 * up. `limitMs` is for one payment to settle, and for a gateway that is away to come back.
 */
export async function runDemo(
  world: { demo: Demo; print: (line: string) => void },
  { limitMs }: { limitMs: number },
): Promise<{ payments: Payment[]; faults: string[] }> {
  const { demo, print } = world;
  const gateway = openGatewayClient(demo, limitMs);
  const payments: Payment[] = [];
  for (const [index, method] of methods.entries()) {
    const chain = demo.chains[index % demo.chains.length];
    const payer = demo.payers[index % demo.payers.length];
    if (!chain || !payer) throw new Error('The demo file names no chain or no payer.');
    const amount = amounts[method];
    print(`\n${method}: ${amount} USD on chain ${chain.chainId}`);
    const payment = await payByMethod(
      { demo, gateway, onMoment: (moment) => print(printMoment(moment)), settleLimitMs: limitMs },
      { method, amount, chainId: chain.chainId, payer },
    );
    print(printPayment(payment));
    payments.push(payment);
  }
  return {
    payments,
    faults: payments.flatMap((payment) => balanceFaults(gains(payment.before, payment.after), payment.paid)),
  };
}
