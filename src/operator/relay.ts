/**
 * Transactions that the escrow accepts from any sender are relayed by the installation's sender keys. They are queued under the name `relay`,
 * and a key takes them when it is about to send them. A key that is stuck or has no gas returns those that it has not signed, so that another
 * key takes them. A signed transaction stays with its key and its nonce, because sending it by another key could send it twice.
 */

/** The name under which transactions wait for a sender key. */
export const RELAY_SENDER = 'relay';

/** A sender key's place among the others, for its pump. */
export type Relay = {
  /** No other key can take over. */
  isAlone: boolean;
  /** The key had no gas recently. */
  isResting(): boolean;
  /** Stops using the key for some time because it has no gas. Returns whether every sender key is out of use now. */
  rest(): boolean;
  /** Wakes the next key. Undefined for the last one. */
  passOn?: (() => void) | undefined;
};
