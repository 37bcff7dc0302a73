/**
 * The start of every request to a foreign host, which never goes into a private network unless allowed. The caller has seen
 * that the URL is one of http or https, and bounds the time by its signal.
 */
import { type Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { type Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { guardedLookup, isPublicAddress, PrivateAddressError } from './public-address.ts';

export type ForeignRequest = {
  url: URL;
  method: 'GET' | 'POST';
  headers: Record<string, string | number>;
  body?: string;
  /** Ends the request and the reading of its answer. */
  signal: AbortSignal;
  privateAddresses: boolean;
  agents?: { http: HttpAgent; https: HttpsAgent } | undefined;
};

/** The answer's head; its body is the caller's to read or to destroy. Rejects with PrivateAddressError, or what the network says. */
export function foreignRequest(asked: ForeignRequest): Promise<IncomingMessage> {
  const { url, method, headers, body, signal, agents } = asked;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!asked.privateAddresses && isIP(host) !== 0 && !isPublicAddress(host)) {
    return Promise.reject(new PrivateAddressError(`${host} is not a public address.`));
  }
  const isHttps = url.protocol === 'https:';
  const agent = agents ? (isHttps ? agents.https : agents.http) : false;
  return new Promise((resolve, reject) => {
    const send = isHttps ? httpsRequest : httpRequest;
    const request = send(url, { method, headers, agent, lookup: guardedLookup(asked), signal }, resolve);
    request.on('error', reject);
    // A host that changes the protocol gives no answer and no error, whatever the signal says: Node ends it in silence.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('The host changed the protocol.'));
    });
    request.on('close', () => reject(new Error('The host hung up without an answer.')));
    request.end(body);
  });
}
