/** Groups the ways to pay for display: those that the wallet can pay, by network, and separately the others. Pure. */
import { type Held, lacksGas, type Way } from '../pay/ways.ts';

export type Network = { chainId: number; name: string; ways: Way[] };
export type ShownWays = { payable: Network[]; lacking: Network[] };

/** Whether the wallet certainly cannot pay it: it has too little of the token, or none of the coin for the network's fee. */
export function isLacking(way: Way, held: ReadonlyMap<number, Held>): boolean {
  return way.isShort || way.methods.every((method) => lacksGas(way, method, held.get(way.chainId)));
}

/**
 * `ways` are the best first; so are the networks, by their best way. Only those in `lackingKeys`, which were determined together with the
 * order, are separated, until the wallet can pay them. One that the wallet cannot pay later stays in its place.
 */
export function shownWays(
  ways: readonly Way[],
  { held, lackingKeys }: { held: ReadonlyMap<number, Held>; lackingKeys: ReadonlySet<string> },
): ShownWays {
  const isApart = (way: Way) => lackingKeys.has(way.tokenKey) && (way.held === undefined || isLacking(way, held));
  return {
    payable: byNetwork(ways.filter((way) => !isApart(way))),
    lacking: byNetwork(ways.filter(isApart)),
  };
}

/** Sorts by `keys`, an order that was determined once. Ways that were added later come last. */
export function keepOrder(ways: readonly Way[], keys: readonly string[]): Way[] {
  const place = (way: Way) => {
    const found = keys.indexOf(way.tokenKey);
    return found === -1 ? keys.length : found;
  };
  return [...ways].sort((left, right) => place(left) - place(right));
}

function byNetwork(ways: readonly Way[]): Network[] {
  const networks = new Map<number, Network>();
  for (const way of ways) {
    const network = networks.get(way.chainId) ?? { chainId: way.chainId, name: way.chainName, ways: [] };
    network.ways.push(way);
    networks.set(way.chainId, network);
  }
  return [...networks.values()];
}
