/**
 * Sends every request to a foreign host, and never into a private network unless allowed. The caller has checked that the URL is
 * http or https, and limits the time with its signal.
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
  /** Aborts the request and the reading of its response. */
  signal: AbortSignal;
  privateAddresses: boolean;
  agents?: { http: HttpAgent; https: HttpsAgent } | undefined;
};

/**
 * Resolves with the response once its headers have arrived; the caller must read or destroy the body. Rejects with
 * PrivateAddressError or a network error.
 */
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
    // A host that switches protocols yields neither a response nor an error, even if the signal aborts: Node closes the
    // connection silently.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('The host changed the protocol.'));
    });
    request.on('close', () => reject(new Error('The host closed the connection without a response.')));
    request.end(body);
  });
}
