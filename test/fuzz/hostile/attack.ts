/** Messages that a stranger may send. Attacks are data, so that a seed and an index result in the same attack on every machine. */

/** The valid credential that is added to an attack. Malformed credentials are in the attack's headers or frames. */
export type Credential = 'none' | 'secret' | 'publishable';

export type Header = readonly [name: string, value: string];

/** A request that is valid HTTP, whatever its fields contain. */
export type RequestAttack = {
  over: 'http';
  /** A short description of the attack. */
  kind: string;
  credential: Credential;
  method: string;
  path: string;
  headers: readonly Header[];
  /** Bytes if the body is not valid UTF-8. */
  body: string | Uint8Array | undefined;
  /** The GraphQL document in the body. Its tokens determine the allowed cost. */
  document?: string;
  /** The only correct error code, if there is just one. */
  code?: string;
};

/** Bytes on a socket that may violate any protocol. */
export type StreamAttack = {
  over: 'socket';
  kind: string;
  /** Latin-1, so that every byte can be represented. */
  bytes: string;
  /** Sent repeatedly after `bytes` until the server closes the connection. */
  flood?: { piece: string; times: number };
  /** Whether the client half-closes the connection, which must not affect a complete request. */
  ends: boolean;
  /** The minimum and maximum number of responses. If the minimum is 0, closing the socket is sufficient. */
  answers: readonly [least: number, most: number];
  /** The only correct status of the last response, if there is just one. */
  status?: number;
};

/** The payload of a websocket frame. */
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

/** Prints a whole attack for a developer, with long texts abbreviated. */
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
