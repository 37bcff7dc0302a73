/** The merchants and apps of a run: the demo's, and a second merchant with two apps, created by the operator's commands. */
import { z } from 'zod';
import type { Ground } from './open-ground.ts';
import { type Answers, openShopClient, type ShopClient } from './shop-client.ts';

export type Shop = {
  name: string;
  appId: string;
  key: string;
  client: ShopClient;
  /** Whether funds stay in escrow long enough for refunds and disputes. */
  isPatient: boolean;
};

export type Shops = { shops: Shop[]; arbiter: ShopClient; answers: Answers };

const QUICK_SECONDS = 5;
const PATIENT_SECONDS = 40;
const PATIENCE_MS = 240_000;

export async function openShops(ground: Ground, payout: string): Promise<Shops> {
  const answers: Answers = new Map();
  const origin = ground.demo.restUrl;
  const open = (key: string) => openShopClient({ origin, key, answers }, { patienceMs: PATIENCE_MS });
  const shopOf = (name: string, appId: string, key: string, isPatient: boolean): Shop => ({
    name,
    appId,
    key,
    client: open(key),
    isPatient,
  });
  const operate = async <Shape extends z.ZodType>(shape: Shape, ...args: string[]): Promise<z.infer<Shape>> => {
    const { code, printed, complained } = await ground.operate(['ops', ...args, '--json']);
    if (code !== 0) throw new Error(`ops ${args.join(' ')} failed:\n${complained}`);
    return z.array(shape).parse(JSON.parse(printed))[0] as z.infer<Shape>;
  };
  const { merchantId } = await operate(z.object({ merchantId: z.string() }), 'merchant', 'create', '--name', 'Second');
  const made: Shop[] = [];
  for (const [name, isPatient] of [
    ['Quick', false],
    ['Patient', true],
  ] as const) {
    const withApp = z.object({ appId: z.string() });
    const { appId } = await operate(
      withApp,
      'app',
      'create',
      '--merchant',
      merchantId,
      '--name',
      name,
      '--mode',
      'test',
    );
    await operate(z.unknown(), 'app', 'set-payout', '--app', appId, '--family', 'evm', '--address', payout);
    const { key } = await operate(z.object({ key: z.string() }), 'key', 'create', '--app', appId, '--kind', 'secret');
    const shop = shopOf(name, appId, key, isPatient);
    const seconds = isPatient ? PATIENT_SECONDS : QUICK_SECONDS;
    const document = 'mutation ($id: ID, $input: UpdateAppInput!) { updateApp(id: $id, input: $input) { id } }';
    const input = { timelockDuration: seconds, disputeStartDuration: seconds };
    await shop.client.query(z.unknown(), document, { id: appId, input });
    made.push(shop);
  }
  const withCredential = z.object({ credential: z.string() });
  const { credential } = await operate(withCredential, 'credential', 'create', '--role', 'arbiter', '--name', 'Judge');
  const { appId, secretKey } = ground.demo;
  return { shops: [shopOf('Demo', appId, secretKey, false), ...made], arbiter: open(credential), answers };
}
