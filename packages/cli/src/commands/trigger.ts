import { readFileSync } from 'node:fs';
import { createSluice, type PaymentIntent, type Sluice } from '@sluice/sdk';
import { type Command, type Given, text, UsageError } from '../command.ts';
import { requireTestKey } from '../credentials.ts';
import { type Demo, payIntent } from '../pay-intent.ts';

/** How a payment is brought to each event, and the status in which the event has been sent. */
const stories: Record<
  string,
  { status: PaymentIntent['status']; isPaid: boolean; captureMode: 'AUTOMATIC' | 'MANUAL' }
> = {
  'payment_intent.created': { status: 'CREATED', isPaid: false, captureMode: 'AUTOMATIC' },
  'payment_intent.cancelled': { status: 'CANCELLED', isPaid: false, captureMode: 'AUTOMATIC' },
  'payment_intent.authorized': { status: 'AUTHORIZED', isPaid: true, captureMode: 'MANUAL' },
  'payment_intent.captured': { status: 'CAPTURED', isPaid: true, captureMode: 'AUTOMATIC' },
  'payment_intent.settled': { status: 'SETTLED', isPaid: true, captureMode: 'AUTOMATIC' },
  'payment_intent.refunded': { status: 'REFUNDED', isPaid: true, captureMode: 'AUTOMATIC' },
};

export const trigger: Command = {
  usage: `<event> [--demo .local/demo.json] [--amount 10.00]\n\nEvents: ${Object.keys(stories).join(', ')}`,
  summary: 'Triggers an event on a local installation by a real payment from a demo wallet on the local chain.',
  options: { demo: { type: 'string' }, amount: { type: 'string' } },
  async run(given) {
    const [type = ''] = given.positionals;
    const story = stories[type];
    if (!story) throw new UsageError(`"${type}" cannot be triggered.`);
    const demo = readDemo(text(given, 'demo') ?? '.local/demo.json');
    const credentials = { baseUrl: demo.restUrl, apiKey: demo.secretKey };
    requireTestKey(credentials, 'trigger');
    const sluice = createSluice(credentials);
    const amount = text(given, 'amount') ?? '10.00';
    const intent = await sluice.paymentIntents.create({ amount, captureMode: story.captureMode });
    print(given, `Payment intent ${intent.id} of ${amount} USD is created.`);
    if (story.isPaid) print(given, `Paid in ${await payIntent(sluice, demo, intent.id, given.signal)}.`);
    if (story.status === 'CANCELLED') await sluice.paymentIntents.cancel(intent.id);
    await follow({ sluice, id: intent.id, until: story.status, given });
    if (given.isJson) console.log(JSON.stringify({ paymentIntentId: intent.id, type }));
  },
};

async function follow({ sluice, id, until, given }: { sluice: Sluice; id: string; until: string; given: Given }) {
  let isRefunded = false;
  for await (const { status } of sluice.paymentIntents.watch(id, { signal: given.signal })) {
    print(given, `It is ${status}.`);
    if (status === until) return;
    if (until === 'REFUNDED' && status === 'CAPTURED' && !isRefunded) {
      isRefunded = true;
      await sluice.paymentIntents.refund(id, { reason: 'Triggered from the command line' });
    }
  }
}

function print(given: Given, sentence: string): void {
  if (!given.isJson) console.log(sentence);
}

function readDemo(path: string): Demo {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    throw new UsageError(`${path} cannot be read. "npm start" writes this file; set its path with --demo.`);
  }
}
