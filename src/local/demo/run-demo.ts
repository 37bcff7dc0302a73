import type { Demo } from '../demo-file.ts';
import { balanceFaults, gains } from './balances.ts';
import { openGatewayClient } from './gateway-client.ts';
import { type Method, type Payment, payByMethod } from './pay-by-method.ts';
import { printPayment } from './print-payment.ts';
import { printMoment } from './timeline.ts';

/** A permit uses ERC-3009 if the token supports it, as USDC does, and otherwise EIP-2612, as with DAI. */
const plans: { method: Method; amount: string; symbol?: string }[] = [
  { method: 'DIRECT', amount: '12.50' },
  { method: 'PERMIT', amount: '8.40', symbol: 'USDC' },
  { method: 'PERMIT', amount: '5.25', symbol: 'DAI' },
  { method: 'APPROVAL', amount: '99.99' },
  { method: 'TRANSFER', amount: '7.77', symbol: 'USDC' },
];

/**
 * Makes one payment by each method and each kind of permit, and one by plain transfer, sequentially, on each chain in turn. Returns the payments and what did not add
 * up. `limitMs` limits how long one payment may take to settle, and how long to wait for an unreachable gateway.
 */
export async function runDemo(
  world: { demo: Demo; print: (line: string) => void },
  { limitMs }: { limitMs: number },
): Promise<{ payments: Payment[]; faults: string[] }> {
  const { demo, print } = world;
  const gateway = openGatewayClient(demo, limitMs);
  const payments: Payment[] = [];
  for (const [index, { method, amount, symbol }] of plans.entries()) {
    const chain = demo.chains[index % demo.chains.length];
    const payer = demo.payers[index % demo.payers.length];
    if (!chain || !payer) throw new Error('The demo file contains no chain or no payer.');
    print(`\n${method}: ${amount} USD${symbol === undefined ? '' : ` in ${symbol}`} on chain ${chain.chainId}`);
    const payment = await payByMethod(
      { demo, gateway, onMoment: (moment) => print(printMoment(moment)), settleLimitMs: limitMs },
      { method, amount, symbol, chainId: chain.chainId, payer },
    );
    print(printPayment(payment));
    payments.push(payment);
  }
  return {
    payments,
    faults: payments.flatMap((payment) => balanceFaults(gains(payment.before, payment.after), payment.paid)),
  };
}
