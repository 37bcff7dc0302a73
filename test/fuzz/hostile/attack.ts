/** What a stranger may send. Attacks are data, so that a seed and an index make the same one on every machine. */

/** Whose credential an attack carries. What is malformed stands in its headers or frames instead. */
export type Credential = 'none' | 'secret' | 'publishable';

export type Header = readonly [name: string, value: string];

/** One request that keeps to HTTP, whatever its fields hold. */
export type RequestAttack = {
  over: 'http';
  /** What is tried, in a few words. */
  kind: string;
  credential: Credential;
  method: string;
  path: string;
  headers: readonly Header[];
  /** Bytes where the body is no UTF-8. */
  body: string | Uint8Array | undefined;
  /** The GraphQL document in it, whose tokens say what it may cost. */
  document?: string;
  /** A code that alone is right, where the attack leaves no choice. */
  code?: string;
};

/** Bytes on a socket that may keep to nothing. */
export type StreamAttack = {
  over: 'socket';
  kind: string;
  /** In Latin-1, so that every byte can be written. */
  bytes: string;
  /** Sent again and again after `bytes` until the server ends it. */
  flood?: { piece: string; times: number };
  /** Whether the client says that no more will come; a request that is whole is not cut short by it. */
  ends: boolean;
  /** Least and most answers; where least is 0, a closed socket says enough. */
  answers: readonly [least: number, most: number];
  /** The status of the last answer, where the attack leaves no choice. */
  status?: number;
};

/** What a frame of a websocket holds. */
export type Frame = { text: string } | { bytes: Uint8Array; binary: boolean };

export type FrameAttack = {
  over: 'websocket';
  kind: string;
  credential: Credential;
  headers: readonly Header[];
  frames: readonly Frame[];
};

export type Attack = RequestAttack | StreamAttack | FrameAttack;

const SHOWN = 600;

/** An attack for people: everything of it, long texts shortened. */
export function printAttack(attack: Attack): string {
  return JSON.stringify(
    attack,
    (_name, value: unknown) => {
      if (value instanceof Uint8Array) return `${value.length} bytes: ${shortened(Buffer.from(value).toString('hex'))}`;
      if (typeof value === 'string') return shortened(value);
      if (Array.isArray(value) && value.length > 20) return [...value.slice(0, 10), `… ${value.length} in all`];
      return value;
    },
    1,
  );
}

function shortened(text: string): string {
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}… (${text.length} characters)`;
}
