/** Groups the ways to pay for display: those that the wallet can pay, by network, and separately the others. Pure. */
import { type Held, lacksGas, type Way } from '../pay/ways.ts';

export type Network = { chainId: number; name: string; ways: Way[] };
export type ShownWays = { payable: Network[]; lacking: Network[] };

/** `ways` are the best first; so are the networks, by their best way. */
export function shownWays(ways: readonly Way[], held: ReadonlyMap<number, Held>): ShownWays {
  const isLacking = (way: Way) =>
    way.isShort || way.methods.every((method) => lacksGas(way, method, held.get(way.chainId)));
  return {
    payable: byNetwork(ways.filter((way) => !isLacking(way))),
    lacking: byNetwork(ways.filter(isLacking)),
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
