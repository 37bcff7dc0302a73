import { type SenderView, spendableWei } from './read-sender.ts';
import { RELAY_SENDER } from './relay.ts';
import type { SendingWorld } from './sending-world.ts';
import { claimRelayed, countQueued, markWithoutGas, type OpenOutgoing, releaseRelayed } from './store.ts';

/** A key is stuck when its lowest unused nonce has waited this many times longer than until its fees are raised. */
const STUCK_FACTOR = 2;
/** The number of transactions that a key takes to send them in batches. */
export const TAKEN_FOR_BATCHES = 400;
/** Gas of a relayed transaction that a key must be able to pay for before it takes one. */
const GAS_EACH = 300_000n;

/**
 * Takes relayed transactions for this key, as many as it may have in flight and can pay for, and wakes the next key for the others. A key that
 * is stuck, rests or has no gas takes none, and returns those that it has not signed, unless it is the only one.
 */
export async function takeRelayed(
  world: SendingWorld,
  { view, unmined }: { view: SenderView; unmined: readonly OpenOutgoing[] },
): Promise<void> {
  const { database, relay, chain } = world;
  if (!relay) return;
  const now = world.clock.now();
  const key = keyOf(world);
  const countWaiting = () => countQueued(database, { chainId: chain.chainId, sender: RELAY_SENDER, now });
  if (!relay.isAlone && (relay.isResting() || isStuck(world, unmined))) {
    await releaseRelayed(database, key);
  } else {
    const [taken, waiting] = [await countQueued(database, { ...key, now }), await countWaiting()];
    const free = world.limits.inFlight - unmined.length;
    if (taken + waiting === 0 || free <= 0) return passOn(world, waiting);
    const payable = relay.isAlone ? free : await payableAtOnce(world, { view, unmined });
    if (payable <= 0) return await waitForGas(world);
    const limit = mayTake(world, { free, payable }) - taken;
    if (limit > 0 && waiting > 0) await claimRelayed(database, { ...key, now, limit });
  }
  passOn(world, await countWaiting());
}

function passOn({ relay }: SendingWorld, waiting: number): void {
  if (waiting > 0) relay?.passOn?.();
}

/** Many for batches; a key that has little gas takes only what it can pay for one by one. */
function mayTake(
  { batching, limits, relay }: SendingWorld,
  { free, payable }: { free: number; payable: number },
): number {
  const isRich = relay?.isAlone || payable >= limits.inFlight;
  return batching && isRich ? TAKEN_FOR_BATCHES : Math.min(free, payable);
}

/** Marks what waits for this key's gas. Another sender key takes over what is relayed, if there is one that has gas. */
export async function waitForGas(world: SendingWorld): Promise<void> {
  const { database, chain, relay, log } = world;
  const now = world.clock.now();
  const key = keyOf(world);
  log.error(key, 'The sender has too little of the native coin to pay for gas.');
  if (relay && !relay.isAlone) {
    const areAllResting = relay.rest();
    await releaseRelayed(database, key);
    if (areAllResting) await markWithoutGas(database, { chainId: chain.chainId, sender: RELAY_SENDER, now });
    else relay.passOn?.();
  }
  await markWithoutGas(database, { ...key, now });
}

function keyOf({ chain, signer }: SendingWorld) {
  return { chainId: chain.chainId, sender: signer.address.toLowerCase() };
}

/** The number of further transactions that the key can pay for, at the suggested fees. */
async function payableAtOnce(
  world: SendingWorld,
  { view, unmined }: { view: SenderView; unmined: readonly OpenOutgoing[] },
): Promise<number> {
  const { inFlight } = world.limits;
  const count = (await spendableWei(world, unmined)) / (view.suggested.maxFeePerGasWei * GAS_EACH);
  return count < BigInt(inFlight) ? Number(count) : inFlight;
}

function isStuck({ clock, limits }: SendingWorld, [head]: readonly OpenOutgoing[]): boolean {
  const [first] = head?.attempts ?? [];
  return (
    first !== undefined && clock.now().getTime() - first.createdAt.getTime() > STUCK_FACTOR * limits.replaceAfterMs
  );
}
